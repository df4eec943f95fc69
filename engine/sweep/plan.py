"""What a sweep would do: its runs in order, what of them exists, and what is left to encode.

Planning looks at files only. No model and no mteb is loaded for it, so a sweep with nothing left to
do costs next to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import SourceError, UsageError
from engine.schema import PromptType
from engine.sweep.encoders import Compute, Encoder
from engine.sweep.prompting import Prompt, PromptStyle, Setting, default_setting, prompt_setting
from engine.sweep.record import read_record, record_path, result_path

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask

TextsBySide = Mapping[PromptType, Sequence[str]]


@dataclass(frozen=True)
class SweepModel:
    """A model that a sweep can load."""

    name: str
    revision: str
    style: PromptStyle
    """How it takes prompts, and its own ones."""
    active_parameters: int
    """Parameters that work on every token, embeddings left out: what a token costs, relative to other models."""
    load: Callable[[Compute], Encoder]
    describe: Callable[[], Mapping[str, Any]]
    """Fields of mteb's `ModelMeta` as `model_meta.json` keeps them."""


@dataclass(frozen=True)
class SweepTask:
    """A task that a sweep can score on."""

    name: str
    task_type: str
    dataset_revision: str
    build: Callable[[], AbsTask]
    """A fresh mteb task each time: the random state of one that has scored has moved on."""
    described: Mapping[str, Any] | None = None
    """The task as `tasks.json` has it; None for one that mteb itself describes."""
    notes: tuple[str, ...] = ()
    """What was detected and set aside when it was read, in words."""
    parts: tuple[SweepTask, ...] = ()
    """The tasks that mteb makes it of; none for most."""


@dataclass(frozen=True)
class PlannedRun:
    """One model on one task with one setting, and where its result goes."""

    model: SweepModel
    task: SweepTask
    setting: Setting
    result: Path

    @property
    def prompt_text(self) -> str | None:
        """The study's prompt; None for default settings."""
        return self.setting.prompt.text if self.setting.prompt else None

    @cached_property
    def exists(self) -> bool:
        """True when result and record are both there, complete, and made from the data as it is now."""
        try:
            record = read_record(record_path(self.result))
            stored = json.loads(self.result.read_bytes())
        except (SourceError, OSError, ValueError):
            return False
        strings = {side: prefix.text for side, prefix in self.setting.prefixes.items()}
        same_data = isinstance(stored, dict) and stored.get("dataset_revision") == self.task.dataset_revision
        return same_data and record.strings == strings

    def strings(self, texts: TextsBySide) -> dict[str, None]:
        """The distinct strings that enter the tokenizer, in order of first use, given the task's texts."""
        return dict.fromkeys(
            prefix.before(text) for side, prefix in self.setting.prefixes.items() for text in texts.get(side, ())
        )


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep, ordered by model so that each is loaded once, then by task."""

    folder: Path
    runs: tuple[PlannedRun, ...]

    @cached_property
    def missing(self) -> tuple[PlannedRun, ...]:
        """The runs that are still to be done."""
        return tuple(run for run in self.runs if not run.exists)

    @property
    def n_existing(self) -> int:
        """How many runs are there already."""
        return len(self.runs) - len(self.missing)


def plan_sweep(
    folder: Path, models: Iterable[SweepModel], tasks: Sequence[SweepTask], prompts: Sequence[Prompt]
) -> Plan:
    """The plan of all models × tasks × (default settings and each of the task's prompts).

    Raises:
        UsageError: A prompt is for a task or a side that is not there.
    """
    unknown = {prompt.task_name for prompt in prompts} - {task.name for task in tasks}
    if unknown:
        raise UsageError(
            f"Prompts are for the tasks {sorted(unknown)}; the sweep has {[task.name for task in tasks]}. "
            "Add the tasks or leave out their prompts."
        )
    runs = tuple(
        PlannedRun(model, task, setting, _place(folder, model, task, setting))
        for model in models
        for task in tasks
        for setting in _settings(model, task, prompts)
    )
    return Plan(folder, runs)


def _settings(model: SweepModel, task: SweepTask, prompts: Sequence[Prompt]) -> list[Setting]:
    of_task = dict.fromkeys(prompt for prompt in prompts if prompt.task_name == task.name)
    return [
        default_setting(model.style, task),
        *(prompt_setting(model.style, task, prompt) for prompt in of_task),
    ]


def _place(folder: Path, model: SweepModel, task: SweepTask, setting: Setting) -> Path:
    return result_path(folder, model.name, model.revision, setting.experiment_name, task.name)
