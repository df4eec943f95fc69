"""Content hashes: equal for equal content whatever its numbers and order, different for any other content."""

from pathlib import Path

import polars as pl
import pytest

from engine.content import broken_rules, content_hashes, row_counts
from engine.schema import LANGUAGE_LISTS, MODELS, ROWS, RUNS, SCORES, SNAPSHOT, SOURCES, TABLES, TASKS
from engine.settings import Settings
from engine.store import drafting, open_snapshot


def rows_of(table, *rows) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=table.schema)


def publish(folder: Path, *, numbers=(0, 1), order=1, score=0.5, path="/s", languages=("eng-Latn", "deu-Latn")):
    """A store of two runs; numbers, order and path are no content, score and languages are."""
    settings = Settings(folder)
    runs = [
        {
            "run_id": number,
            "source_name": "s",
            "model_name": "m",
            "model_revision": f"r{place}",
            "task_name": "T",
            "experiment_name": "",
            "is_default": True,
            "template_used": "no",
            "path": f"f{place}",
        }
        for place, number in enumerate(numbers)
    ]
    scores = [
        {"run_id": numbers[0], "row_id": numbers[1], "language_list_id": numbers[0], "score": score},
        {"run_id": numbers[1], "row_id": numbers[1], "language_list_id": numbers[0], "score": None},
    ]
    with drafting(settings) as draft:
        source = {"source_name": "s", "source_kind": "mteb cache", "path": path, "n_files": 2, "n_bytes": 9}
        draft.append(SOURCES, rows_of(SOURCES, source))
        draft.append(MODELS, rows_of(MODELS, {"model_name": "m", "described_by": "nobody"}))
        draft.append(TASKS, rows_of(TASKS, {"task_name": "T", "described_by": "nobody"}))
        row = {"row_id": numbers[1], "task_name": "T", "split": "test", "subset": "default"}
        draft.append(ROWS, rows_of(ROWS, row))
        lists = {"language_list_id": numbers[0], "languages": list(languages)}
        draft.append(LANGUAGE_LISTS, rows_of(LANGUAGE_LISTS, lists))
        draft.append(RUNS, rows_of(RUNS, *runs[::order]))
        draft.append(SCORES, rows_of(SCORES, *scores[::order]))
    return open_snapshot(settings)


def test_every_table_has_a_hash(tmp_path):
    hashes = content_hashes(publish(tmp_path))
    assert set(hashes) == {table.name for table in TABLES}
    assert all(len(value) == 64 for value in hashes.values())


@pytest.mark.parametrize("change", [{"numbers": (7, 3)}, {"order": -1}, {"path": "/elsewhere"}])
def test_hashes_do_not_depend_on_numbers_order_or_place(tmp_path, change):
    assert content_hashes(publish(tmp_path / "a")) == content_hashes(publish(tmp_path / "b", **change))


@pytest.mark.parametrize(
    ("change", "tables"),
    [
        ({"score": 0.5000000000000001}, {"scores"}),
        ({"score": None}, {"scores"}),
        ({"languages": ("deu-Latn", "eng-Latn")}, {"language_lists", "scores"}),
        ({"languages": ("eng-Latn",)}, {"language_lists", "scores"}),
    ],
)
def test_hashes_tell_other_content(tmp_path, change, tables):
    before, after = content_hashes(publish(tmp_path / "a")), content_hashes(publish(tmp_path / "b", **change))
    assert {name for name in before if before[name] != after[name]} == tables


def test_counts_are_by_table(tmp_path):
    counts = row_counts(publish(tmp_path))
    assert (counts["runs"], counts["scores"], counts["prompts"], counts["snapshot"]) == (2, 2, 0, 1)


class Changed:
    """A reader of a store in which one statement was run before."""

    def __init__(self, settings: Settings, statement: str) -> None:
        import duckdb

        self.connection = duckdb.connect(
            str(open_snapshot(settings).path), config={"python_enable_replacements": False}
        )
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute(statement)

    def read(self, sql: str, parameters=()) -> pl.DataFrame:
        return self.connection.sql(sql).pl()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("INSERT INTO scores SELECT * FROM scores LIMIT 1", "scores: key run_id, row_id repeated: 1"),
        ("DELETE FROM models", "runs.model_name: 2 rows point to nothing in models"),
        ("UPDATE scores SET language_list_id = 9 WHERE run_id = 0", "scores.language_list_id: 1 rows point"),
        ("UPDATE scores SET score = 'nan' WHERE run_id = 0", "scores: score not a number: 1"),
        ("UPDATE scores SET score = 'infinity' WHERE run_id = 0", "scores: score not a number: 1"),
        ("UPDATE runs SET template_used = 'maybe' WHERE run_id = 0", "template_used not one of its choices: 1"),
        ("ALTER TABLE runs ALTER path DROP NOT NULL; UPDATE runs SET path = NULL", "runs: path missing: 2"),
    ],
)
def test_broken_rules_are_named_with_table_and_count(tmp_path, statement, says):
    publish(tmp_path).close()
    broken = broken_rules(Changed(Settings(tmp_path), statement))
    assert any(says in rule for rule in broken), broken


def test_signature_is_content_but_not_its_time_and_name(tmp_path):
    first, second = publish(tmp_path / "a"), publish(tmp_path / "b")
    names = [reader.read("SELECT snapshot_id FROM snapshot").item() for reader in (first, second)]
    assert names[0] != names[1]
    assert content_hashes(first)[SNAPSHOT.name] == content_hashes(second)[SNAPSHOT.name]
