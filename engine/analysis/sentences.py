"""Sentences as data: segments that a page can emphasise and a command can print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SMALL = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True)
class Segment:
    """A piece of a sentence.

    Attributes:
        text: The words.
        strong: They carry the finding.
        foreign: They are a name or text that somebody else wrote: shown as they are.
    """

    text: str
    strong: bool = False
    foreign: bool = False


Sentence = tuple[Segment, ...]


def plain(sentence: Sequence[Segment]) -> str:
    """The words of a sentence, without emphasis."""
    return "".join(segment.text for segment in sentence)


def said(text: str) -> Segment:
    """Ordinary words."""
    return Segment(text)


def strong(text: str) -> Segment:
    """Words or figures that carry the finding."""
    return Segment(text, strong=True)


def model(model_name: str) -> Segment:
    """A model by the name after the slash, whole."""
    return Segment(model_name.rsplit("/", 1)[-1], foreign=True)


def task(task_name: str) -> Segment:
    """A task by its name."""
    return Segment(task_name, foreign=True)


def part_of(part: int, whole: int, *, noun: str = "") -> str:
    """`47 of 66`, `none of 66`, `all 66`, followed by a noun in its number; one of one is `the only one`."""
    named = f" {noun if whole == 1 else noun + 's'}" if noun else ""
    if part == 0:
        return f"none of {whole:,}{named}"
    if part == whole:
        return f"the only{named or ' one'}" if whole == 1 else f"all {whole:,}{named}"
    return f"{part:,} of {whole:,}{named}"


def share_of(part: int, whole: int, noun: str) -> Sentence:
    """`47 of 66` as the figure, then the noun in its number."""
    figure = part_of(part, whole) if whole != 1 or part != 1 else "the only"
    return strong(figure), said(f" {noun}{'' if whole == 1 else 's'}")


def counted(amount: int, noun: str) -> str:
    """`1 prompt`, `37 prompts`."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def worded(amount: int) -> str:
    """`seven` up to twelve, then figures."""
    return _SMALL[amount] if amount < len(_SMALL) else f"{amount:,}"


def percentile(share: float) -> str:
    """`90th`, `97.5th`, `1st`."""
    value = f"{share * 100:.4f}".rstrip("0").rstrip(".")
    ending = (
        "th"
        if value[-2:] in ("11", "12", "13") or "." in value
        else {"1": "st", "2": "nd", "3": "rd"}.get(value[-1], "th")
    )
    return value + ending


def points(score: float) -> str:
    """A fraction × 100 with one decimal, with a true minus and never −0.0."""
    rounded = round(score * 100, 1) + 0.0
    return f"{rounded:,.1f}".replace("-", "−")


def percent(share: float, decimals: int = 0) -> str:
    """`79 %`, with a narrow space that does not break; below half of the last digit `<1 %`."""
    smallest = 10.0**-decimals
    if 0 < share * 100 < smallest / 2:
        return f"<{smallest:.{decimals}f}\u202f%"
    return f"{share * 100:,.{decimals}f}\u202f%"
