"""From a study's names to what can run: models, tasks and prompts that exist here, and one line for each that does not.

One bad entry never stops the rest. Bundled models and the demo's tasks are found first, then whatever mteb, the
disk or a hub has under the name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.errors import ModelUnavailable, UsageError, cause_in_one_line
from engine.settings import Settings
from engine.study.board import Refusal
from engine.study.file import ModelEntry, Study, is_there
from engine.study.shards import Shard
from engine.sweep.plan import Plan, PlannedRun, SweepModel, SweepTask, plan_sweep
from engine.sweep.prompting import Prompt, fit_prompts, read_prompts

EVERYTHING_BUNDLED = "demo"
"""The name that stands for all bundled models, or for all of the demo's tasks."""

_Found = TypeVar("_Found")
_Named = TypeVar("_Named", SweepModel, SweepTask)


@dataclass(frozen=True)
class Resolved:
    """What of a study can run here."""

    study: Study
    plan: Plan
    models: Mapping[str, SweepModel]
    """by the study's entry"""
    tasks: Mapping[str, SweepTask]
    prompts: Mapping[str, tuple[Prompt, ...]]
    refused: tuple[Refusal, ...]


def study_folder(settings: Settings, study: Study) -> Path:
    """The sweep folder of a study: a source of the same name."""
    return settings.results / "sweeps" / study.source_name


def find_model(settings: Settings, entry: ModelEntry) -> SweepModel:
    """The model of that name: a bundled one, by its name with or without the part before the slash, or any other.

    Raises:
        ModelUnavailable: It cannot be found or had here.
    """
    bundled = _bundled(settings, entry.name)
    if bundled and entry.revision not in (None, bundled.revision):
        raise ModelUnavailable(
            f"{bundled.name} is here in revision {bundled.revision}; expected {entry.revision}. Install the package "
            "that brings it, or name no revision."
        )
    if bundled:
        return bundled
    from engine.sweep import models

    return models.find_model(entry.name, entry.revision, trust_remote_code=entry.trust_remote_code)


def _bundled(settings: Settings, name: str) -> SweepModel | None:
    """The bundled model of that name."""
    from engine.demo.models import bundled_models

    models = bundled_models(settings, quick=False)
    return next((each for each in models if name in (each.name, each.name.rpartition("/")[2])), None)


def find_task(reference: str, study: Study) -> SweepTask:
    """The task of that name: one of the demo's, one of mteb's, or a file or folder.

    Raises:
        TaskUnavailable: There is none.
    """
    from engine.demo.tasks import local_tasks
    from engine.sweep import tasks

    for task in local_tasks():
        if task.name == reference:
            return tasks.limit_task(task, study.limit, study.seed).sweep_task()
    return tasks.find_task(reference, limit=study.limit, seed=study.seed)


def resolve(
    settings: Settings, study: Study, shard: Shard | None = None, pins: Mapping[str, str] | None = None
) -> Resolved:
    """What of a study can run here, and in one line each what cannot.

    Args:
        settings: Whose data folder.
        study: What to run.
        shard: The part of the plan to keep; all where None.
        pins: Revisions of models by entry, for entries that name none: those of a lock.
    """
    refused: list[Refusal] = []
    entries = _pinned(settings, _expanded_models(settings, study), pins or {})
    models = _each("model", {each.name: each for each in entries}, lambda entry: find_model(settings, entry), refused)
    references = _expanded_tasks(study)
    tasks = _each("task", {each: each for each in references}, lambda name: find_task(name, study), refused)
    models = _one_a_name("model", models, lambda model: model.revision, refused)
    tasks = _one_a_name("task", tasks, lambda task: task.dataset_revision, refused)
    prompts = _each("prompt", {each: each for each in study.prompts}, lambda name: _prompts(settings, name), refused)
    types = {task.name: task.task_type for task in tasks.values()}
    prompts = {name: fit_prompts(texts, types) for name, texts in prompts.items()}
    _refuse_idle_prompts(prompts, tasks, refused)
    folder = study_folder(settings, study)
    part, runs = shard or Shard(), list[PlannedRun]()
    for model_at, entry in enumerate(entries):
        for task_at, reference in enumerate(references):
            if entry.name in models and reference in tasks:
                cell = _cell(folder, models[entry.name], tasks[reference], prompts, refused)
                runs += cell if part.holds(model_at, task_at, len(entries), len(references)) else ()
    return Resolved(study, Plan(folder, tuple(runs)), models, tasks, prompts, tuple(dict.fromkeys(refused)))


