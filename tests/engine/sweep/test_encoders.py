"""Batches and the check of what comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RunFailed
from engine.sweep.encoders import Identity, batches, check_block, text_id


@given(st.lists(st.integers(0, 700), max_size=60), st.integers(1, 600))
def test_batches_hold_every_text_once_within_the_budget(lengths, budget):
    cut = list(batches(lengths, budget))
    assert sorted(at for batch in cut for at in batch) == list(range(len(lengths)))
    for batch in cut:
        assert len(batch) == 1 or len(batch) * max(lengths[at] for at in batch) <= budget or budget < 1


@given(st.lists(st.integers(1, 700), max_size=60))
def test_batches_go_from_long_to_short(lengths):
    order = [lengths[at] for batch in batches(lengths) for at in batch]
    assert order == sorted(lengths, reverse=True)


STRINGS = ["good", "bad one", "good too"]


def block(**changed):
    rows = np.ones((3, 4), np.float32)
    for row, value in changed.items():
        rows[int(row[1:])] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (block(r1=np.nan), "NaN or Infinity"),
        (block(r1=np.inf), "NaN or Infinity"),
        (block(r1=-np.inf), "NaN or Infinity"),
        (block(r1=0), "nothing but zeros"),
    ],
)
def test_bad_vector_is_refused_with_its_text(rows, what):
    with pytest.raises(RunFailed, match=what) as failure:
        check_block(rows, STRINGS, 4)
    assert text_id("bad one") in str(failure.value)
    assert "'bad one'" in str(failure.value)
    assert "good" not in str(failure.value)


@pytest.mark.parametrize("shape", [(3, 5), (2, 4), (3,)])
def test_block_of_another_shape_is_refused(shape):
    with pytest.raises(RunFailed, match=r"expected \(3, 4\)"):
        check_block(np.ones(shape, np.float32), STRINGS, 4)


def test_good_block_passes():
    check_block(block(), STRINGS, 4)


def test_key_changes_with_all_that_changes_a_vector():
    base = dict(model_name="m", model_revision="1", dtype="float32", max_tokens=512, normalised=True, width=4)
    others = dict(model_name="n", model_revision="2", dtype="bfloat16", max_tokens=256, normalised=False, width=8)
    keys = {Identity(**{**base, name: value}).key("text") for name, value in others.items()}
    keys |= {Identity(**base).key(text) for text in ("text", "text ", "Text", "", "\ud800")}
    assert len(keys) == len(others) + 5
