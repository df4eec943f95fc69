"""Finds a task by what people call it: a file or folder of one's own, or a name of mteb's.

`limit` keeps a random part of each row's texts, for a first look. Its results say so in the revision of the data
(`…+limit100.seed42`), so that they are compared with full ones nowhere without a warning, and are run anew when the
limit changes.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from engine.errors import TaskUnavailable
from engine.sweep.limits import documents_for, limit_mark, some
from engine.sweep.local_task import Content, Labelled, LocalTask, Search, expect_spread
from engine.sweep.mteb_tasks import is_registered, mteb_task
from engine.sweep.plan import SweepTask
from engine.sweep.user_tasks import read_user_task

TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson")


def find_task(reference: str, *, limit: int | None = None, seed: int = 0) -> SweepTask:
    """The task of that name.

    Args:
        reference: The name of an mteb task, or a file or folder of one's own; a bare name is mteb's where mteb has it.
        limit: At most so many queries, pairs or texts of each row; None = all.
        seed: Draws them.

    Raises:
        TaskUnavailable: There is no such task, or it is not about texts.
    """
    path = Path(reference).expanduser()
    whole, sign, _ = reference.partition(":")
    if sign and not path.exists():
        raise TaskUnavailable(
            f"{reference!r} names a part of a task; expected a whole one, since a sweep runs every split and subset "
            f"that mteb scores. Name {whole}, and choose rows where results are shown."
        )
    is_path = "/" in reference or path.suffix.lower() in TABLES
    if is_path and not path.exists():
        raise TaskUnavailable(f"No file or folder {reference!r}. Check the path.")
    if is_path or (path.exists() and not is_registered(reference)):
        found = read_user_task(path.resolve(), seed)
        return limit_task(found.task, limit, seed).sweep_task(found.in_words)
    return mteb_task(reference, limit, seed)


def limit_task(task: LocalTask, limit: int | None, seed: int) -> LocalTask:
    """The task with at most so many queries, pairs or texts a row.

    Raises:
        TaskUnavailable: What is left are pairs that are all judged alike.
    """
    if limit is None:
        return task
    content = {subset: _cut(each, limit, random.Random(f"{seed} {subset}")) for subset, each in task.content.items()}
    limited = replace(task, content=content, limit_mark=limit_mark(limit, seed))
    expect_spread(limited)
    return limited


def _cut(content: Content, limit: int, generator: random.Random) -> Content:
    if isinstance(content, Labelled):
        return Labelled(content.train, some(content.test, limit, generator))
    if not isinstance(content, Search):
        return some(content, limit, generator)
    queries = some(list(content.queries), limit, generator)
    kept = documents_for(queries, content.relevant, list(content.documents), generator)
    return Search(
        {name: content.queries[name] for name in queries},
        {name: document for name, document in content.documents.items() if name in kept},
        {name: content.relevant[name] for name in queries},
    )
