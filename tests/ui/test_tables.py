import polars as pl
import pytest
from streamlit.testing.v1 import AppTest

from engine.measures import MEASURES, MEASURES_BY_KEY
from ui import tables

SETTINGS = {"snapshot": "0001", "task": "<b>x</b>\nwith a line break"}


def test_a_measure_names_its_column_and_explains_it():
    assert tables.column_title("cv") == MEASURES_BY_KEY["cv"].title
    help_text = tables.column_help("cv").replace("\\", "")
    assert MEASURES_BY_KEY["cv"].gloss in help_text and MEASURES_BY_KEY["cv"].formula in help_text


@pytest.mark.parametrize(
    ("name", "title"),
    [("model_name", "model"), ("n_files", "files"), ("dataset_revision", "dataset revision"), ("n", "n")],
)
def test_other_columns_are_named_in_words(name, title):
    assert tables.column_title(name) == title


def test_a_column_of_the_schema_is_explained_by_it():
    assert tables.column_help("subset").startswith("configuration inside the task")
    assert tables.column_help("no_such_column") is None


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_help_of_a_measure_holds_no_markdown(measure):
    shown = tables.column_help(measure.key)
    assert not [sign for sign in "*_`$[]<>" if sign in shown.replace(f"\\{sign}", "")]


def test_csv_begins_with_its_settings_each_on_a_line_of_its_own():
    written = tables.csv_with_settings(pl.DataFrame({"model_name": ["a"], "mean": [0.123456789]}), SETTINGS)
    assert written.splitlines() == [
        "# snapshot: 0001",
        "# task: <b>x</b> with a line break",
        "model_name,mean",
        "a,0.123456789",
    ]


def test_csv_can_be_read_back_with_hostile_texts():
    texts = ["a\nb", 'say "hi", twice', "", None, "=1+1"]
    written = tables.csv_with_settings(
        pl.DataFrame({"prompt_text": texts, "languages": [["x", "y"], [], None, ["z"], None]}), {}
    )
    read = pl.read_csv(written.encode(), comment_prefix="#")
    assert read["prompt_text"].to_list() == texts
    assert read["languages"].to_list() == ["x; y", "", None, "z", None]


def _page():
    from datetime import UTC, datetime

    import polars as pl

    from ui import tables

    cells = pl.DataFrame(
        {
            "model_name": ["a/b", "a/c"],
            "mean": [0.57612, None],
            "gap_to_median": [-0.0001, 0.0312],
            "n_runs": [1, 2],
            "created_at": [datetime(2026, 1, 2, tzinfo=UTC)] * 2,
        }
    )
    tables.show_table(
        cells, name="cells", settings={"snapshot": "0001"}, columns=["model_name", "mean", "gap_to_median"]
    )


def test_a_table_shows_points_rounded_and_without_negative_zero():
    at = AppTest.from_function(_page).run()
    assert not at.exception
    shown = at.dataframe[0].value
    assert list(shown.columns) == ["model_name", "mean", "gap_to_median"]
    assert shown["mean"][0] == pytest.approx(57.6)
    assert str(shown["gap_to_median"][0]) == "0.0" and shown["gap_to_median"][1] == pytest.approx(3.1)
