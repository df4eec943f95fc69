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


def test_the_starter_set_has_a_dozen_items_in_each_of_six_languages(items: tuple[TripletItem, ...]):
    numbers = Counter(item.language for item in items)
    assert sum(n >= 12 for n in numbers.values()) >= 6


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
