"""How mteb itself would put prompts before a model's texts, asked of its own wrapper.

mteb wraps each registered model in a class that looks prompts up, and sets instructions into templates, by rules of
its own. Here that wrapper is built around a shell in place of the weights: it does all that it would do, and the
strings that would have entered the tokenizer are written down. So nothing of those rules is repeated, and planning a
sweep loads no weights.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from engine.errors import ModelUnavailable
from engine.schema import PromptOrigin, PromptType
from engine.sweep.libraries import prepare_libraries
from engine.sweep.prompting import Prefix, TaskFacts

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta

_PROBE = "\ue000"
"""A text of one private character: whatever stands before it is the prefix."""
_PATCHING = Lock()


class WrapperStyle:
    """The prompts of an mteb-registered model.

    Args:
        meta: The model as mteb registers it.
        built_in: Prompts that the model's own folder brings, and the name of the one that is always used, if any.

    Raises:
        ModelUnavailable: mteb does not run the model by sentence-transformers on texts.
    """

    def __init__(self, meta: ModelMeta, built_in: Callable[[], Mapping[str, Any]]) -> None:
        self._meta = meta
        self._built_in = built_in
        self._defaults: dict[tuple[str, PromptType], Prefix] = {}

    @cached_property
    def wrapper(self) -> Any:
        """Mteb's wrapper, around a shell."""
        return build_around_shell(self._meta, self._built_in())

    def default(self, task: TaskFacts, side: PromptType) -> Prefix:
        """What mteb's wrapper puts before the texts of a side of a task; it is asked once a task and side."""
        key = task.name, side
        if key not in self._defaults:
            self._defaults[key] = self._ask_default(task, side)
        return self._defaults[key]

    def _ask_default(self, task: TaskFacts, side: PromptType) -> Prefix:
        text = _heard(self.wrapper, task, side)
        instruction = self._default_instruction(task, side, text) if text else None
        if instruction is None:
            return Prefix(text or None, PromptOrigin.MODEL if text else PromptOrigin.NONE)
        return Prefix(text, self._origin(task, side, instruction), instruction)

    def chosen(self, text: str, side: PromptType) -> Prefix:
        """A study's prompt, set into the template where the model has one, unless it is empty or wrapped already."""
        if not _takes_instructions(self.wrapper) or not text:
            return Prefix(text, PromptOrigin.STUDY)
        if self._is_wrapped(text, side):
            return Prefix(text, PromptOrigin.STUDY, note="stands in the model's template already and is put as it is")
        formatted = self._formatted(text, side)
        # A template may have no place for an instruction on one side: the study's text is then put there as it is.
        if text not in formatted:
            return Prefix(text, PromptOrigin.STUDY, note=f"has no place in the model's template for {side} texts")
        return Prefix(formatted, PromptOrigin.STUDY, text)

    def _formatted(self, instruction: str, side: PromptType) -> str:
        return str(self.wrapper.format_instruction(instruction, _mteb_side(side)))

    def _is_wrapped(self, text: str, side: PromptType) -> bool:
        """The template's own words already stand at the head of the text."""
        head = self._formatted(_PROBE, side).partition(_PROBE)[0]
        return bool(head.strip()) and text.startswith(head.rstrip())

    def _default_instruction(self, task: TaskFacts, side: PromptType, heard: str) -> str | None:
        """The instruction inside the default string that was heard; None where no template was used."""
        if not _takes_instructions(self.wrapper):
            return None
        instruction = str(self.wrapper.get_instruction(_metadata(task), _mteb_side(side)))
        return instruction if self._formatted(instruction, side) == heard else None

    def _origin(self, task: TaskFacts, side: PromptType, instruction: str) -> PromptOrigin:
        own = self.wrapper.prompts_dict or {}
        keys = (task.name, task.task_type, str(side))
        if not instruction or any(own.get(key) == instruction for key in keys):
            return PromptOrigin.MODEL
        metadata = _metadata(task)
        of_task = metadata.prompt.values() if isinstance(metadata.prompt, dict) else [metadata.prompt]
        return PromptOrigin.TASK if instruction in of_task else PromptOrigin.CLASS


