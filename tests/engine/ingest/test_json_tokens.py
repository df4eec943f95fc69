import json
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingest.json_tokens import decode_with_nan, null_keyed_nan, null_tokens

ANY = msgspec.json.Decoder()

# Texts that look like tokens, quotes and escapes from the inside of a string.
tricky = st.text(alphabet='aN":\\ ,Infityt{}[]\n', max_size=12) | st.sampled_from(
    ["NaN", '": NaN', '\\": NaN', ": NaN", 'x": NaN, "', "-Infinity", 'a\\\\": NaN', "Infinity", "\\NaN"]
)
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | tricky | st.sampled_from([math.nan, math.inf, -math.inf]),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(tricky, inside, max_size=4),
    max_leaves=12,
)
layouts = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False, "indent": 1}])


def with_nulls(document):
    """What must come out: every number that is none is null, every text is untouched."""
    if isinstance(document, float) and not math.isfinite(document):
        return None
    if isinstance(document, list):
        return [with_nulls(item) for item in document]
    if isinstance(document, dict):
        return {key: with_nulls(item) for key, item in document.items()}
    return document


@given(documents, layouts)
def test_decode_with_nan_nulls_tokens_and_touches_no_string(document, layout):
    text = json.dumps(document, **layout).encode()
    assert decode_with_nan(ANY, text) == with_nulls(document)


@given(documents, layouts)
def test_null_tokens_alone_is_exact(document, layout):
    assert ANY.decode(null_tokens(json.dumps(document, **layout).encode())) == with_nulls(document)


@given(documents, layouts)
def test_null_keyed_nan_changes_only_what_null_tokens_changes(document, layout):
    text = json.dumps(document, **layout).encode()
    assert null_tokens(null_keyed_nan(text)) == null_tokens(text)


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": "x\\": NaN"}',
        b'[": NaN"]',
        b'{"": NaN}',
        b'{"key ": NaN}',
    ],
)
def test_null_keyed_nan_leaves_doubtful_text_alone(text):
    assert null_keyed_nan(text) == text


def test_decode_with_nan_refuses_text_that_is_no_json():
    with pytest.raises(msgspec.DecodeError):
        decode_with_nan(ANY, b'{"main_score": NaN')
