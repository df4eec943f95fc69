import json

import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from engine.commands.languages import LanguageTable
from engine.errors import UsageError

QWEN = "Qwen/Qwen3-Embedding-8B"
ENG, MAL = "eng-Latn", "mal-Mlym"


@pytest.fixture
def show(study_store, monkeypatch):
    monkeypatch.setenv("SCORELENS_DATA", str(study_store.data))

    def run(*arguments: str) -> list[dict]:
        done = CliRunner().invoke(app, ["show", "language-composition", *arguments, "--format", "json"])
        assert done.exit_code == 0, done.output or done.exception
        return json.loads(done.stdout)

    return run


def test_one_model_in_one_language(show):
    (row,) = show("--language", MAL, "--model", QWEN)
    assert (row["model_name"], row["language"], row["language_name"]) == (QWEN, MAL, "Malayalam")
    assert (row["rows"], row["rows_distinct"]) == (80, 79)
    assert row["score"] == pytest.approx(0.885595, abs=1e-6)


def test_dropped_task_moves_english(show):
    (row,) = show("--language", ENG, "--model", QWEN, "--drop-task", "BibleNLPBitextMining")
    (same,) = show("--language", ENG, "--model", QWEN, "--exclude-task", "BibleNLPBitextMining")
    assert row == same and row["score"] == pytest.approx(0.873617, abs=1e-6)


def test_all_models_and_languages_are_printed_unless_some_are_named(show):
    rows = show("--benchmark", "MTEB(Multilingual, v2)")
    assert len({row["model_name"] for row in rows}) == 37
    assert len({row["language"] for row in rows}) > 1000


@pytest.mark.parametrize("what", list(LanguageTable))
def test_every_table_can_be_printed(show, what):
    asked = ("--language", MAL, "--language", "hin-Deva", "--model", QWEN, "--drop-type", "Clustering")
    rows = show(*asked, "--what", what.value)
    assert isinstance(rows, list) and (rows or what in (LanguageTable.NOTES,))


def test_short_list_takes_filters(show):
    rows = show(
        "--what", "shortlist", "--language", "deu-Latn", "--purpose", "search", "--max-parameters", "600000000",
        "--open-weights", "--released-from", "2023-01-01",
    )  # fmt: skip
    assert rows and all(row["n_parameters"] <= 600_000_000 and row["open_weights"] for row in rows)
    assert [row["rank"] for row in rows][:2] == [1, 2]


@pytest.mark.parametrize(
    "arguments", [("--language", "xyz-Latn"), ("--drop-task", "None"), ("--benchmark", "None"), ("--source", "None")]
)
def test_unknown_names_leave_with_code_two(study_store, monkeypatch, arguments):
    monkeypatch.setenv("SCORELENS_DATA", str(study_store.data))
    done = CliRunner().invoke(app, ["show", "language-composition", *arguments])
    assert isinstance(done.exception, UsageError) and arguments[1] in str(done.exception)
