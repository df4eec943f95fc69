from datetime import date

import polars as pl
import pytest

from engine.analysis.contamination import Training, read_declarations
from engine.analysis.language_shortlist import ModelFilter, Purpose, list_models
from engine.errors import UsageError
from tests.engine.analysis.language_boards import DEU, ENG, HIN, MAL, board

A, B, C = "org/a", "org/b", "org/c"
FACTS = {
    A: {"n_parameters": 600, "embed_dim": 1024, "max_tokens": 512, "license": "mit", "open_weights": True,
        "release_date": "2024-05-01", "training_datasets": []},
    B: {"n_parameters": 100, "embed_dim": 384, "max_tokens": None, "license": "apache-2.0", "open_weights": True,
        "release_date": "2025-01-15", "training_datasets": ["Faq"]},
    C: {"n_parameters": None, "open_weights": False},
}  # fmt: skip


def records_of(scores, **more):
    return board(scores, models=FACTS, **more)


def shortlist(records, languages, purpose=Purpose.SEARCH, wanted=None):
    return list_models(records, read_declarations(records), languages, purpose, wanted, n_resamples=2_000)


def three_models():
    rows = []
    for model, faq, wiki in ((A, 0.9, 0.5), (B, 0.6, 0.6), (C, 0.3, 0.2)):
        rows += [(model, "Faq", [DEU], faq), (model, "Faq", [HIN], faq - 0.1), (model, "Wiki", [DEU], wiki)]
        rows += [(model, "Cross", [DEU, ENG], 0.99), (model, "Alike", [DEU], 0.99)]
    return records_of(rows, types={"Alike": "STS"})


def test_languages_count_the_same_and_so_do_tasks_within_them():
    found = shortlist(three_models(), [DEU, HIN])
    scores = dict(found.models.select("model_name", "score").iter_rows())
    assert scores[A] == pytest.approx(((0.9 + 0.5) / 2 + 0.8) / 2)
    assert found.models["rank"].to_list() == [1, 2, 3]
    assert found.n_tasks == 2


def test_only_rows_within_the_languages_count():
    found = shortlist(three_models(), [DEU])
    assert set(found.tasks["task_name"]) == {"Faq", "Wiki"}
    assert set(shortlist(three_models(), [DEU], Purpose.TRANSLATION).tasks["task_name"]) == set()
    assert set(shortlist(three_models(), [DEU], Purpose.SIMILARITY).tasks["task_name"]) == {"Alike"}
    assert set(shortlist(three_models(), [DEU], Purpose.ALL).tasks["task_name"]) == {"Faq", "Wiki", "Alike"}


def test_intervals_hold_the_score_and_say_who_could_be_first():
    models = shortlist(three_models(), [DEU, HIN]).models
    assert models.select(
        (pl.col("ci_low") <= pl.col("score")).all() & (pl.col("score") <= pl.col("ci_high")).all()
    ).item()
    could = dict(models.select("model_name", "could_be_first").iter_rows())
    assert could == {A: True, B: True, C: False}, "B beats A on one of two tasks, C on none"


def test_a_single_task_has_no_interval():
    found = shortlist(three_models(), [HIN])
    assert found.models.select("ci_low", "ci_high", "could_be_first").null_count().row(0) == (3, 3, 3)
    assert found.models["rank"].to_list() == [1, 2, 3]


def test_language_in_which_nothing_was_measured_is_named():
    records = records_of([(A, "Faq", [DEU], 0.9), (A, "Cross", [MAL, ENG], 0.4)])
    assert shortlist(records, [DEU, MAL]).unmeasured == (MAL,)
    nothing = shortlist(records, [MAL])
    assert nothing.unmeasured == (MAL,) and nothing.models.is_empty() and nothing.n_tasks == 0


def test_model_that_lacks_a_row_is_listed_without_a_rank():
    found = shortlist(records_of([(A, "Faq", [DEU], 0.5), (A, "Wiki", [DEU], 0.5), (B, "Faq", [DEU], 0.99)]), [DEU])
    last = found.models.row(-1, named=True)
    assert (last["model_name"], last["rank"], last["score"], last["rows"], last["rows_expected"]) == (
        B,
        None,
        None,
        1,
        2,
    )


def test_declared_training_is_marked_in_three_states():
    found = shortlist(three_models(), [DEU])
    states = dict(found.models.select("model_name", "training").iter_rows())
    assert states == {A: Training.NOT_DECLARED.value, B: Training.DECLARED.value, C: Training.UNKNOWN.value}
    assert dict(found.models.select("model_name", "n_declared").iter_rows()) == {A: 0, B: 1, C: None}


@pytest.mark.parametrize(
    ("wanted", "passing"),
    [
        (ModelFilter(), {A, B, C}),
        (ModelFilter(max_parameters=600), {A, B}),
        (ModelFilter(max_dimension=400), {B}),
        (ModelFilter(min_tokens=1000), {B, C}),
        (ModelFilter(open_weights=True), {A, B}),
        (ModelFilter(licenses=("mit",)), {A}),
        (ModelFilter(released_from=date(2025, 1, 1)), {B}),
        (ModelFilter(max_parameters=50), set()),
    ],
)
def test_model_filters(wanted, passing):
    assert set(shortlist(three_models(), [DEU], wanted=wanted).models["model_name"]) == passing


def test_unknown_language_is_refused():
    with pytest.raises(UsageError, match="xyz"):
        shortlist(three_models(), ["xyz-Latn"])


def test_same_seed_same_list():
    first, second = (shortlist(three_models(), [DEU, HIN]).models for _ in range(2))
    assert first.equals(second)


def test_interval_stays_among_the_scores_where_languages_have_different_tasks():
    rows = [(A, "Only", [HIN], 0.9), *((A, f"T{place}", [DEU], place / 10) for place in range(1, 6))]
    row = shortlist(records_of(rows), [DEU, HIN]).models.row(0, named=True)
    assert row["score"] == pytest.approx((0.3 + 0.9) / 2)
    assert 0.1 <= row["ci_low"] <= row["score"] <= row["ci_high"] <= 0.9
