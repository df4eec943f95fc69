"""The data dictionary of `docs/`: every table, column and measure, written from their declarations."""

from __future__ import annotations

from engine.measures import MEASURES
from engine.schema import TABLES, Column, Table


def data_dictionary() -> str:
    """Markdown of `docs/data-dictionary.md`: tables of the store, then keys that commands print."""
    return "\n".join([_HEAD, *(_table(table) for table in TABLES), _KEYS_HEAD, *_measure_rows(), ""])


_HEAD = """# Data dictionary

Written by `python -m engine dictionary` from `engine/schema/` and `engine/measures.py`; a test keeps it true.
Scores are fractions in [0, 1] everywhere but on screen; correlations may be negative. *May be missing* means null.
"""

_KEYS_HEAD = """## Keys that commands print

`python -m engine show ANALYSIS --format json` prints a list of objects with the columns above
(`model_name`, `task_name`, …) and these:

| key | meaning | formula | unit | missing |
|---|---|---|---|---|"""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(table: Table) -> str:
    rows = "\n".join(_column(column) for column in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return (
        f"## `{table.name}`\n\n{table.grain[0].upper()}{table.grain[1:]}. Key: {key}.\n\n"
        f"| column | type | unit | may be missing | meaning |\n|---|---|---|---|---|\n{rows}\n"
    )


def _column(column: Column) -> str:
    choices = f" One of: {', '.join(column.choices)}." if column.choices else ""
    missing = "yes" if column.nullable else ""
    return f"| `{column.name}` | {column.dtype} | {column.unit} | {missing} | {_cell(column.meaning + choices)} |"


def _measure_rows() -> list[str]:
    described = [(measure.key, (measure.gloss, measure.formula, measure.unit, measure.missing)) for measure in MEASURES]
    return [f"| `{key}` | {' | '.join(_cell(text) for text in texts)} |" for key, texts in described]
