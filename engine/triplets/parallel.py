"""Texts that say the same in several languages, from a table: a column per language, a row per text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import SourceError
from engine.tabular import RowProblem, read_table

Pairs = Sequence[tuple[str, str | None]]
"""Texts, each with the same in English where there is that."""
ENGLISH = "eng-Latn"
_LANGUAGE = re.compile(r"[a-z]{3}-[A-Z][a-z]{3}")


@dataclass(frozen=True)
class ParallelTexts:
    """What a table holds.

    Attributes:
        texts: By language; a row without a text in a language adds nothing to it.
        encoding: As it was detected.
        delimiter: As it was detected, in words.
        unused: Columns that name no language.
        problems: Rows and cells that were set aside.
    """

    texts: dict[str, Pairs]
    encoding: str
    delimiter: str
    unused: tuple[str, ...]
    problems: tuple[RowProblem, ...]


def read_parallel(content: bytes, name: str) -> ParallelTexts:
    """The texts in a file's bytes.

    Args:
        content: The bytes.
        name: The file's name, for messages.

    Raises:
        SourceError: The file cannot be read, or no column of it names a language.
    """
    table = read_table(content, name)
    languages = [column for column in table.columns if _LANGUAGE.fullmatch(column)]
    if not languages:
        seen = ", ".join(column[:40] for column in table.columns[:12])
        raise SourceError(
            f"No column of {name} names a language; its columns are: {seen}. "
            f"Name each by its language and script, such as {ENGLISH} and mal-Mlym."
        )
    texts: dict[str, Pairs] = {
        language: [
            (row[language], row.get(ENGLISH, "").strip() or None) for row in table.rows if row.get(language, "").strip()
        ]
        for language in languages
    }
    unused = tuple(column for column in table.columns if column not in languages)
    return ParallelTexts(texts, table.encoding, table.delimiter, unused, table.problems)
