"""The `engine show` lines that the language page prints give the numbers that its tables hold, view by view."""

import json
import shlex

import polars as pl
import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from ui import tables
from ui.language_page import WHAT
from ui.language_selection import VIEWS

STEM = "language_composition"
MODEL = "Qwen/Qwen3-Embedding-8B"
PAGE_TABLE = {
    "papers": "papers",
    "tasks": "tasks-eng-Latn",
    "languages-moved": "languages-moved",
    "models-moved": "models-moved",
    "without": "without",
    "scores": "language-scores",
    "shortlist": "shortlist",
    "same-paper": "same-paper",
    "worth": "worth",
    "coverage": "coverage",
    "disagreement": "agreement",
    "declared": "declared",
    "declared-correlation": "correlation",
}
ON_REQUEST = ("scores", "coverage", "disagreement")
"""Tables that the page draws when they are asked for."""
ADDRESSES = [
    *((view, {}) for view in VIEWS),
    ("Table", {"everything": "true"}),
    ("Worth", {"coverage": "true", "movers": "true"}),
    ("What if", {"leave-out": "type BitextMining", "weight": "task", "in-turn": "corpus", "language": "Malayalam"}),
    ("For my purpose", {"for": "German", "purpose": "clustering", "weights": "open", "max-parameters": "1 B"}),
    ("For my purpose", {"for": "Hindi", "min-tokens": "2048", "released-from": "2024", "license": "apache-2.0"}),
    ("Contamination", {"closure": "same corpus"}),
    ("Side by side", {"merge": "and broader codes", "data": "the commonest"}),
]


def numbers(frame: pl.DataFrame) -> list[tuple]:
    """The rows in an order of their own, numbers to nine places, lists as they are."""
    rounded = frame.with_columns(pl.col(pl.Float64).round(9))
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in rounded.iter_rows(named=True))


@pytest.fixture
def drawn(monkeypatch):
    """The tables that a page draws, by name."""
    found: dict[str, pl.DataFrame] = {}
    draw = tables.show_csv

    def show(frame, *, name, settings):
        found[name] = frame
        draw(frame, name=name, settings=settings)

    monkeypatch.setattr(tables, "show_csv", show)
    return found


@pytest.mark.parametrize(("view", "address"), ADDRESSES)
def test_printed_lines_give_the_tables_of_the_view(view, address, study_store, visitor, drawn, monkeypatch):
    monkeypatch.setenv("SCORELENS_DATA", str(study_store.data))
    model = {} if view in ("Table", "For my purpose", "Worth") else {"model": MODEL}
    at = visitor(study_store).open(STEM, view=view, **model, **address)
    lines = at.code[-1].value.splitlines()
    assert len(lines) == len(WHAT[view]) + (view == "What if")
    for line in lines:
        words = shlex.split(line)
        what = words[words.index("--what") + 1]
        ran = CliRunner().invoke(app, [*words[3:], "--format", "json"])
        assert ran.exit_code == 0, ran.output
        printed = pl.DataFrame(json.loads(ran.stdout), infer_schema_length=None)
        shown = drawn.get(PAGE_TABLE[what])
        if shown is None:
            assert what in ON_REQUEST, f"{what}: the page draws {list(drawn)}"
            continue
        shared = [name for name in printed.columns if name in shown.columns]
        assert any(shown.schema[name].is_numeric() for name in shared), (what, printed.columns, shown.columns)
        as_printed = pl.DataFrame(json.loads(shown.select(shared).write_json()), infer_schema_length=None)
        assert numbers(printed.select(shared)) == numbers(as_printed), what
