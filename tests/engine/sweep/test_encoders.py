"""Batches and the check of what comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RunFailed
from engine.sweep.encoders import Identity, batch_size, check_block, is_out_of_memory, longest_first, text_id


@given(st.lists(st.integers(0, 700), max_size=60))
def test_texts_go_from_long_to_short_each_once(lengths):
    order = longest_first(lengths)
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[at] for at in order] == sorted(lengths, reverse=True)


@given(st.integers(0, 700), st.integers(1, 600))
def test_batch_fits_the_budget_or_is_a_single_text(longest, budget):
    size = batch_size(longest, budget)
    assert size == 1 or size * max(1, longest) <= budget < (size + 1) * max(1, longest)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: out of memory"), True),
        (MemoryError(), True),
        (RuntimeError("shapes cannot be multiplied"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_lack_of_memory_is_told_from_other_faults(error, expected):
    assert is_out_of_memory(error) is expected


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
