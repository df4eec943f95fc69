"""Tasks of mteb's by name: their data is had once, and what cannot be had is said in one line.

Each run gets a fresh task, as mteb would make it. The data of the task that was loaded last is kept, and a copy of
it handed to the next fresh one together with the state of its random generator: loading takes longer than scoring,
and a sweep of K prompts asks for the same task K times.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from engine.errors import TaskUnavailable, names_like
from engine.sweep.hub import why_not_to_be_had
from engine.sweep.libraries import prepare_libraries
from engine.sweep.limits import cut_dataset, limit_mark
from engine.sweep.plan import SweepTask

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask


def is_registered(name: str) -> bool:
    """Whether mteb registers a task of that name."""
    prepare_libraries()
    from mteb.get_tasks import _TASKS_REGISTRY

    return name in _TASKS_REGISTRY


def mteb_task(name: str, limit: int | None, seed: int) -> SweepTask:
    """The task that mteb registers under a name.

    Raises:
        TaskUnavailable: mteb registers none, or it is not about texts alone.
    """
    prepare_libraries()
    import mteb
    from mteb.get_tasks import _TASKS_REGISTRY

    if name not in _TASKS_REGISTRY:
        known = sorted(_TASKS_REGISTRY)
        raise TaskUnavailable(f"mteb has no task {name!r}; names like it: {names_like(name, known)}.")
    task: Any = mteb.get_task(name)
    metadata = task.metadata
    if metadata.modalities != ["text"]:
        kinds = ", ".join(metadata.modalities)
        raise TaskUnavailable(f"{name} is about {kinds}; expected a task about texts alone. Leave it out.")
    revision = str(metadata.dataset["revision"]) + ("" if limit is None else limit_mark(limit, seed))
    parts = tuple(mteb_task(each.metadata.name, limit, seed) for each in _parts(task) if each is not task)
    return SweepTask(name, metadata.type, revision, _Build(name, limit, seed), parts=parts)


def _parts(task: Any) -> list[Any]:
    """The tasks that a task is made of; of most, itself alone."""
    return list(task.metadata.tasks) if task.is_aggregate else [task]


def _fresh(name: str) -> Any:
    """A task as nobody has used it yet: of one made of others, mteb hands out the same objects each time."""
    import mteb

    task: Any = mteb.get_task(name)
    if task.is_aggregate:
        task.metadata = task.metadata.model_copy(update={"tasks": deepcopy(_parts(task))})
        task.tasks = task.metadata.tasks
    return task


class _Build:
    """Makes fresh tasks of one name."""

    def __init__(self, name: str, limit: int | None, seed: int) -> None:
        self.name, self.limit, self.seed = name, limit, seed
        self._refusal: TaskUnavailable | None = None

    def __call__(self) -> AbsTask:
        """A fresh task that takes its data when it is asked to load it."""
        task = _fresh(self.name)
        for part in _parts(task):
            part.load_data = partial(self._hand_over, part)
        for each in (task, *_parts(task)) if task.is_aggregate else (task,):
            self._mark(each)
        return task  # type: ignore[no-any-return]

    def _mark(self, task: Any) -> None:
        """Have a limited task say so in the revision of its data."""
        if self.limit is not None:
            dataset = task.metadata.dataset
            marked = {**dataset, "revision": f"{dataset['revision']}{limit_mark(self.limit, self.seed)}"}
            task.metadata = task.metadata.model_copy(update={"dataset": marked})

    def _hand_over(self, task: Any, *_: Any, **__: Any) -> None:
        if task.data_loaded:
            return
        if self._refusal:
            raise self._refusal
        try:
            loaded = self._loaded(task.metadata.name)
        except Exception as error:
            # Loaders of outside data raise whatever they like, after long waits: once is enough.
            self._refusal = TaskUnavailable(f"{self.name} cannot be had: {_why(error)}")
            raise self._refusal from error
        kept = {name: value for name, value in vars(loaded).items() if name not in ("rng_state", "metadata")}
        vars(task).update(deepcopy(kept))
        task.rng_state.setstate(loaded.rng_state.getstate())

    def _loaded(self, name: str) -> Any:
        """The task, or the one of that name that it is made of, with its data."""
        kept = _kept(self)
        if name not in kept:
            task = next(each for each in _parts(_fresh(self.name)) if each.metadata.name == name)
            task.load_data()
            if hasattr(task, "convert_v1_dataset_format_to_v2"):
                task.convert_v1_dataset_format_to_v2(None)
            if self.limit is not None:
                cut_dataset(task, self.limit, self.seed)
            kept[name] = task
        return kept[name]


@lru_cache(maxsize=1)
def _kept(_: _Build) -> dict[str, AbsTask]:
    """What was loaded for a task, by name; of the task that was asked for last."""
    return {}


def _why(error: Exception) -> str:
    """The cause in one line, and the next step."""
    words = " ".join(str(error).split()) or type(error).__name__
    other = f"{type(error).__name__}: {words[:200]}. Leave it out, or look at its data set."
    return why_not_to_be_had(error) or other
