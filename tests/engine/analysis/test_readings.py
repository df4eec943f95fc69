import polars as pl
import pytest

from engine.analysis.readings import read_every_way
from engine.analysis.references import Reference

CELL = ("org/m", "T")
LABELS = {f"l{number}": 0.1 * number for number in range(1, 7)}
OTHERS = {f"o{number}": 0.5 + 0.1 * number for number in range(1, 7)}


def test_readings_of_one_kind_on_one_row(records_of, distributions_of):
    readings = read_every_way(distributions_of(records_of({CELL: LABELS}, {CELL: 0.9})))
    assert readings.readings.select("reference", "rows", "prompts", "call").rows() == [
        ("same-harness", "study", "shared", "high")
    ], "all, its kind and its author come to the same prompts"
    assert readings.cells.rows() == [(*CELL, "high", 1, 1, 0, 0, 1)]


def test_readings_by_kind_can_turn_a_call(records_of, distributions_of):
    kinds = {**dict.fromkeys(LABELS, "label-like"), **dict.fromkeys(OTHERS, "minimal")}
    readings = read_every_way(distributions_of(records_of({CELL: {**LABELS, **OTHERS}}, {CELL: 0.65}, kinds=kinds)))
    calls = dict(readings.readings.select("prompts", "call").rows())
    assert calls == {"shared": "typical", "kind label-like": "high", "kind minimal": "typical"}
    cell = readings.cells.row(0, named=True)
    assert (cell["n_readings"], cell["n_same"], cell["n_high"]) == (3, 2, 1)


def test_readings_by_reference_and_rows(records_of, distributions_of):
    prompts = {text: {"a": score, "b": 1 - score} for text, score in LABELS.items()}
    records = records_of(
        {CELL: prompts},
        {CELL: {"a": 0.9, "b": 0.1}},
        published=[(CELL, {"a": 0.0}, {})],
        benchmarks={"B": [("T", "b")], "C": [("T", "b")]},
    )
    readings = read_every_way(distributions_of(records)).readings.filter(pl.col("prompts") == "shared")
    assert readings.select("reference", "rows", "call").rows() == [
        ("published-matched", "study", "low"),
        ("same-harness", "study", "typical"),
        ("same-harness", "B", "low"),
    ], "C has the rows of B; nothing is published on b"


def test_readings_hold_for_the_published_reference_too(records_of, distributions_of):
    records = records_of({CELL: LABELS}, {CELL: 0.9}, published=[(CELL, 0.05, {})])
    cell = read_every_way(distributions_of(records, reference=Reference.PUBLISHED_MATCHED)).cells.row(0, named=True)
    assert (cell["call"], cell["n_readings"], cell["n_same"]) == ("low", 2, 1)


def test_sets_of_fewer_than_five_prompts_are_no_reading(records_of, distributions_of):
    few = {"p1": 0.1, "p2": 0.2, "p3": 0.3, "p4": 0.4}
    readings = read_every_way(distributions_of(records_of({CELL: few}, {CELL: 0.9})))
    assert readings.readings.is_empty()
    assert readings.cells.row(0, named=True)["n_readings"] == 0
    assert readings.cells.row(0, named=True)["n_same"] is None


@pytest.mark.parametrize("prompts", [{}, {CELL: dict.fromkeys(LABELS)}], ids=["nothing", "all null"])
def test_readings_of_nothing_are_empty(records_of, distributions_of, prompts):
    readings = read_every_way(distributions_of(records_of(prompts, dict.fromkeys(prompts, 0.5))))
    assert readings.readings.is_empty()
    assert len(readings.cells) == len(prompts)


def test_shown_reading_is_among_the_readings(records_of, distributions_of):
    kinds = {**dict.fromkeys(LABELS, "label-like"), **dict.fromkeys(OTHERS, "minimal")}
    distributions = distributions_of(records_of({CELL: {**LABELS, **OTHERS}}, {CELL: 0.65}, kinds=kinds))
    shown = distributions.cells.row(0, named=True)
    whole = read_every_way(distributions).readings.filter(pl.col("prompts") == "shared").row(0, named=True)
    assert [whole[key] for key in ("n", "q_low", "q_high", "call")] == [
        shown[key] for key in ("n", "q_low", "q_high", "call")
    ]
