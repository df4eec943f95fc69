import polars as pl
import pytest

from engine.analysis.contamination import (
    Closure,
    Training,
    Undeclared,
    correlate_declared,
    declared_weight,
    read_declarations,
)
from tests.engine.analysis.language_boards import DEU, MAL, board

MODELS = [f"org/{letter}" for letter in "abcde"]
TASKS = ("X", "Y", "Z")


def records_of(declared, **more):
    """Models in order of rank, each with its `training_datasets` and `training_closure`."""
    rows = [(model, task, [MAL], 1 - place / 10) for place, model in enumerate(declared) for task in TASKS]
    about = {
        model: {"training_datasets": direct, "training_closure": closure}
        for model, (direct, closure) in declared.items()
    }
    return board(rows, models=about, **more)


@pytest.mark.parametrize(
    ("direct", "states"),
    [
        (None, [Training.UNKNOWN] * 3),
        ([], [Training.NOT_DECLARED] * 3),
        (["X"], [Training.DECLARED, Training.NOT_DECLARED, Training.NOT_DECLARED]),
        (["Elsewhere"], [Training.NOT_DECLARED] * 3),
    ],
)
def test_three_states(direct, states):
    declared = read_declarations(records_of({"org/a": (direct, direct)}), Closure.DIRECT)
    assert declared.cells["training"].to_list() == [state.value for state in states]


def test_closures_widen():
    records = records_of({"org/a": (["X"], ["X", "Y"])}, corpora={"Y": "c", "Z": "c"})
    counted = {closure: read_declarations(records, closure).models["n_declared"].item() for closure in Closure}
    assert counted == {Closure.DIRECT: 1, Closure.SIMILAR: 2, Closure.CORPUS: 3}


def test_declared_tasks_outside_the_benchmark_speak_for_their_corpus():
    records = records_of({"org/a": (["Elsewhere"], ["Elsewhere"])}, corpora={"Elsewhere": "c", "Z": "c"})
    declared = read_declarations(records, Closure.CORPUS).models.row(0, named=True)
    assert (declared["n_declared"], declared["declared"], declared["n_other"]) == (1, ["Z"], 1)


def test_unknown_is_neither_zero_nor_clean():
    records = records_of({"org/a": (None, None), "org/b": ([], [])})
    declared = read_declarations(records)
    assert dict(declared.models.select("model_name", "n_declared").iter_rows()) == {"org/a": None, "org/b": 0}
    shares = declared_weight(records, declared)
    told = {row["model_name"]: (row["declared_share"], row["training"]) for row in shares.iter_rows(named=True)}
    assert told == {"org/a": (None, Training.UNKNOWN.value), "org/b": (0.0, Training.NOT_DECLARED.value)}


def test_declared_share_is_of_the_models_own_rows():
    rows = [("org/a", "X", [MAL, MAL], 0.5), ("org/a", "Y", [MAL], 0.5), ("org/a", "Y", [DEU], 0.5)]
    records = board(rows, models={"org/a": {"training_datasets": ["X"], "training_closure": ["X"]}})
    shares = declared_weight(records, read_declarations(records))
    told = {
        row["language"]: (row["rows_declared"], row["rows"], row["training"]) for row in shares.iter_rows(named=True)
    }
    assert told == {MAL: (2, 3, Training.DECLARED.value), DEU: (0, 1, Training.NOT_DECLARED.value)}


def test_better_places_that_declare_more_give_a_negative_correlation():
    declared = dict(
        zip(MODELS, [(["X", "Y", "Z"],) * 2, (["X", "Y"],) * 2, (["X"],) * 2, ([],) * 2, (None,) * 2], strict=True)
    )
    found = correlate_declared(read_declarations(records_of(declared)))
    told = {row["undeclared"]: row for row in found.filter(pl.col("models") == "all ranked").iter_rows(named=True)}
    left_out, as_none = told[Undeclared.LEFT_OUT.value], told[Undeclared.ZERO.value]
    assert (left_out["n"], left_out["n_unknown"], left_out["spearman"]) == (4, 1, pytest.approx(-1))
    assert as_none["n"] == 5 and -1 < as_none["spearman"] < -0.9


def test_no_correlation_where_nothing_varies():
    found = correlate_declared(read_declarations(records_of({model: ([], []) for model in MODELS})))
    assert found["spearman"].null_count() == len(found)


def test_models_are_counted_by_task_and_state():
    declared = read_declarations(records_of({"org/a": (["X"], ["X"]), "org/b": (None, None)}))
    counted = {
        (row["task_name"], row["training"]): row["n_models"] for row in declared.states_of().iter_rows(named=True)
    }
    assert counted[("X", Training.DECLARED.value)] == 1
    assert counted[("X", Training.UNKNOWN.value)] == 1
    assert ("Y", Training.DECLARED.value) not in counted
    assert declared.states_of(["org/b"])["training"].unique().to_list() == [Training.UNKNOWN.value]
