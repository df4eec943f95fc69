"""The exact string before every text of a run, side by side, with where it came from.

Nothing is looked up while a run is under way: a `Setting` holds the literal strings, and the encoder
puts them before the texts as they are. Three things that look alike stay apart:

- default settings: what mteb's own lookup finds among the model's prompts, which may be nothing,
- no prompt: nothing was asked for (`None`),
- the empty prompt: a prompt of no characters (`""`), which is a prompt like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.errors import UsageError
from engine.ingest.prompts import EVERY_TASK, default_side, has_sides, prompt_id
from engine.schema import PromptKind, PromptOrigin, PromptType, TemplateUse
from engine.sweep.record import experiment_name_of

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask


class Prompt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a prompt file: a text for one side of one task, and what its author says about it."""

    task_name: str
    prompt_type: PromptType | None = None
    """The side; null = the one that a prompt of the task usually stands before (`fit_prompts`)."""
    text: str
    kind: PromptKind | None = None
    """What it is made of; null = the documented rule says it."""
    generators: tuple[str, ...] | None = None
    """Who wrote it; null = not recorded."""
    note: str | None = None
    document_text: str | None = None
    """The documents' text where both sides have one."""

    @property
    def prompt_id(self) -> str:
        """The hash of side and exact text."""
        return prompt_id(self.side, self.text, self.document_text)

    @property
    def side(self) -> PromptType:
        """The side that it is put before.

        Raises:
            UsageError: Nobody has said yet.
        """
        if self.prompt_type is None:
            raise UsageError(
                f"The prompt {self.text!r} for {self.task_name} has no prompt_type; expected query, document, none or "
                "query+document. Add it to the prompt file."
            )
        return self.prompt_type


@dataclass(frozen=True)
class Part:
    """A piece of a string that enters the tokenizer, and what it is: `prompt`, `template` or `text`."""

    kind: str
    string: str


@dataclass(frozen=True)
class Prefix:
    """What stands before the texts of one side."""

    text: str | None
    origin: PromptOrigin
    instruction: str | None = None
    """The part of `text` that was set into the model's template; None = no template."""
    note: str | None = None
    """What whoever chose the prompt may not expect of it, as words after the prompt; None = nothing."""

    def before(self, text: str) -> str:
        """The string that enters the tokenizer."""
        return f"{self.text or ''}{text}"

    def parts(self, text: str) -> tuple[Part, ...]:
        """The same string, told apart; empty parts are left out."""
        before, prompt, after = "", self.text or "", ""
        if self.instruction is not None:
            before, prompt, after = prompt.partition(self.instruction) if self.instruction else (prompt, "", "")
        pieces = (("template", before), ("prompt", prompt), ("template", after), ("text", text))
        return tuple(Part(kind, string) for kind, string in pieces if string)


class TaskFacts(Protocol):
    """What of a task decides about its default prompts."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def task_type(self) -> str:
        """Its type, as mteb writes it."""

    @property
    def parts(self) -> Sequence[TaskFacts]:
        """The tasks that it is made of; none for most."""

    def build(self) -> AbsTask:
        """A fresh mteb task."""


class PromptStyle(Protocol):
    """How a model takes prompts."""

    def default(self, task: TaskFacts, side: PromptType) -> Prefix:
        """What stands before the texts of a side when nobody chooses."""

    def chosen(self, text: str, side: PromptType) -> Prefix:
        """What stands there for a study's prompt: the prompt itself, or the prompt in the model's template."""


@dataclass(frozen=True)
class PlainPrompts:
    """A model that takes a prompt as it is, and has these of its own, by mteb's keys."""

    prompts: Mapping[str, str] = field(default_factory=dict)

    def default(self, task: TaskFacts, side: PromptType) -> Prefix:
        """What mteb's lookup finds."""
        return default_prefix(self.prompts, task.name, task.task_type, side)

    def chosen(self, text: str, side: PromptType) -> Prefix:
        """The prompt itself."""
        return Prefix(text, PromptOrigin.STUDY)


@dataclass(frozen=True)
class Setting:
    """Everything about prompts that a run needs to know."""

    prefixes: Mapping[PromptType, Prefix]
    prompt: Prompt | None = None
    """The study's prompt; `None` for default settings."""

    @property
    def experiment_name(self) -> str:
        """MTEB's folder for this setting; empty for default settings."""
        return experiment_name_of(self.prompt.prompt_id) if self.prompt else ""

    @property
    def template_used(self) -> TemplateUse:
        """Whether a prompt was set into the model's template."""
        templated = any(prefix.instruction is not None for prefix in self.prefixes.values())
        return TemplateUse.YES if templated else TemplateUse.NO

    @property
    def experiment_kwargs(self) -> dict[str, object] | None:
        """The study's prompt by mteb's keys, as `model_meta.json` keeps it; None for default settings.

        Only what the study chose stands here: it is what makes two runs the same experiment. What the
        model's own defaults put before the other side is in the run's record. The prompt's hash comes
        along because mteb turns these settings into a name in which `Label:` and `Label?` are the same.
        """
        return None if self.prompt is None else {"prompts": self.keyed_prompts, "prompt_id": self.prompt.prompt_id}

    @property
    def keyed_prompts(self) -> dict[str, str] | None:
        """The study's texts by mteb's keys; None for default settings."""
        if self.prompt is None:
            return None
        task, texts = self.prompt.task_name, _texts_by_side(self.prompt)
        return {task if side is PromptType.NONE else f"{task}-{side}": text for side, text in texts.items()}