def prompt_sets(settings: Settings) -> dict[str, Path]:
    """Prompt files by name: the project's, then those of this data folder, which win."""
    folders = (settings.prompts, settings.own_prompts)
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.jsonl"))}


def _expanded_models(settings: Settings, study: Study) -> list[ModelEntry]:
    from engine.demo.models import bundled_models

    entries: list[ModelEntry] = []
    for entry in study.models:
        if entry.name == EVERYTHING_BUNDLED:
            entries += [ModelEntry(model.name) for model in bundled_models(settings, quick=False)]
        else:
            entries.append(entry)
    return list({entry.name: entry for entry in entries}.values())


def _pinned(settings: Settings, entries: Sequence[ModelEntry], pins: Mapping[str, str]) -> list[ModelEntry]:
    """The entries with the revisions to look up; what is here in one revision alone is compared with its pin later."""
    return [
        entry if entry.revision or entry.name not in pins or _is_one_revision(settings, entry.name)
        else ModelEntry(entry.name, pins[entry.name], entry.trust_remote_code)
        for entry in entries
    ]  # fmt: skip


def _is_one_revision(settings: Settings, name: str) -> bool:
    """The name is that of a folder or of a bundled model."""
    return Path(name).expanduser().is_dir() or _bundled(settings, name) is not None


def _expanded_tasks(study: Study) -> list[str]:
    from engine.demo.tasks import local_tasks

    names: list[str] = []
    for name in study.tasks:
        names += [task.name for task in local_tasks()] if name == EVERYTHING_BUNDLED else [name]
    return list(dict.fromkeys(names))


def _each(
    what: str, wanted: Mapping[str, object], find: Callable[..., _Found], refused: list[Refusal]
) -> dict[str, _Found]:
    """What was found, by name; what was not is refused with its reason."""
    found = {}
    for name, entry in wanted.items():
        try:
            found[name] = find(entry)
        except Exception as error:
            # Loaders of outside models and data sets raise whatever they like; each costs its own entry alone.
            refused.append(Refusal(what, name, cause_in_one_line(error)))
    return found


def _one_a_name(
    what: str, found: Mapping[str, _Named], revision_of: Callable[[_Named], str], refused: list[Refusal]
) -> dict[str, _Named]:
    """The same, each once: results are filed by name, so two folders or files of one name would share theirs."""
    kept: dict[str, tuple[str, _Named]] = {}
    for entry, each in found.items():
        first, other = kept.setdefault(each.name, (entry, each))
        if revision_of(other) != revision_of(each):
            reason = f"It goes by the name {each.name}, as {first} does; expected another name. Rename one of them."
            refused.append(Refusal(what, entry, reason))
    return dict(kept.values())


def _prompts(settings: Settings, name: str) -> tuple[Prompt, ...]:
    known = prompt_sets(settings)
    path = known.get(name, Path(name))
    if name not in known and not (is_there(path) and path.is_file()):
        raise UsageError(f"No prompt set {name!r}; there are {', '.join(known) or 'none'}, or give a file's path.")
    return read_prompts(path)


def _refuse_idle_prompts(
    prompts: Mapping[str, tuple[Prompt, ...]], tasks: Mapping[str, SweepTask], refused: list[Refusal]
) -> None:
    names = {task.name for task in tasks.values()}
    for name, texts in prompts.items():
        if not any(prompt.task_name in names for prompt in texts):
            reason = f"None of its {len(texts)} prompts is for a task of this study ({', '.join(sorted(names))})."
            refused.append(Refusal("prompt", name, reason))


def _cell(
    folder: Path,
    model: SweepModel,
    task: SweepTask,
    prompts: Mapping[str, tuple[Prompt, ...]],
    refused: list[Refusal],
) -> list[PlannedRun]:
    """The runs of one model on one task: default settings, then each prompt that fits."""
    runs: dict[Path, PlannedRun] = {}
    said: set[str] = set()
    for chosen in ((), *((prompt,) for texts in prompts.values() for prompt in texts if prompt.task_name == task.name)):
        try:
            planned = plan_sweep(folder, [model], [task], chosen).runs
        except Exception as error:
            what, name = ("prompt", chosen[0].text) if chosen else ("model", f"{model.name} on {task.name}")
            reason = cause_in_one_line(error)
            # What is wrong with the model is no fault of each prompt, too.
            refused += [] if reason in said else [Refusal(what, name, reason)]
            said.add(reason)
        else:
            runs.update((run.result, run) for run in planned)
    return list(runs.values())
