"""Tasks that mteb does not know, as a source's own `tasks.json` describes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Any

import msgspec
import polars as pl

from engine.ingest.harvest import TASK_ROW_FRAME
from engine.schema import TASKS
from engine.sweep.record import TASKS_FILE

_TYPES: dict[pl.DataType, Any] = {
    pl.String(): str | None,
    pl.List(pl.String()): list[str] | None,
    pl.Boolean(): bool | None,
    pl.Int64(): int | None,
}


@dataclass(frozen=True)
class LocalTasks:
    """A source's own tasks and their rows, and why its `tasks.json` was refused, where it was."""

    tasks: pl.DataFrame
    rows: pl.DataFrame
    problem: str | None = None


def _record(name: str, schema: pl.Schema, required: tuple[str, ...], *more: tuple[str, Any, Any]) -> type:
    """A record type with a table's columns; what is not required may be missing."""
    fields = [(column, str) for column in required]
    optional = [(column, _TYPES[dtype], None) for column, dtype in schema.items() if column not in required]
    return msgspec.defstruct(name, [*fields, *optional, *more])


def _list_of(record: type) -> Any:
    return GenericAlias(list, (record,))


_Rows = _list_of(_record("_Row", TASK_ROW_FRAME, ("split", "subset")))
_Tasks = _list_of(_record("_Task", TASKS.schema, ("task_name",), ("rows", _Rows, [])))


def read_local_tasks(source_path: Path) -> LocalTasks:
    """The tasks of a source's `tasks.json`: a list of objects with the columns of TASKS, each with its `rows`.

    A column that an object lacks is unknown. A file that breaks this form is refused as a whole.
    """
    nothing = LocalTasks(TASKS.schema.to_frame(), TASK_ROW_FRAME.to_frame())
    path = source_path / TASKS_FILE
    if not path.is_file():
        return nothing
    try:
        described = msgspec.json.decode(path.read_bytes(), type=_Tasks)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = f"{error}; expected a list of tasks with the columns of the tasks table. Run the sweep again."
        return LocalTasks(nothing.tasks, nothing.rows, reason)
    tasks = [{**msgspec.structs.asdict(task), "described_by": "source"} for task in described]
    rows = [{**msgspec.structs.asdict(row), "task_name": task.task_name} for task in described for row in task.rows]
    return LocalTasks(
        pl.DataFrame([{name: task[name] for name in TASKS.schema} for task in tasks], schema=TASKS.schema),
        pl.DataFrame(rows, schema=TASK_ROW_FRAME),
    )
