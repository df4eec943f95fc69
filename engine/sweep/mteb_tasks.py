"""Tasks of mteb's by name: their data is had once, and what cannot be had is said in one line.

Each run gets a fresh task, as mteb would make it. The data of the task that was loaded last is kept, and a copy of
it handed to the next fresh one together with the state of its random generator: loading takes longer than scoring,
and a sweep of K prompts asks for the same task K times.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.errors import TaskUnavailable, names_like
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
        TaskUnavailable: mteb registers none, or it is not about texts alone, or it cannot be limited.
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
    if task.is_aggregate and limit is not None:
        parts = names_like("", (each.metadata.name for each in metadata.tasks))
        raise TaskUnavailable(f"{name} is made of others and cannot be limited; name those: {parts}.")
    revision = str(metadata.dataset["revision"]) + ("" if limit is None else limit_mark(limit, seed))
    build = mteb.get_task if task.is_aggregate else _Build(name, revision, limit, seed)
    return SweepTask(name, metadata.type, revision, lambda: build(name))


class _Build:
    """Makes fresh tasks of one name."""

    def __init__(self, name: str, revision: str, limit: int | None, seed: int) -> None:
        self.name, self.revision, self.limit, self.seed = name, revision, limit, seed
        self._refusal: TaskUnavailable | None = None

    def __call__(self, name: str) -> AbsTask:
        """A fresh task that takes its data when it is asked to load it."""
        import mteb

        task: Any = mteb.get_task(name)
        dataset = {**task.metadata.dataset, "revision": self.revision}
        task.metadata = task.metadata.model_copy(update={"dataset": dataset})

        def load_data(*_: Any, **__: Any) -> None:
            if not task.data_loaded:
                self._hand_over(task)

        task.load_data = load_data
        return task  # type: ignore[no-any-return]

    def _hand_over(self, task: Any) -> None:
        if self._refusal:
            raise self._refusal
        try:
            loaded = _loaded(self)
        except Exception as error:
            # Loaders of outside data raise whatever they like, after long waits: once is enough.
            self._refusal = TaskUnavailable(f"{self.name} cannot be had: {_why(error)}")
            raise self._refusal from error
        kept = {name: value for name, value in vars(loaded).items() if name not in ("rng_state", "metadata")}
        vars(task).update(deepcopy(kept))
        task.rng_state.setstate(loaded.rng_state.getstate())


@lru_cache(maxsize=1)
def _loaded(build: _Build) -> AbsTask:
    """A task with its data."""
    import mteb

    task: Any = mteb.get_task(build.name)
    task.load_data()
    if hasattr(task, "convert_v1_dataset_format_to_v2"):
        task.convert_v1_dataset_format_to_v2(None)
    if build.limit is not None:
        cut_dataset(task, build.limit, build.seed)
    return task  # type: ignore[no-any-return]


def _why(error: Exception) -> str:
    """The cause in one line, and the next step."""
    words = " ".join(str(error).split()) or type(error).__name__
    kinds = {type(each).__name__ for each in _causes(error)}
    if "GatedRepoError" in kinds or "gated" in words:
        return "its owner asks for consent first. Agree on its page on the hub, and log in with `hf auth login`."
    if kinds & {"ConnectionError", "LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectTimeout", "ConnectError"}:
        return "its data is not here, and the hub cannot be reached. Go online once, or copy the hub's cache here."
    if kinds & {"RepositoryNotFoundError", "DatasetNotFoundError"}:
        return "the hub has no such data set, or keeps it private. Log in with `hf auth login`, or leave the task out."
    return f"{type(error).__name__}: {words[:200]}. Leave it out, or look at its data set."


def _causes(error: BaseException | None) -> list[BaseException]:
    causes: list[BaseException] = []
    while error is not None and error not in causes:
        causes.append(error)
        error = error.__cause__ or error.__context__
    return causes
