"""What a page is told about a sweep: before it runs (a preview) and while it runs (the board).

Both lie as JSON beside their request. Nothing heavy is imported, so that an app without torch reads them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

import msgspec


class CellState(StrEnum):
    """How far a cell, one model on one task, is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """nothing is left to try, and at least one of its runs failed"""


class Refusal(msgspec.Struct, frozen=True):
    """An entry of a study that cannot be had; the others are run."""

    what: str
    """model, task or prompt"""
    name: str
    reason: str


class ModelPreview(msgspec.Struct, frozen=True):
    """What one model has to do."""

    model_name: str
    model_revision: str
    runs: int
    existing: int
    """runs that are there already"""
    texts: int
    """distinct strings to encode over all its missing runs"""
    tokens: int | None = None
    """tokens of those strings; None where the model could not be loaded"""
    seconds: float | None = None
    """time to encode them at the pace of a timed sample, and to score"""


class Example(msgspec.Struct, frozen=True):
    """One real text as it enters a model's tokenizer, part by part."""

    model_name: str
    task_name: str
    side: str
    """query, document or none"""
    prompt_text: str | None
    """the study's prompt; None for default settings"""
    parts: tuple[tuple[str, str], ...]
    """pairs of kind (prompt, template or text) and exact string, in order"""


class PreviewAnswer(msgspec.Struct, frozen=True):
    """What a study would do."""

    runs: int
    existing: int
    models: tuple[ModelPreview, ...]
    refused: tuple[Refusal, ...] = ()
    examples: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()


class Cell(msgspec.Struct):
    """One model on one task: all its prompts and its default settings."""

    model_name: str
    task_name: str
    done: int
    """runs that are there, those from before this sweep included"""
    total: int
    failed: int = 0
    state: CellState = CellState.WAITING


class Fault(msgspec.Struct, frozen=True):
    """A run that was given up, and why."""

    model_name: str
    task_name: str
    prompt_text: str | None
    """the study's prompt; None for default settings"""
    cause: str


class Board(msgspec.Struct):
    """How a sweep stands."""

    done: int
    """runs done by this sweep"""
    total: int
    """runs of the plan"""
    existing: int
    """runs that were there before; done + existing + failed = total at the end"""
    cells: list[Cell]
    failed: int = 0
    texts_per_second: float | None = None
    """encoded by all processes together, of late"""
    seconds_left: float | None = None
    texts: int = 0
    """texts that the tasks asked for, repeats included"""
    texts_encoded: int = 0
    """of those, encoded anew: the others were there already"""
    errors: list[Fault] = []
    """the last ones, newest last; all are in the report at the end"""
    refused: list[Refusal] = []
    notes: list[str] = []
    """what is amiss beside the runs, each once"""
    devices: list[str] = []
    """where it runs, as `cpu` or `cuda:0`"""


_Answer = TypeVar("_Answer", PreviewAnswer, Board)


def to_json(answer: PreviewAnswer | Board) -> dict[str, Any]:
    """An answer as plain JSON values."""
    return dict(msgspec.to_builtins(answer))


def from_json(values: dict[str, Any] | None, kind: type[_Answer]) -> _Answer | None:
    """The answer in JSON values; None where there are none, or where they are something else.

    Fields that a later version added are left out.
    """
    try:
        return None if values is None else msgspec.convert(values, kind)
    except msgspec.ValidationError:
        # Edited by hand, or of an earlier version: as `read_answer` says of what is not even JSON, it says nothing.
        return None
