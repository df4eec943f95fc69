"""Confidence intervals of shares."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import ndtri


class Interval(NamedTuple):
    """Both bounds of an interval, as fractions."""

    low: float
    high: float


def wilson(successes: int, trials: int, level: float = 0.95) -> Interval | None:
    """The score interval of a share; null for no trials.

    Formula: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) ÷ (1 + z²/n) with p = successes ÷ trials. Unlike the normal
    interval it keeps within [0, 1] and has a width at 0 and at n. Ties do not arise. Source: Wilson (1927).

    Args:
        successes: How many of the trials are of the kind counted.
        trials: How many there are.
        level: Share of such intervals that hold the true share, were the trials drawn independently.
    """
    if trials == 0:
        return None
    z = float(ndtri(0.5 + level / 2))
    share = successes / trials
    centre = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # Exact at the ends, where rounding would leave the share outside its own interval.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == trials else (centre + half) / scale
    return Interval(low, high)
