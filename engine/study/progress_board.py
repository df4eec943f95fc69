"""Keeps the board of a sweep up to date from what its processes report, run by run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.study.board import Board, Cell, CellState, Fault, Refusal
from engine.sweep.plan import Plan, PlannedRun
from engine.sweep.progress import RunEvent, SweepProgress

ERRORS_KEPT = 50


class BoardKeeper:
    """The board of one sweep; `board` is always current."""

    def __init__(self, plan: Plan, refused: Sequence[Refusal], devices: Sequence[str]) -> None:
        cells = {(run.model.name, run.task.name): Cell(run.model.name, run.task.name, 0, 0) for run in plan.runs}
        for run in plan.runs:
            cells[run.model.name, run.task.name].total += 1
        missing = {run.result for run in plan.missing}
        for run in plan.runs:
            cells[run.model.name, run.task.name].done += run.result not in missing
        for cell in cells.values():
            cell.state = _settled(cell) or CellState.WAITING
        self._cells = cells
        self._rates: dict[str, float] = {}
        self._left: dict[str, float] = {}
        self.faults: list[Fault] = []
        self.board = Board(
            0, len(plan.runs), plan.n_existing, list(cells.values()), refused=list(refused), devices=list(devices)
        )

    def note(self, moment: SweepProgress, device: str) -> None:
        """Take in what has just happened to a run."""
        board, cell = self.board, self._cells[moment.model, moment.task]
        if moment.event is RunEvent.BEGUN:
            cell.state = CellState.RUNNING
        elif moment.event is RunEvent.DONE:
            board.done += 1
            cell.done += 1
            cell.state = _settled(cell) or CellState.RUNNING
        else:
            self._fail(cell, Fault(moment.model, moment.task, moment.prompt, moment.cause or "unknown"))
        if moment.note and moment.note not in board.notes:
            board.notes.append(moment.note)
        board.texts += moment.texts
        board.texts_encoded += moment.texts_encoded
        if moment.texts_per_second is not None:
            self._rates[device] = moment.texts_per_second
        if moment.eta_seconds is not None:
            self._left[device] = moment.eta_seconds
        self._sum_up()

    def lose(self, runs: Sequence[PlannedRun], device: str, cause: str) -> None:
        """Note that a device's process died with these runs undone."""
        for run in runs:
            cell = self._cells[run.model.name, run.task.name]
            self._fail(cell, Fault(run.model.name, run.task.name, run.prompt_text, cause))
        self.leave(device)

    def leave(self, device: str) -> None:
        """Note that a device has nothing left to do."""
        self._rates.pop(device, None)
        self._left.pop(device, None)
        self._sum_up()

    def _fail(self, cell: Cell, fault: Fault) -> None:
        cell.failed += 1
        cell.state = _settled(cell) or CellState.RUNNING
        self.board.failed += 1
        self.faults.append(fault)
        self.board.errors = self.faults[-ERRORS_KEPT:]

    def _sum_up(self) -> None:
        self.board.texts_per_second = sum(self._rates.values()) if self._rates else None
        self.board.seconds_left = max(self._left.values()) if self._left else None


def _settled(cell: Cell) -> CellState | None:
    """The state of a cell of which nothing is left to try; None where something is."""
    if cell.done + cell.failed < cell.total:
        return None
    return CellState.FAILED if cell.failed else CellState.DONE
