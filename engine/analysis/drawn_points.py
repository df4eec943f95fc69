"""Borda points of every model in thousands of draws on one task, in whole numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.analysis.ranking import Missing

MOST_IN_PAIRS = 100
"""Models that are compared pair by pair; with more of them, sorting each draw is faster."""

SORTED_AT_ONCE = 2_000
"""Draws: few enough to stay in a processor's cache."""


def doubled_points(codes: npt.NDArray[np.number], missing: Missing, *, has_ties: bool) -> npt.NDArray[np.int32]:
    """Twice the Borda points of one task in every draw (models × draws): 2 for each model below, 1 for each equal.

    Args:
        codes: Scores as whole numbers in their order, models × draws; 0 = the model has no score on the task.
        missing: What a missing task is worth.
        has_ties: Whether two models can draw the same code.
    """
    count = _counted_in_pairs if len(codes) <= MOST_IN_PAIRS else _counted_by_sorting
    doubled = count(codes, has_ties=has_ties)
    absent = codes[:, 0] == 0
    if missing is not Missing.ZERO:
        doubled -= 2 * absent.sum(dtype=np.int32)
    doubled[absent] = 0
    return doubled


def _counted_in_pairs(codes: npt.NDArray[np.number], *, has_ties: bool) -> npt.NDArray[np.int32]:
    """In the smallest type that holds the counts (it may wrap on the way)."""
    n, each = len(codes), 2 if has_ties else 1
    points = np.repeat(each * np.arange(n), codes.shape[1]).reshape(codes.shape)
    points = points.astype(np.uint8 if each * n < 2**8 else np.uint16)
    ahead, level = np.empty(codes.shape, dtype=np.bool_), np.empty(codes.shape, dtype=np.bool_)
    for model in range(n - 1):
        rest = codes[model + 1 :]
        won = np.greater(codes[model], rest, out=ahead[: len(rest)]).view(np.uint8)
        if has_ties:
            won += np.greater_equal(codes[model], rest, out=level[: len(rest)]).view(np.uint8)
        points[model] += np.add.reduce(won, axis=0, dtype=points.dtype)
        points[model + 1 :] -= won
    return points.astype(np.int32) * (2 // each)


def _counted_by_sorting(codes: npt.NDArray[np.number], *, has_ties: bool) -> npt.NDArray[np.int32]:
    """With the model in the lowest bits of its code, one sort of whole numbers gives the order of a draw."""
    n, n_draws = codes.shape
    bits = n.bit_length()
    kind = np.uint32 if int(codes.max(initial=0)).bit_length() + bits <= 32 else np.uint64
    models, untied = np.arange(n, dtype=kind), 2 * np.arange(n, dtype=np.int32)[None]
    doubled = np.empty(codes.shape, dtype=np.int32)
    for start in range(0, n_draws, SORTED_AT_ONCE):
        drawn = slice(start, start + SORTED_AT_ONCE)
        keys = np.left_shift(codes[:, drawn].T.astype(kind), kind(bits)) | models
        keys.sort(axis=1)
        places = _tied_places(keys >> kind(bits)) if has_ties else untied
        points = np.empty(keys.shape, dtype=np.int32)
        np.put_along_axis(points, (keys & kind(2**bits - 1)).astype(np.intp), places, axis=1)
        doubled[:, drawn] = points.T
    return doubled


def _tied_places(rising: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.int32]:
    """First + last place of each value among those equal to it, counted from 0 along the last axis."""
    places, last = np.arange(rising.shape[1], dtype=np.int32), rising.shape[1] - 1
    differs = rising[:, 1:] != rising[:, :-1]
    firsts, lasts = np.zeros(rising.shape, dtype=np.int32), np.full(rising.shape, last, dtype=np.int32)
    firsts[:, 1:] = np.where(differs, places[1:], 0)
    lasts[:, :-1] = np.where(differs, places[:-1], last)
    np.maximum.accumulate(firsts, axis=1, out=firsts)
    return firsts + np.minimum.accumulate(lasts[:, ::-1], axis=1)[:, ::-1]
