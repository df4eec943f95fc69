"""What a measure and a rule are, as data.

A *metric* is a quantity that a task reports (accuracy, nDCG@10); a *measure* is one that we compute
over scores. A definition is written once, in this package, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Display(StrEnum):
    """How a value is written on screen."""

    POINTS = "points"
    """fraction × 100, one decimal"""
    SIGNED_POINTS = "signed points"
    """the same with sign and true minus"""
    PERCENT = "percent"
    """fraction × 100 with a per cent sign, one decimal in tables"""
    COUNT = "count"
    """whole number with thousands commas"""
    NUMBER = "number"
    """number with thousands commas and one decimal"""
    DECIMAL = "decimal"
    """small number with two decimals, such as a correlation"""
    WORD = "word"
    """as it is"""


@dataclass(frozen=True)
class Measure:
    """One measure: its names, what it says, and the rules that fix its value."""

    key: str
    """column name in frames, JSON and CSV"""
    title: str
    """name on screen"""
    gloss: str
    """one line for a reader who has never heard of it"""
    formula: str
    ties: str
    missing: str
    unit: str
    display: Display
    source: str
    """where the definition comes from"""
    question: str
    """stem of the page that shows it; empty for all pages"""


@dataclass(frozen=True)
class Rule:
    """One rule of meaning that every page keeps to."""

    number: int
    title: str
    text: str
    """what it says, in plain words"""
