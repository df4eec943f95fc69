"""Which main scores can be scores: fractions, which correlations among them may take below zero."""

from __future__ import annotations

LARGEST_SCORE = 1.000001
"""A perfect score may come out a rounding error above 1."""

EXPECTED = "expected a fraction, -1 to 1. If it is a percentage, divide it by 100 and write the file again."
OUTSIDE = f"scores lie outside; {EXPECTED} They are left out."


def outside_reason(score: float) -> str:
    """Why a main score is set aside; its row counts as one without a number."""
    return f"{score:g}; {EXPECTED} The row is kept without a score."
