"""Where token counts lie as files, and what a line of one says; whoever reads them needs no model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.settings import Settings


@dataclass(frozen=True)
class LanguageCount:
    """What the texts of one language cost a model, all together."""

    language: str
    texts: int
    tokens: int
    special: int
    unknown: int
    byte: int
    broken: int | None
    characters: int
    words: int
    english_tokens: int | None
    """tokens of the same texts in English; None where there is no English to all of them"""


def token_folder(settings: Settings) -> Path:
    """Where counts lie: a folder a collection of texts, a folder a model, a file a revision."""
    return settings.results / "tokens"
