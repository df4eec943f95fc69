"""Tasks that mteb does not know, as a source's own `tasks.json` describes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from engine.ingest.harvest import TASK_ROW_FRAME
from engine.schema import TASKS

NAME = "tasks.json"


@dataclass(frozen=True)
class LocalTasks:
    """A source's own tasks and their rows."""

    tasks: pl.DataFrame
    rows: pl.DataFrame

    @property
    def types(self) -> dict[str, str | None]:
        """Task types by name."""
        return dict(self.tasks.select("task_name", "task_type").iter_rows())


def read_local_tasks(source_path: Path, rejects: list[tuple[str, str, str]]) -> LocalTasks:
    """The tasks of a source's `tasks.json`: a list of objects with the columns of TASKS, each with its `rows`.

    Columns that an object lacks are unknown. What cannot be read is added to `rejects`.
    """
    tasks: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    path = source_path / NAME
    if path.is_file():
        try:
            described = json.loads(path.read_bytes())
            for task in described:
                known = {name: task.get(name) for name in TASKS.schema}
                tasks.append({**known, "task_name": str(task["task_name"]), "described_by": "source"})
                rows += [
                    {**{name: row.get(name) for name in TASK_ROW_FRAME}, "task_name": str(task["task_name"])}
                    for row in task.get("rows", [])
                ]
            return LocalTasks(pl.DataFrame(tasks, schema=TASKS.schema), pl.DataFrame(rows, schema=TASK_ROW_FRAME))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
            rejects.append((NAME, "", f"{error!r}; expected a list of tasks with their rows. Run the sweep again."))
    return LocalTasks(TASKS.schema.to_frame(), TASK_ROW_FRAME.to_frame())