def build_around_shell(meta: ModelMeta, built_in: Mapping[str, Any]) -> Any:
    """Mteb's wrapper of a model, around a shell that has the model's built-in prompts and no weights.

    Raises:
        ModelUnavailable: The wrapper is another kind: an API, a cross-encoder, a class with an encode of its own.
    """
    from mteb.models.instruct_wrapper import InstructSentenceTransformerModel
    from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

    shell = _shell_class()
    shell.built_in = dict(built_in)
    kinds = (SentenceTransformerEncoderWrapper, InstructSentenceTransformerModel)
    loader = meta.loader
    why = f"mteb loads it by {getattr(loader, '__name__', loader)!r}"
    if loader is not None and not _is_foreign_class(loader, kinds):
        try:
            with _sentence_transformers_is(shell), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wrapper: Any = loader(meta.name, revision=meta.revision, device="cpu", **(meta.loader_kwargs or {}))
        except Exception as error:  # any wrapper may fail in its own way around a shell
            why += f", which failed ({type(error).__name__}: {error})"
        else:
            is_plain = any(type(wrapper).encode is kind.encode for kind in kinds)
            if isinstance(wrapper, kinds) and is_plain and isinstance(wrapper.model, shell):
                return wrapper
    raise ModelUnavailable(
        f"{meta.name} cannot be swept: {why}; expected a sentence-transformers model that takes plain texts. "
        "Score it with mteb itself, and register its results: `engine add`."
    )


def _is_foreign_class(loader: Any, kinds: Sequence[type]) -> bool:
    return isinstance(loader, type) and not issubclass(loader, tuple(kinds))


def _takes_instructions(wrapper: Any) -> bool:
    return bool(wrapper.instruction_template)


def _heard(wrapper: Any, task: TaskFacts, side: PromptType) -> str:
    """What stands before the probe when the wrapper encodes it."""
    from datasets import Dataset
    from mteb._create_dataloaders import create_dataloader

    metadata = _metadata(task)
    inputs = create_dataloader(Dataset.from_dict({"text": [_PROBE]}), task_metadata=metadata, input_column="text")
    wrapper.model.heard = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapper.encode(
            inputs, task_metadata=metadata, hf_split="test", hf_subset="default", prompt_type=_mteb_side(side)
        )
    return str(wrapper.model.heard[0].partition(_PROBE)[0])


def _metadata(task: TaskFacts) -> Any:
    return task.build().metadata


def _mteb_side(side: PromptType) -> Any:
    from mteb.types import PromptType as MtebSide

    return None if side is PromptType.NONE else MtebSide(str(side))


def _shell_class() -> Any:
    """A class that stands in for `SentenceTransformer`: no weights, the built-in prompts, and an ear for strings."""
    prepare_libraries()
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer

    class Shell(SentenceTransformer):
        built_in: Mapping[str, Any] = {}

        def __init__(self, *_: Any, **options: Any) -> None:
            torch.nn.Module.__init__(self)
            self.prompts = {**(options.get("prompts") or {}), **(self.built_in.get("prompts") or {})}
            self.default_prompt_name = self.built_in.get("default_prompt_name")
            self.heard: list[str] = []

        @property
        def max_seq_length(self) -> int:
            return 512

        @max_seq_length.setter
        def max_seq_length(self, _: int) -> None:
            return None

        def _first_module(self) -> Any:
            return _Anything()

        def encode(  # type: ignore[override]
            self, inputs: Any, prompt_name: Any = None, prompt: Any = None, **_: Any
        ) -> Any:
            name = prompt_name or self.default_prompt_name
            before = prompt if prompt is not None else (self.prompts.get(name) if name else None)
            self.heard += [f"{before or ''}{text}" for text in inputs]
            return np.zeros((len(inputs), 1), np.float32)

    return Shell


class _Anything:
    """What a loader looks at or sets inside a model: it has every attribute, and none that matters to prompts."""

    def __getattr__(self, name: str) -> _Anything:
        return _Anything()


@contextmanager
def _sentence_transformers_is(shell: Any) -> Iterator[None]:
    """Has mteb's wrappers, which import the class when they are built, find a shell in its place."""
    import sentence_transformers

    with _PATCHING:
        real = sentence_transformers.SentenceTransformer
        sentence_transformers.SentenceTransformer = shell  # type: ignore[misc]
        try:
            yield
        finally:
            sentence_transformers.SentenceTransformer = real  # type: ignore[misc]
