import polars as pl

from engine.analysis.tokenization import COUNT_FRAME, token_costs


def counts(**changes: object) -> pl.DataFrame:
    row = {
        "texts_name": "t", "model_name": "m", "model_revision": "r", "language": "mal-Mlym", "texts": 2, "tokens": 24,
        "special": 4, "unknown": 15, "byte": 0, "broken": 5, "characters": 48, "words": 8, "english_tokens": 16,
    }  # fmt: skip
    return pl.DataFrame([{**row, **changes}], schema=COUNT_FRAME)


def test_shares_are_of_tokens_that_stand_for_text_and_costs_of_all():
    cost = token_costs(counts()).row(0, named=True)
    assert (cost["unknown_share"], cost["broken_share"]) == (0.75, 0.25)
    assert (cost["tokens_per_character"], cost["tokens_per_word"], cost["ratio_to_english"]) == (0.5, 3.0, 1.5)
    assert cost["characters_per_512"] == 1024.0


def test_what_cannot_be_known_is_null():
    cost = token_costs(counts(words=0, english_tokens=None, broken=None)).row(0, named=True)
    assert cost["tokens_per_word"] is cost["ratio_to_english"] is cost["broken_share"] is None
