import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import formats


@pytest.mark.parametrize(
    ("score", "written"),
    [(0.576, "57.6"), (0.0, "0.0"), (-0.0, "0.0"), (-0.0004, "0.0"), (-0.031, "−3.1"), (1.0, "100.0"), (None, "–")],
)
def test_points_are_a_hundredfold_with_one_decimal(score, written):
    assert formats.points(score) == written


@pytest.mark.parametrize(
    ("change", "written"),
    [(0.032, "+3.2"), (-0.004, "−0.4"), (-0.0004, "0.0"), (0.0004, "0.0"), (0.0, "0.0"), (None, "–"), (math.nan, "–")],
)
def test_signed_points_have_a_true_minus_and_no_negative_zero(change, written):
    assert formats.signed_points(change) == written


@given(st.floats(-10, 10, allow_nan=False))
def test_no_format_ever_writes_a_negative_zero(value):
    written = (formats.points(value), formats.signed_points(value), formats.percent(value), formats.number(value, 1))
    assert not [text for text in written if re.match(r"[−-]0(\.0+)?(\s|$)", text)]


@pytest.mark.parametrize(
    ("share", "written"),
    [(0.039, "3.9\u202f%"), (0.0004, "<0.1\u202f%"), (0.0, "0.0\u202f%"), (0.35714, "35.7\u202f%"), (None, "–")],
)
def test_percent_never_rounds_to_nothing_what_happened(share, written):
    assert formats.percent(share) == written


@pytest.mark.parametrize(("share", "written"), [(0.0, "0"), (0.0009, "<0.1"), (0.1234, "12.3"), (1.0, "100.0")])
def test_probability_below_a_tenth_of_a_per_cent_says_so(share, written):
    assert formats.probability(share) == written


def test_counts_have_thousands_commas():
    assert formats.of(1234, 12345) == "1,234 of 12,345"
    assert formats.counted(1, "reject") == "1 reject"
    assert formats.counted(2000, "entry", "entries") == "2,000 entries"


@pytest.mark.parametrize(
    ("place", "written"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (22, "22nd"),
        (111, "111th"),
        (1001, "1,001st"),
    ],
)
def test_ordinals(place, written):
    assert formats.ordinal(place) == written


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ([], "none"),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (list("abcde"), "a, b, c and 2 more"),
    ],
)
def test_lists_are_sentences(words, written):
    assert formats.listed(words) == written


def test_label_is_the_name_after_the_slash_whole():
    assert formats.label("BAAI/bge-small-en-v1.5") == "bge-small-en-v1.5"
    assert formats.label("local") == "local"


def test_durations_read_like_speech():
    assert [formats.seconds(s) for s in (7.6, 125, 3840)] == ["8 s", "2 min 5 s", "1 h 4 min"]


def test_plotly_text_is_escaped_isolated_wrapped_and_cut():
    written = formats.plotly_text("<b>x</b> %{y} " + "word " * 100, width=40, lines=3)
    assert "<b>" not in written and "%{" not in written
    lines = written.split("<br>")
    assert len(lines) == 3 and lines[-1].endswith("…\u2069")
    assert all(line.startswith("\u2068") and line.endswith("\u2069") for line in lines)


def test_plotly_text_keeps_an_empty_prompt_a_line():
    assert formats.plotly_text("") == "\u2068\u2069"


def test_shortening_does_not_cut_joined_emoji():
    family = "👨\u200d👩\u200d👧"
    assert formats.shortened("ab" + family + "cdefgh", 6) == "ab…"
    assert formats.shortened("abc", 3) == "abc"
