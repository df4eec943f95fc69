from collections import Counter

import pytest

from engine.settings import Settings
from engine.triplets.checks import problems
from engine.triplets.files import read_set
from engine.triplets.items import TripletItem


@pytest.fixture
def items(settings: Settings) -> tuple[TripletItem, ...]:
    found = read_set(settings, "starter")
    assert found.rejects == ()
    return found.items


GRADES = ("Easy", "Middle", "Hard")
PHENOMENA = ("negation", "number", "agent and patient", "compound", "near-homograph")


def grade_of(item: TripletItem) -> str:
    """The grade that an item's note begins with, as it was meant before any model saw it."""
    grade, by, design = item.note.split(" ")[:3]
    assert (by, design) == ("by", "design."), item.item_id
    return grade


def test_each_of_six_languages_has_each_phenomenon_in_each_grade(items: tuple[TripletItem, ...]):
    graded = [item for item in items if item.language != "mal-Mlym"]
    assert len({item.language for item in graded}) >= 6
    for language in {item.language for item in graded}:
        cells = Counter((item.phenomenon, grade_of(item)) for item in graded if item.language == language)
        written = {phenomenon for phenomenon, _ in cells}
        assert written >= set(PHENOMENA) and written & {"diacritic", "gemination"} and cells.total() >= 12
        assert set(cells) == {(phenomenon, grade) for phenomenon in written for grade in GRADES}, language


def test_the_elephant_is_among_them(items: tuple[TripletItem, ...]):
    (elephant,) = [item for item in items if item.language == "mal-Mlym"]
    assert elephant.anchor == "ആനപ്പുറത്ത്" and "confirmed by a native speaker" in elephant.note


def test_items_say_when_they_were_written_where_that_is_known(items: tuple[TripletItem, ...]):
    assert {item.written for item in items} == {"before", "after", ""}
    assert all(grade_of(item) == "Hard" for item in items if not item.written and item.language != "mal-Mlym")


def test_every_item_is_a_draft_with_a_phenomenon_and_a_gloss_for_each_foreign_text(items: tuple[TripletItem, ...]):
    assert {item.status for item in items} == {"draft"}
    for item in items:
        assert item.phenomenon
        if item.language != "eng-Latn":
            assert item.anchor_gloss and all(each.gloss for each in (*item.positives, *item.negatives)), item.item_id


def test_no_item_has_an_error_or_a_warning(items: tuple[TripletItem, ...]):
    for item in items:
        others = [other for other in items if other is not item]
        assert [each for each in problems(item, others) if each.level != "hint"] == [], item.item_id
