"""What is amiss with an item: errors forbid saving, warnings and hints are for its author to judge.

Joiners and chillu letters are legitimate writing and never an error. Lengths are counted in signs as readers see them:
a letter with its marks, or letters that a joiner binds, is one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import regex  # type: ignore[import-untyped]

from engine.triplets.items import EXCERPT, TripletItem

Level = Literal["error", "warning", "hint"]
NEAR = 0.5
"""A wrong candidate that differs in more of its signs is not close in form."""
GIVEAWAY = 1.6
"""The right candidate is given away where it is this many times longer or shorter than all others."""
LONGEST_COMPARED = 5_000
"""Signs of the longest look-alike whose form is compared: nobody mistakes a longer text by its form."""
JOINED_SCRIPTS = {
    "Hans": ("Hani", "Bopo"), "Hant": ("Hani", "Bopo"), "Jpan": ("Hani", "Hira", "Kana"), "Kore": ("Hang", "Hani"),
}  # fmt: skip
"""ISO 15924 codes for several of Unicode's scripts together; all other codes name one of them."""
NO_SCRIPTS = ("", "Zinh", "Zyyy", "Zzzz")
"""Said of a language, these name no script that its letters could be in."""
_SIGN = regex.compile(r"\X")


@dataclass(frozen=True)
class Problem:
    """Something to mend, to look at again, or to know."""

    level: Level
    field: str
    words: str


def clusters(text: str) -> list[str]:
    """Signs as readers see them, Unicode's grapheme clusters: a letter with its marks, or letters bound together."""
    return list(_SIGN.findall(text))


def distance(first: str, second: str) -> int:
    """Signs to insert, delete or replace to turn one text into the other (Levenshtein over `clusters`).

    A column of the table of steps is kept as the bits of two numbers, up and down from the row above: Myers (1999), as
    Hyyrö (2003) has it. Checks run while somebody types, and texts may be pages.
    """
    left, right = clusters(first), clusters(second)
    if not left:
        return len(right)
    places: dict[str, int] = {}
    for number, sign in enumerate(left):
        places[sign] = places.get(sign, 0) | 1 << number
    every, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    up, down, steps = every, 0, len(left)
    for sign in right:
        equal = places.get(sign, 0)
        across = (((equal & up) + up) ^ up) | equal
        more, fewer = down | (every & ~(across | up)), up & across
        steps += bool(more & last) - bool(fewer & last)
        more, fewer = more << 1 | 1, fewer << 1
        up, down = every & (fewer | ~(equal | down | more)), more & (equal | down)
    return steps


def errors(item: TripletItem) -> tuple[Problem, ...]:
    """What forbids saving the item wherever it stands."""
    return tuple(_same_texts(item))


def problems(item: TripletItem, others: Sequence[TripletItem] = ()) -> tuple[Problem, ...]:
    """What is amiss, errors first; `others` are the items of the same set."""
    found = [*_same_texts(item), *_duplicates(item, others), *_scripts(item), *_forms(item), *_lengths(item)]
    return tuple(sorted(found, key=lambda each: ("error", "warning", "hint").index(each.level)))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _short(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"


def _same_texts(item: TripletItem) -> Iterator[Problem]:
    base = _normal(item.anchor)
    for right in item.positives:
        if _normal(right.text) == base:
            yield Problem("error", "positives", "Base and same meaning are the same text; expected another wording.")
    rights = {_normal(each.text) for each in item.positives}
    wrongs = [_normal(each.text) for each in item.negatives]
    for text in wrongs:
        if text in rights:
            yield Problem(
                "error", "negatives", f"{_short(text)} stands as same meaning and as something else; keep one."
            )
        elif text == base:
            yield Problem("error", "negatives", "A look-alike is the base itself; no model can tell them apart.")
    if len(set(wrongs)) < len(wrongs):
        yield Problem("error", "negatives", "A look-alike is there twice (perhaps in another Unicode form); keep one.")


def _duplicates(item: TripletItem, others: Sequence[TripletItem]) -> Iterator[Problem]:
    own = {_normal(text) for text in item.texts}
    for other in others:
        if other.item_id == item.item_id:
            yield Problem("error", "id", f"Id {item.item_id} is taken in this set; choose another.")
        elif _normal(other.anchor) in own and {_normal(text) for text in other.texts} == own:
            yield Problem("warning", "anchor", f"Item {other.item_id} has the same texts.")


def _scripts(item: TripletItem) -> Iterator[Problem]:
    letter = letter_of(item.language.partition("-")[2])
    if letter is None:
        return
    for text in item.texts:
        letters = [character for character in text if character.isalpha()]
        foreign = sum(letter.match(each) is None for each in letters)
        if foreign * 2 > len(letters):
            yield Problem("warning", "language", f"{_short(text)} is not in the script of {item.language}.")


def letter_of(script: str) -> Any:
    """A pattern of one letter of a script, by its ISO 15924 code; None where Unicode has no script of that code."""
    if script in NO_SCRIPTS:
        return None
    names = JOINED_SCRIPTS.get(script, (script,))
    try:
        return regex.compile("[" + "".join(rf"\p{{Script_Extensions={name}}}" for name in names) + "]")
    except regex.error:
        return None


def _forms(item: TripletItem) -> Iterator[Problem]:
    models = (item.anchor, *(each.text for each in item.positives))
    if max(len(clusters(text)) for text in item.texts) > LONGEST_COMPARED:
        return
    for number, wrong in enumerate(item.negatives, start=1):
        steps, nearest = min((distance(text, wrong.text), text) for text in models)
        length = max(len(clusters(nearest)), len(clusters(wrong.text)), 1)
        if steps / length > NEAR:
            shared = sorted(_pieces(nearest) & _pieces(wrong.text))
            said = f"shared: {', '.join(shared[:4])}" if shared else "no three signs in a row are shared"
            words = f"Look-alike {number} differs in {steps} of {length} signs from what it should resemble ({said})."
            yield Problem("hint", "negatives", words)


def _pieces(text: str) -> set[str]:
    signs = clusters(text)
    return {"".join(signs[place : place + 3]) for place in range(len(signs) - 2)}


def _lengths(item: TripletItem) -> Iterator[Problem]:
    rights = [len(clusters(each.text)) for each in item.positives]
    wrongs = [len(clusters(each.text)) for each in item.negatives]
    if min(rights) > max(wrongs) * GIVEAWAY or max(rights) * GIVEAWAY < min(wrongs):
        yield Problem("hint", "positives", "The right candidate stands out by its length alone.")
