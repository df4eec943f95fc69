"""The rule of order: right, tie, wrong or invalid, and how far the right candidate is from the hardest wrong one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NOISE = 1e-5
"""Cosines nearer than this are equal where nobody measured how far encoding again moves those of the model: about
thirty times what it does on a CPU in float32, and far too little for bfloat16."""
RIGHT, TIE, WRONG, INVALID = "right", "tie", "wrong", "invalid"


@dataclass(frozen=True)
class Judged:
    """What came of one item under one model."""

    outcome: str
    margin: float | None
    """the lowest cosine of the same meaning minus the highest of something else; None where invalid"""
    place: int | None
    """of the right candidate among itself and the wrong ones, 1 = nearest; ties share the better place"""
    n_tied: int
    """wrong candidates that are equal to it"""


def judge(positives: Sequence[float | None], negatives: Sequence[float | None], noise: float = NOISE) -> Judged:
    """The outcome of an item: right where every text of the same meaning is strictly above every other.

    Ties: within `noise` of the highest wrong one is a tie, which is not right. Missing: any missing cosine makes the
    item invalid. Source: rule 11 of the design, order not threshold.
    """
    values = [*positives, *negatives]
    if not positives or not negatives or any(value is None for value in values):
        return Judged(INVALID, None, None, 0)
    right = min(value for value in positives if value is not None)
    wrong = [value for value in negatives if value is not None]
    margin = right - max(wrong)
    place = 1 + sum(value > right + noise for value in wrong)
    n_tied = sum(abs(value - right) <= noise for value in wrong)
    outcome = TIE if abs(margin) <= noise else RIGHT if margin > 0 else WRONG
    return Judged(outcome, margin, place, n_tied)
