"""Finds a task by what people call it: a file or folder of one's own, or a name of mteb's.

`limit` keeps a random part of each row's texts, for a first look. Its results say so in the revision of the data
(`…+limit100.seed42`), so that they are compared with full ones nowhere without a warning, and are run anew when the
limit changes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import TaskUnavailable, names_like
from engine.schema import LIMIT_SIGN
from engine.sweep.libraries import prepare_libraries
from engine.sweep.local_task import Content, Labelled, LocalTask, Search
from engine.sweep.plan import SweepTask
from engine.sweep.user_tasks import read_user_task

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask

DISTRACTORS = 10
"""Documents beside the relevant ones that are kept for each query of a limited retrieval task."""


def find_task(reference: str, *, limit: int | None = None, seed: int = 0) -> SweepTask:
    """The task of that name.

    Args:
        reference: A file or folder of one's own, or the name of an mteb task.
        limit: At most so many queries, pairs or texts of each row; None = all.
        seed: Draws them.

    Raises:
        TaskUnavailable: There is no such task, or it is not about texts.
    """
    path = Path(reference).expanduser()
    if path.exists():
        return limit_task(read_user_task(path.resolve(), seed).task, limit, seed).sweep_task()
    if "/" in reference or path.suffix in (".csv", ".tsv", ".jsonl"):
        raise TaskUnavailable(f"No file or folder {reference!r}. Check the path.")
    return _of_mteb(reference, limit, seed)


def limit_task(task: LocalTask, limit: int | None, seed: int) -> LocalTask:
    """The task with at most so many queries, pairs or texts a row."""
    if limit is None:
        return task
    content = {subset: _cut(each, limit, random.Random(f"{seed} {subset}")) for subset, each in task.content.items()}
    return replace(task, content=content, limit_mark=limit_mark(limit, seed))


def limit_mark(limit: int, seed: int) -> str:
    """What a limited task's revision of the data ends in."""
    return f"{LIMIT_SIGN}{limit}.seed{seed}"


def _cut(content: Content, limit: int, generator: random.Random) -> Content:
    if isinstance(content, Labelled):
        return Labelled(content.train, _some(content.test, limit, generator))
    if not isinstance(content, Search):
        return _some(content, limit, generator)
    queries = _some(list(content.queries), limit, generator)
    kept = _documents_for(queries, content.relevant, list(content.documents), generator)
    return Search(
        {name: content.queries[name] for name in queries},
        {name: document for name, document in content.documents.items() if name in kept},
        {name: content.relevant[name] for name in queries},
    )


def _some(values: Sequence[Any], limit: int, generator: random.Random) -> list[Any]:
    """At most so many values, in their order."""
    chosen = sorted(generator.sample(range(len(values)), min(limit, len(values))))
    return [values[at] for at in chosen]


def _documents_for(
    queries: Sequence[str], relevant: Mapping[str, Any], documents: Sequence[str], generator: random.Random
) -> set[str]:
    """The relevant documents of some queries, and ten others a query."""
    return {name for query in queries for name in relevant[query]} | set(
        _some(documents, DISTRACTORS * len(queries), generator)
    )


def _of_mteb(name: str, limit: int | None, seed: int) -> SweepTask:
    prepare_libraries()
    import mteb
    from mteb.get_tasks import _TASKS_REGISTRY

    if name not in _TASKS_REGISTRY:
        known = sorted(_TASKS_REGISTRY)
        raise TaskUnavailable(f"mteb has no task {name!r}; names like it: {names_like(name, known)}.")
    metadata = mteb.get_task(name).metadata
    if "text" not in metadata.modalities or len(metadata.modalities) > 1:
        kinds = ", ".join(metadata.modalities)
        raise TaskUnavailable(f"{name} is about {kinds}; expected a task about texts alone. Leave it out.")
    revision = str(metadata.dataset["revision"])
    if limit is None:
        return SweepTask(name, metadata.type, revision, partial(mteb.get_task, name))
    mark = limit_mark(limit, seed)
    return SweepTask(name, metadata.type, f"{revision}{mark}", partial(_build_limited, name, limit, seed, mark))


def _build_limited(name: str, limit: int, seed: int, mark: str) -> AbsTask:
    """An mteb task that keeps a part of its data as soon as it has loaded it."""
    import mteb

    task: Any = mteb.get_task(name)
    dataset = {**task.metadata.dataset, "revision": f"{task.metadata.dataset['revision']}{mark}"}
    load = task.load_data

    def load_some(*arguments: Any, **options: Any) -> None:
        if task.data_loaded:
            return
        # The mark must not reach the loader, which asks the hub for that revision.
        task.metadata = plain
        load(*arguments, **options)
        task.metadata = marked
        if hasattr(task, "convert_v1_dataset_format_to_v2"):
            task.convert_v1_dataset_format_to_v2(None)
        _cut_dataset(task, limit, seed)

    plain, marked = task.metadata, task.metadata.model_copy(update={"dataset": dataset})
    task.metadata, task.load_data = marked, load_some
    return task  # type: ignore[no-any-return]


def _cut_dataset(task: Any, limit: int, seed: int) -> None:
    subsets = task.dataset if set(task.dataset) & set(task.hf_subsets) else {"default": task.dataset}
    for subset, splits in subsets.items():
        for split in task.metadata.eval_splits:
            if split in splits:
                splits[split] = _cut_split(splits[split], limit, random.Random(f"{seed} {subset} {split}"))


def _cut_split(rows: Any, limit: int, generator: random.Random) -> Any:
    if not (isinstance(rows, Mapping) and "queries" in rows):
        return rows.select(_some(range(len(rows)), limit, generator))
    relevant = rows["relevant_docs"]
    asked = [name for name in rows["queries"]["id"] if any(grade > 0 for grade in relevant.get(name, {}).values())]
    queries = set(_some(asked, limit, generator))
    kept = _documents_for(sorted(queries), relevant, list(rows["corpus"]["id"]), generator)
    top = rows.get("top_ranked")
    kept |= {name for query in queries for name in (top or {}).get(query, ())}
    return {
        **rows,
        "queries": rows["queries"].filter(lambda row: row["id"] in queries),
        "corpus": rows["corpus"].filter(lambda row: row["id"] in kept),
        "relevant_docs": {query: relevant[query] for query in relevant if query in queries},
        "top_ranked": top and {query: names for query, names in top.items() if query in queries},
    }
