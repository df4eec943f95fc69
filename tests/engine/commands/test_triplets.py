import polars as pl
import pytest

from engine.answers.triplet_tests import TripletQuestion, answer, similarities
from engine.commands.triplets import TripletTable
from engine.errors import SnapshotMissing, SourceError
from engine.pipeline import build
from engine.settings import Settings
from engine.store import open_snapshot
from engine.triplets.files import read_set
from tests.engine.commands.command_line import run


@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv"])
def test_an_exported_set_is_imported_as_it_was(here: Settings, tmp_path, form):
    file = tmp_path / f"taken.{form}"
    file.write_text(run("triplets", "export", "--form", form), "utf-8")
    run("triplets", "import", str(file), "--set", "again")
    before, after = read_set(here, "starter").items, read_set(here, "again").items
    assert [(item.item_id, item.digest, item.note) for item in after] == [
        (item.item_id, item.digest, item.note) for item in before
    ]


def test_a_table_with_a_bad_row_adds_nothing_and_names_it(here: Settings, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("id,anchor,positive,negative\n001,a,b,c\n002,a,,c\n", "utf-8")
    with pytest.raises(SourceError, match="line 3 positives"):
        run("triplets", "import", str(file), "--set", "bad")
    assert not (here.data / "triplets" / "bad.jsonl").exists()


def test_every_table_of_a_set_that_nobody_ran_is_printed_without_outcomes(here: Settings, without_mteb):
    build(here)
    snapshot, question = open_snapshot(here), TripletQuestion("starter")
    tests = answer(snapshot, question)
    for what in TripletTable:
        printed = run("show", "triplet-tests", "--what", what.value, "--format", "csv")
        frame = similarities(snapshot, question) if what is TripletTable.SIMILARITIES else getattr(tests, what.value)
        assert printed.splitlines()[0].split(",") == frame.columns
    assert run("show", "tokenization", "--format", "csv").startswith("texts_name,model_name")


def test_tables_of_a_snapshot_that_is_not_there_are_refused(here: Settings):
    with pytest.raises(SnapshotMissing, match="No snapshot"):
        run("show", "triplet-tests")


def test_check_has_nothing_but_hints_about_the_starter_set(here: Settings):
    remarks = pl.read_csv(run("triplets", "check", "--format", "csv").encode())
    assert set(remarks["level"]) <= {"hint"}
