"""What a script costs a model: tokens per character and word, against English, and what the tokenizer cannot read."""

from __future__ import annotations

import polars as pl

CHUNK = 512
"""Tokens of a chunk, the length at which many models cut a text."""
COUNT_FRAME = pl.Schema(
    {
        "texts_name": pl.String(),
        "model_name": pl.String(),
        "model_revision": pl.String(),
        "language": pl.String(),
        **dict.fromkeys(
            ("texts", "tokens", "special", "unknown", "byte", "broken", "characters", "words", "english_tokens"),
            pl.Int64(),
        ),
    }
)
"""Sums over the texts of one language, as one model's tokenizer counts them."""


def token_costs(counts: pl.DataFrame) -> pl.DataFrame:
    """One row per collection of texts, model and language; what cannot be known is null.

    `tokens_per_character`, `tokens_per_word`, `ratio_to_english` (tokens ÷ tokens of the same texts in English),
    `unknown_share`, `byte_share` and `broken_share` of the tokens that stand for text, `characters_per_512`. All
    other numbers count what the encoder reads: special tokens too.

    Args:
        counts: Frame of `COUNT_FRAME`.
    """

    def share(part: str, whole: str) -> pl.Expr:
        return pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole))

    return counts.with_columns((pl.col("tokens") - pl.col("special")).alias("of_text")).select(
        "texts_name", "model_name", "model_revision", "language", "texts", "tokens", "characters", "words",
        share("tokens", "characters").alias("tokens_per_character"),
        share("tokens", "words").alias("tokens_per_word"),
        share("tokens", "english_tokens").alias("ratio_to_english"),
        share("unknown", "of_text").alias("unknown_share"),
        share("byte", "of_text").alias("byte_share"),
        share("broken", "of_text").alias("broken_share"),
        (CHUNK * share("characters", "tokens")).alias("characters_per_512"),
    ).sort("texts_name", "model_name", "model_revision", "ratio_to_english", "language", nulls_last=True)  # fmt: skip
