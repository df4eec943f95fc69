"""Leaderboards that differ in one model alone: each model in turn takes scores of its own, the others stay.

Ranking n leaderboards of n models anew takes n² tasks' ranks; here one leaderboard is ranked, and what a promoted model
changes is counted pair by pair.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.analysis.ranking import Aggregate, Floats, Missing, compute_aggregate


def promote_each(
    own: Floats,
    rivals: Floats,
    task_types: tuple[str, ...],
    aggregate: Aggregate = Aggregate.BORDA,
    missing: Missing = Missing.ZERO,
) -> Floats:
    """The aggregate of every model on every leaderboard, promoted models × models.

    On leaderboard i model i has its scores of `own`, the others have theirs of `rivals` (models × tasks, NaN =
    missing). Formula, ties, missing and units: as `compute_aggregate` of each leaderboard.
    """
    n_models = len(rivals)
    present = not np.isnan([own, rivals]).all()
    if aggregate is Aggregate.BORDA and missing is not Missing.COMPLETE and present:
        return _promoted_points(own, rivals, missing)
    boards = np.broadcast_to(rivals, (n_models, *rivals.shape)).copy()
    boards[np.arange(n_models), np.arange(n_models)] = own
    return compute_aggregate(boards, task_types, aggregate, missing)


def _promoted_points(own: Floats, rivals: Floats, missing: Missing) -> Floats:
    """Borda points: a model gains on the promoted one what it has over its own scores and not over its rivals'."""
    each = np.arange(len(rivals))
    high, low = (np.where(np.isnan(scores), -np.inf, scores) for scores in (own, rivals))
    among_rivals = _doubled_wins(low[None], low[:, None])
    with_itself = 1
    before = among_rivals.sum(axis=0, dtype=np.int32) - with_itself
    doubled = before[None] + (_doubled_wins(low[None], high[:, None]) - among_rivals)
    against_all = _doubled_wins(high[:, None], low[None]).sum(axis=1, dtype=np.int32)
    doubled[each, each] = against_all - _doubled_wins(high, low)
    absent = np.broadcast_to(np.isnan(rivals), doubled.shape).copy()
    absent[each, each] = np.isnan(own)
    if missing is Missing.PRESENT:
        doubled -= 2 * absent.sum(axis=1, keepdims=True, dtype=np.int32)
    doubled[absent] = 0
    return np.asarray(doubled.sum(axis=-1) / 2)


def _doubled_wins(scores: Floats, others: Floats) -> npt.NDArray[np.int8]:
    """2 where a score is above the other, 1 where they are equal."""
    return (scores > others).view(np.int8) + (scores >= others).view(np.int8)
