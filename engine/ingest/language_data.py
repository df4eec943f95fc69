"""The project's own data about languages: how codes are spelled, and which tasks share a source corpus.

Both are files of one record a line, each with the place that says so; what mteb knows comes from its metadata.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from engine.errors import SourceError
from engine.schema import CORPORA, LANGUAGES, LanguageStatus

SPELLING_FRAME = pl.Schema({name: pl.String() for name in ("language", "standard", "broader", "reason")})
PROGRAMMING = "-Code"
"""Ending of codes that name programming languages."""


def read_spellings(path: Path) -> pl.DataFrame:
    """`language`, `standard` (safe to merge), `broader` (merged on request), `reason`, one row per code.

    Raises:
        SourceError: A line is not a record of these names, or a code stands twice.
    """
    return _read(path, SPELLING_FRAME, "language")


def read_corpora(path: Path) -> pl.DataFrame:
    """CORPORA, one row per task.

    Raises:
        SourceError: A line is not a record of these names, or a task stands twice.
    """
    return _read(path, CORPORA.schema, "task_name")


def describe_languages(codes: pl.Series, names: pl.DataFrame, spellings: pl.DataFrame) -> pl.DataFrame:
    """LANGUAGES: what each code is, by the codes' form, ISO's names and the file of spellings.

    A code of three letters, a dash and a script is known where ISO names both parts; without any names (mteb is not
    installed) its form decides. A code that the file does not name but that becomes a known one with a dash for an
    underscore is a spelling of it.

    Args:
        codes: Codes in use, repeats allowed.
        names: `part`, `code`, `name`.
        spellings: `read_spellings`.
    """
    named = {part: dict(rows.select("code", "name").iter_rows()) for (part,), rows in names.group_by("part")}
    told = {row["language"]: row for row in spellings.iter_rows(named=True)}
    rows = [_describe(code, named, told.get(code, {})) for code in codes.drop_nulls().unique().sort()]
    return pl.DataFrame(rows, schema=LANGUAGES.schema)


def _describe(code: str, names: dict[str, dict[str, str]], told: dict[str, Any]) -> dict[str, Any]:
    status, standard, reason = _status(code, names), told.get("standard"), told.get("reason")
    if standard is not None:
        status = LanguageStatus.SPELLING
    elif status is LanguageStatus.UNKNOWN and _status(code.replace("_", "-"), names) is LanguageStatus.KNOWN:
        status, standard, reason = LanguageStatus.SPELLING, code.replace("_", "-"), "underscore for a dash"
    elif status is LanguageStatus.KNOWN:
        standard = code
    language, _, script = (standard or "").partition("-")
    return {
        "language": code,
        "language_name": names.get("language", {}).get(language),
        "script_name": names.get("script", {}).get(script),
        "language_status": status.value,
        "standard": standard,
        "broader": told.get("broader"),
        "reason": reason,
    }


def _status(code: str, names: dict[str, dict[str, str]]) -> LanguageStatus:
    if code.endswith(PROGRAMMING):
        return LanguageStatus.CODE
    language, dash, script = code.partition("-")
    shaped = dash and len(language) == 3 and language.islower() and len(script) == 4 and script.istitle()
    listed = not names or (language in names["language"] and script in names["script"])
    return LanguageStatus.KNOWN if shaped and listed else LanguageStatus.UNKNOWN


def _read(path: Path, schema: pl.Schema, key: str) -> pl.DataFrame:
    records = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            strange = sorted(record.keys() - schema.keys())
        except (ValueError, AttributeError) as error:
            raise SourceError(f"{path}, line {number}: {error}; expected one JSON object. Repair the line.") from error
        if strange or key not in record:
            raise SourceError(
                f"{path}, line {number}: fields {sorted(record)}; expected {key} and of {list(schema)}. Repair it."
            )
        records.append(record)
    rows = pl.DataFrame(records, schema=schema)
    twice = rows.filter(pl.col(key).is_duplicated())
    if len(twice):
        raise SourceError(f"{path}: {key} {twice[key][0]!r} stands twice; expected once. Remove one of the lines.")
    return rows
