import pytest

from engine.analysis import sentences as say


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.9, "90th"), (0.1, "10th"), (0.01, "1st"), (0.02, "2nd"), (0.03, "3rd"), (0.11, "11th"), (0.12, "12th"),
     (0.13, "13th"), (0.975, "97.5th"), (0.21, "21st"), (1.0, "100th"), (0.0, "0th")],
)  # fmt: skip
def test_percentile(share, words):
    assert say.percentile(share) == words


@pytest.mark.parametrize(
    ("part", "whole", "noun", "words"),
    [
        (47, 66, "", "47 of 66"),
        (0, 66, "", "none of 66"),
        (66, 66, "", "all 66"),
        (1, 1, "", "the only one"),
        (0, 1, "task", "none of 1 task"),
        (1, 1, "task", "the only task"),
        (1, 11, "task", "1 of 11 tasks"),
        (1200, 2400, "call", "1,200 of 2,400 calls"),
    ],
)
def test_part_of(part, whole, noun, words):
    assert say.part_of(part, whole, noun=noun) == words


@pytest.mark.parametrize(
    ("score", "words"), [(0.5757, "57.6"), (-0.012, "−1.2"), (-0.0004, "0.0"), (0.0, "0.0"), (1.0, "100.0")]
)
def test_points(score, words):
    assert say.points(score) == words


@pytest.mark.parametrize(
    ("share", "decimals", "words"),
    [(0.788744, 0, "79\u202f%"), (0.038754, 1, "3.9\u202f%"), (0.004, 0, "<1\u202f%"), (0.0, 0, "0\u202f%")],
)
def test_percent(share, decimals, words):
    assert say.percent(share, decimals) == words


def test_counted_and_worded():
    assert (say.counted(1, "prompt"), say.counted(1200, "prompt")) == ("1 prompt", "1,200 prompts")
    assert (say.worded(0), say.worded(7), say.worded(13)) == ("none", "seven", "13")


def test_model_is_named_by_what_follows_the_slash_whole():
    assert say.model("org/long-name-v1.5").text == "long-name-v1.5"
    assert say.model("no-slash").text == "no-slash"