def sides_of(task_name: str, task_type: str) -> tuple[PromptType, ...]:
    """The sides that mteb tells apart in a task."""
    return (PromptType.QUERY, PromptType.DOCUMENT) if has_sides(task_name, task_type) else (PromptType.NONE,)


def default_prefix(model_prompts: Mapping[str, str], task_name: str, task_type: str, side: PromptType) -> Prefix:
    """What mteb's lookup finds for one side among a model's own prompts: the first key present wins, even if empty.

    Source: `get_prompt_name` in `mteb/models/abs_encoder.py`, mteb 2.26.24. Texts of a symmetric task
    have no prompt type there, so a model's `query` and `document` prompts do not reach them.
    """
    of_task = (f"{task_name}-{side}", task_name, f"{task_type}-{side}", task_type, str(side))
    keys = (task_name, task_type) if side is PromptType.NONE else of_task
    for key in keys:
        if key in model_prompts:
            return Prefix(model_prompts[key], PromptOrigin.MODEL)
    return Prefix(None, PromptOrigin.NONE)


def default_setting(style: PromptStyle, task: TaskFacts) -> Setting:
    """The run that nobody chose a prompt for."""
    return Setting({side: _default(style, task, side) for side in sides_of(task.name, task.task_type)})


def _default(style: PromptStyle, task: TaskFacts, side: PromptType) -> Prefix:
    """A model's default on a side; of a task that is made of others, theirs, since mteb looks prompts up for those."""
    found = {style.default(each, side): each.name for each in task.parts or (task,)}
    if len(found) > 1:
        apart = ", ".join(f"{prefix.text!r} on {name}" for prefix, name in list(found.items())[:2])
        raise UsageError(
            f"{task.name} is made of tasks on which the model's default prompts differ ({apart}); expected one for "
            "all. Name those tasks instead."
        )
    return next(iter(found))


def prompt_setting(style: PromptStyle, task: TaskFacts, prompt: Prompt) -> Setting:
    """The run with a study's prompt: exactly its text on its side, the model's own default on the other.

    Raises:
        UsageError: The prompt is for a side that tasks of this type do not have.
    """
    sides = sides_of(task.name, task.task_type)
    chosen = {side: style.chosen(text, side) for side, text in _texts_by_side(prompt).items()}
    if not chosen.keys() <= set(sides):
        raise UsageError(
            f"The prompt {prompt.text!r} for {prompt.task_name} is for the side {str(prompt.prompt_type)!r}; a "
            f"{task.task_type} task has {[str(side) for side in sides]}. Change prompt_type in the prompt file."
        )
    return Setting({side: chosen.get(side) or _default(style, task, side) for side in sides}, prompt)


def _texts_by_side(prompt: Prompt) -> dict[PromptType, str]:
    if prompt.side is not PromptType.BOTH:
        return {prompt.side: prompt.text}
    if prompt.document_text is None:
        raise UsageError(
            f"The prompt {prompt.text!r} for {prompt.task_name} is for queries and documents and has no document_text; "
            'expected one, which may be "". Add it to the prompt file, or make the prompt one for queries.'
        )
    return {PromptType.QUERY: prompt.text, PromptType.DOCUMENT: prompt.document_text}


def fit_prompts(prompts: Sequence[Prompt], task_types: Mapping[str, str]) -> tuple[Prompt, ...]:
    """The prompts with a side: their own, or the usual one of their task; of unknown tasks only those with their own.

    Args:
        prompts: As files have them.
        task_types: Type by task.
    """
    fitted = []
    for prompt in _of_each_task(prompts, task_types):
        if prompt.prompt_type is None and prompt.task_name in task_types:
            side = default_side(prompt.task_name, task_types[prompt.task_name])
            prompt = msgspec.structs.replace(prompt, prompt_type=side)  # noqa: PLW2901 - the same prompt, completed
        if prompt.prompt_type is not None:
            fitted.append(prompt)
    return tuple(fitted)


def _of_each_task(prompts: Sequence[Prompt], task_types: Mapping[str, str]) -> Iterator[Prompt]:
    """The prompts, each one for every task as many prompts of one task."""
    for prompt in prompts:
        if prompt.task_name != EVERY_TASK:
            yield prompt
        else:
            yield from (msgspec.structs.replace(prompt, task_name=task) for task in task_types)


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """The prompts of a file: JSON Lines, one record a line; or the prompt study's form, one list of records.

    Raises:
        UsageError: The file cannot be read, or a record is not a prompt; the message names it.
    """
    try:
        content = path.read_bytes()
        is_list = content.lstrip()[:1] == b"["
        entries = msgspec.json.decode(content) if is_list else [line for line in content.split(b"\n") if line.strip()]
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(
            f"{path} cannot be read as prompts ({error}); expected one JSON object a line with task_name, text and "
            "where known prompt_type and kind. Correct the file."
        ) from error
    return tuple(_prompt(path, number, entry) for number, entry in enumerate(entries, start=1))


def _prompt(path: Path, number: int, entry: object) -> Prompt:
    try:
        read = msgspec.json.decode(entry) if isinstance(entry, bytes) else entry
        renamed = {"text": read["prompt_text"], **read} if isinstance(read, dict) and "prompt_text" in read else read
        return msgspec.convert(renamed, Prompt)
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{path}, prompt {number}: {error}; expected task_name and text, and where known prompt_type "
            f"({', '.join(PromptType)}), kind, generators, note. Correct the file."
        ) from error


def encode_prompts(prompts: tuple[Prompt, ...]) -> str:
    """Prompts as JSON Lines."""
    return msgspec.json.Encoder().encode_lines(prompts).decode("utf-8")
