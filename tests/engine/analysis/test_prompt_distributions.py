import polars as pl
import pytest

from engine.analysis.places import Reading
from engine.analysis.prompt_distributions import CELL_COLUMNS, SCORE_COLUMNS, distribute
from engine.analysis.references import Reference

A, B = ("org/a", "T"), ("org/b", "T")
SIX = {f"p{number}": 0.1 * number for number in range(1, 7)}


def test_columns_are_the_same_whatever_is_asked(records_of, distributions_of):
    full = records_of({A: SIX}, {A: 0.5}, published=[(A, 0.6, {})])
    empty = full.prompts.head(0)
    for reference in Reference:
        for prompts in (None, empty):
            found = distributions_of(full, prompts, reference=reference)
            assert tuple(found.cells.columns) == CELL_COLUMNS
            assert tuple(found.scores.columns) == SCORE_COLUMNS


def test_types_are_the_same_whatever_is_asked(records_of, distributions_of):
    records = records_of({A: SIX}, {A: 0.5}, published=[(A, 0.6, {})])
    usual = distributions_of(records)
    for other in (
        distributions_of(records, records.prompts.head(0)),
        distributions_of(records, reference=Reference.PUBLISHED_MATCHED),
        distributions_of(records, reference=Reference.PUBLISHED_ALL),
        distributions_of(records_of({A: SIX})),
    ):
        assert other.cells.schema == usual.cells.schema
        assert other.scores.schema == usual.scores.schema
        assert other.left_out.schema == usual.left_out.schema


def test_nothing_at_all_is_empty_not_an_error(records_of, distributions_of):
    found = distributions_of(records_of({}))
    assert found.cells.is_empty() and found.scores.is_empty() and found.left_out.is_empty()
    assert found.notes == ()


def test_filter_on_models_changes_neither_shared_prompts_nor_rows(records_of):
    records = records_of({A: {**SIX, "only a": 0.9}, B: {text: {"test": 0.5, "more": 0.1} for text in SIX}})
    shared = records.prompts.filter(pl.col("shared"))
    assert sorted(shared["prompt_id"]) == sorted(SIX)
    alone = distribute(records, shared, Reading(), models=("org/a",))
    assert alone.cells["model_name"].to_list() == ["org/a"]
    assert alone.cells["n"].to_list() == [6]
    both = distribute(records, shared, Reading())
    assert both.cells.filter(pl.col("model_name") == "org/a").equals(alone.cells)


def test_filter_on_prompts_keeps_the_shared_mark(records_of, distributions_of):
    records = records_of({A: SIX, B: {"p1": 0.3}})
    found = distributions_of(records, records.prompts.filter(pl.col("prompt_id").is_in(["p1", "p2"])))
    assert found.prompts.select("prompt_id", "n_models", "shared").rows() == [("p1", 2, True), ("p2", 1, False)]
    assert dict(found.cells.select("model_name", "n").rows()) == {"org/a": 2, "org/b": 1}


def test_scores_stand_from_the_worst_to_the_best(records_of, distributions_of):
    found = distributions_of(records_of({A: {"x": 0.9, "y": 0.1, "z": None}}))
    assert found.scores["prompt_id"].to_list() == ["z", "y", "x"]


def test_incomplete_prompt_run_has_no_score_and_is_counted(records_of, distributions_of):
    records = records_of({A: {"p1": {"a": 0.1, "b": 0.3}, "p2": {"a": 0.5, "b": None}}})
    found = distributions_of(records)
    scores = {row["prompt_id"]: row for row in found.scores.iter_rows(named=True)}
    assert scores["p1"]["score"] == pytest.approx(0.2)
    assert (scores["p2"]["score"], scores["p2"]["rows"], scores["p2"]["rows_expected"]) == (None, 1, 2)
    cell = found.cells.row(0, named=True)
    assert (cell["n"], cell["n_incomplete"], cell["rows"], cell["rows_expected"]) == (1, 1, 1, 2)


def test_one_revision_a_cell_and_the_rest_is_said(records_of, distributions_of):
    first = records_of({A: SIX}, run_columns={"model_revision": "old"}, revisions={A: "old"})
    assert distributions_of(first).cells["model_revision"].to_list() == ["old"]
    none_shown = records_of({A: SIX}, run_columns={"model_revision": "old"}, revisions={A: "new"})
    assert distributions_of(none_shown).cells.is_empty()
    assert any("6 runs under other revisions of org/a" in note for note in none_shown.notes)


def test_question_is_kept_for_downloads(records_of):
    records = records_of({A: SIX})
    found = distribute(records, records.prompts, Reading(), settings={"source": "study"})
    assert found.settings == {"source": "study"}
    assert found.reading == Reading()


def test_inputs_are_left_as_they_are(records_of, distributions_of):
    records = records_of({A: SIX}, {A: 0.5})
    before = {name: frame.clone() for name, frame in vars(records).items() if isinstance(frame, pl.DataFrame)}
    distributions_of(records)
    assert all(getattr(records, name).equals(frame) for name, frame in before.items())


def defaults_of(*revisions):
    return [(A, 0.1 * number, {"model_revision": name}) for number, name in enumerate(revisions, start=1)]


@pytest.mark.parametrize(
    ("held", "picked", "chosen"),
    [
        pytest.param(["r0", "r1"], "r0", "r1", id="the revision of the prompts"),
        pytest.param(["r0", "r2"], "r2", "r2", id="else the picked one"),
    ],
)
def test_one_default_run_a_cell(records_of, distributions_of, held, picked, chosen):
    records = records_of({A: SIX}, own_defaults=defaults_of(*held), default_revisions={A: picked})
    found = distributions_of(records).cells.row(0, named=True)
    assert found["reference_revision"] == chosen
    assert ("model revision" in found["unlike_conditions"]) is (chosen != "r1")
