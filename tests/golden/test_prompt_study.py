"""The prompt study against numbers that were computed independently from the same files."""

import polars as pl
import pytest

from engine.analysis.calls import count_calls
from engine.analysis.completeness import score_runs
from engine.analysis.places import Reading, describe_cells
from engine.analysis.prompt_records import CELL
from engine.analysis.prompt_sets import Authorship, authorship
from engine.analysis.references import OTHER_ROWS, Reference
from engine.analysis.variation import cv_by_model
from engine.answers.prompt_distributions import PromptQuestion, answer
from engine.answers.prompt_records import read_row_scores
from engine.store import open_snapshot

EXCLUDED = ("MasakhaNEWSClusteringS2S",)
CALLS = {"inflated": "high", "typical": "typical", "deflated": "low"}
SIX_DECIMALS = 1e-6
PERCENT_TO_FOUR = 1e-4
"""What the golden file keeps of a percentage."""

REFERENCES = {
    "baseline": Reference.SAME_HARNESS,
    "published_en": Reference.PUBLISHED_MATCHED,
    "published_all": Reference.PUBLISHED_ALL,
}


@pytest.fixture(scope="module")
def snapshot(study_store):
    return open_snapshot(study_store)


@pytest.fixture(scope="module")
def numbers(golden):
    return {key: entry["value"] for key, entry in golden["numbers"].items()}


@pytest.fixture(scope="module")
def names(golden):
    return golden["meta"]["models"]


@pytest.fixture(scope="module")
def clean(snapshot):
    """The clean set under each reference."""
    return {
        key: answer(snapshot, PromptQuestion(source="prompt-study", exclude_tasks=EXCLUDED, reference=reference))
        for key, reference in REFERENCES.items()
    }


@pytest.fixture(scope="module")
def every_prompt(snapshot):
    return answer(snapshot, PromptQuestion(source="prompt-study", exclude_tasks=EXCLUDED, prompts="all"))


def cell_of(distributions, model_name, task_name):
    found = distributions.cells.filter((pl.col("model_name") == model_name) & (pl.col("task_name") == task_name))
    return found.row(0, named=True) if len(found) else None


def close(value, tolerance=SIX_DECIMALS):
    """Stored values are rounded: half a unit of the last place is theirs, the rest is ours."""
    return pytest.approx(value, abs=tolerance, rel=0)


def test_clean_set_has_every_cell_once(clean, numbers, golden):
    scores = clean["baseline"].scores
    assert len(clean["baseline"].prompts) == numbers["study.clean.prompts"]
    assert len(scores) == numbers["study.clean.cells"]
    assert scores["score"].null_count() == numbers["study.clean.missing"]
    assert len(scores) - scores.select(*CELL, "prompt_id").n_unique() == numbers["study.clean.duplicates"]
    assert sorted(scores["task_name"].unique()) == sorted(golden["meta"]["tasks"])


def test_prompts_per_task(clean, numbers):
    counted = dict(clean["baseline"].prompts.group_by("task_name").len().iter_rows())
    assert counted == numbers["study.clean.prompts_per_task"]


def test_runs_of_the_study_beyond_the_clean_set(every_prompt, clean, numbers):
    scores = every_prompt.scores
    assert len(scores) == numbers["study.head.runs_11tasks"]
    extra = scores.join(clean["baseline"].scores, on=[*CELL, "prompt_id"], how="anti")
    written = every_prompt.prompts.select("task_name", "prompt_id", "n_models", who=authorship(pl.col("generators")))
    told = extra.join(written, on=["task_name", "prompt_id"])
    of_two = told.filter(pl.col("n_models") == 2)
    assert len(of_two) == numbers["study.head.handwritten_runs"]
    assert of_two["who"].unique().to_list() == [Authorship.NOT_RECORDED.value]
    assert len(told) - len(of_two) == numbers["study.head.extra_runs"]


def test_rows_of_the_study(clean, golden, snapshot):
    rows = snapshot.read("SELECT row_id, split, subset FROM rows")
    held = clean["baseline"].records.rows_of("study").join(rows, on="row_id")
    for task_name, expected in golden["meta"]["rows"].items():
        found = held.filter(pl.col("task_name") == task_name).select("split", "subset").rows()
        assert sorted(found) == sorted(map(tuple, expected)), task_name


def test_task_types(clean, golden):
    types = dict(clean["baseline"].cells.select("task_name", "task_type").unique().iter_rows())
    assert types == {task: name for name, tasks in golden["meta"]["task_types"].items() for task in tasks}


def test_statistics_of_each_cell(clean, golden, names):
    rows = golden["tables"]["stats_clean"]["rows"]
    for expected in rows:
        found = cell_of(clean["baseline"], names[expected["model"]], expected["task"])
        where = f"{expected['model']} on {expected['task']}"
        assert found["n"] == expected["n"], where
        for key in ("mean", "median", "sd", "min", "max"):
            assert found[key] == close(expected[key]), f"{where}: {key}"
        assert found["cv"] * 100 == close(expected["cv_pct"], PERCENT_TO_FOUR), where
    assert rows


@pytest.mark.parametrize("kind", REFERENCES)
def test_reference_and_its_place_in_each_cell(clean, golden, names, kind):
    compared = 0
    for expected in golden["tables"]["stats_clean"]["rows"]:
        found = cell_of(clean[kind], names[expected["model"]], expected["task"])
        where = f"{expected['model']} on {expected['task']}"
        if kind not in expected:
            assert found is None, f"{where} is published on none of the rows"
            continue
        place = expected[f"{kind}_place"]
        assert found["reference_score"] == close(expected[kind]), where
        assert (found["n_below"], found["n_equal"]) == (place["n_lt"], place["n_eq"]), where
        assert found["place_share_le"] == close(place["share_le"]), where
        assert found["place_midrank"] == close(place["midrank"]), where
        assert found["q_low"] == close(place["q10"]), where
        assert found["q_high"] == close(place["q90"]), where
        assert found["call"] == CALLS[place["call"]], where
        compared += 1
    assert compared > 30


@pytest.mark.parametrize("kind", ["baseline", "published_en"])
def test_calls_in_total(clean, numbers, kind):
    expected = numbers[f"calls.clean.{kind}"]
    cells = clean[kind].cells
    counts = count_calls(cells)
    assert counts.called == len(cells) == expected["cells"]
    assert (counts.high, counts.typical, counts.low) == (
        expected["inflated"],
        expected["typical"],
        expected["deflated"],
    )
    assert cells.filter(pl.col("place_midrank") > 0.9).height == expected["midrank_gt90"]
    assert cells.filter(pl.col("place_midrank") < 0.1).height == expected["midrank_lt10"]


def test_default_above_median_and_above_every_prompt(clean, numbers):
    counts = count_calls(clean["baseline"].cells)
    assert counts.above_median == numbers["calls.clean.baseline_above_median_of_prompts"]
    assert counts.above_every == numbers["calls.clean.baseline_above_all_prompts"]


def test_variation_of_each_model(clean, numbers, names):
    found = {row["model_name"]: row for row in cv_by_model(clean["baseline"].cells).iter_rows(named=True)}
    for short, model_name in names.items():
        expected = numbers[f"cv.clean.{short}"]
        assert found[model_name]["cv_median"] * 100 == close(expected["median"], PERCENT_TO_FOUR)
        assert found[model_name]["cv_max"] * 100 == close(expected["max"], PERCENT_TO_FOUR)
        assert found[model_name]["cv_max_task"] == expected["max_task"]


def test_variation_of_all_cells(clean, numbers, names):
    cells = clean["baseline"].cells.sort("cv", descending=True)
    assert cells["cv"].median() * 100 == close(numbers["cv.clean.median_all_cells"], PERCENT_TO_FOUR)
    assert cells.filter(pl.col("cv") >= 0.3).height == numbers["cv.clean.cells_ge_30"]
    largest = numbers["cv.clean.top10"]
    for found, (short, task_name, cv) in zip(cells.iter_rows(named=True), largest, strict=False):
        assert (found["model_name"], found["task_name"]) == (names[short], task_name)
        assert found["cv"] * 100 == close(cv, PERCENT_TO_FOUR)


def test_cells_without_a_published_score_on_these_rows(clean, numbers, names, snapshot):
    left_out = {(row[0], row[1]): row[2] for row in clean["published_en"].left_out.iter_rows()}
    expected = {(names[short], task): subsets for short, task, subsets in numbers["reported.published_missing"]}
    assert set(left_out) == set(expected)
    published = snapshot.read(
        "SELECT DISTINCT model_name, task_name, subset FROM runs JOIN scores USING (run_id) "
        "JOIN rows USING (row_id, task_name) WHERE source_name = 'mteb-sample'"
    )
    for cell, subsets in expected.items():
        assert (left_out[cell] == OTHER_ROWS) == (subsets is not None)
        held = published.filter((pl.col("model_name") == cell[0]) & (pl.col("task_name") == cell[1]))
        assert sorted(held["subset"]) == sorted(subsets or [])


def test_published_under_another_revision_only(clean, numbers, names):
    cells = clean["published_en"].cells
    external = cells.filter(pl.col("reference_revision") == "external").select("model_name", "task_name").rows()
    assert sorted(external) == sorted((names[short], task) for short, task in numbers["reported.published_external"])


def test_two_of_four_rows_are_said(clean):
    partial = clean["published_en"].cells.filter(pl.col("rows") < pl.col("rows_expected"))
    assert partial.select("task_name", "rows", "rows_expected").unique().rows() == [
        ("AmazonCounterfactualClassification", 2, 4)
    ]


@pytest.mark.parametrize("kind", REFERENCES)
def test_deflation_of_bge_under_each_reading(clean, numbers, names, kind):
    for cell, (score, midrank, call) in numbers["claim.bge_deflation.clean"][kind].items():
        short, task_name = cell.split("|")
        found = cell_of(clean[kind], names[short], task_name)
        assert found["reference_score"] == close(score), cell
        assert found["place_midrank"] == close(midrank), cell
        assert found["call"] == CALLS[call], cell


def test_inflation_of_qwen_on_miracl_is_another_language(clean, numbers, names):
    expected = numbers["claim.qwen3_miracl.clean"]
    cell = (names["qwen3-0.6b"], "MIRACLRetrievalHardNegatives.v2")
    assert cell_of(clean["published_all"], *cell)["reference_score"] == close(expected["published_all"])
    own = cell_of(clean["baseline"], *cell)
    assert own["max"] == close(expected["highest_english_prompt"])
    assert own["reference_score"] == close(expected["study_english_default"])
    assert cell_of(clean["published_en"], *cell) is None


AMAZON = "AmazonCounterfactualClassification"
AMAZON_ROWS = {
    "mean4": None,
    "test_en (MTEB(eng, v2))": [("test", "en")],
    "test_en+en-ext": [("test", "en"), ("test", "en-ext")],
    "validation_en-ext (notebook)": [("validation", "en-ext")],
}


@pytest.mark.parametrize("choice", AMAZON_ROWS)
def test_amazon_under_each_choice_of_rows(clean, numbers, names, snapshot, choice):
    records = clean["baseline"].records
    rows = snapshot.read("SELECT task_name, split, subset, row_id FROM rows WHERE task_name = ?", [AMAZON])
    wanted = AMAZON_ROWS[choice]
    chosen = (
        records.rows_of("study").filter(pl.col("task_name") == AMAZON)
        if wanted is None
        else rows.filter(pl.struct("split", "subset").is_in([{"split": s, "subset": t} for s, t in wanted]))
    ).select("task_name", "row_id", bundle_id="row_id", n_rows=1)
    shared = clean["baseline"].prompts.filter(pl.col("task_name") == AMAZON)
    runs = records.prompt_runs.join(shared, on=["task_name", "prompt_id"], how="semi")
    defaults = records.default_runs.filter(pl.col("task_name") == AMAZON)
    row_scores = read_row_scores(snapshot, pl.concat([runs["run_id"], defaults["run_id"]]))
    alone = row_scores.select("run_id", bundle_id="row_id", score_sum="score")
    scored = score_runs(runs, alone, chosen).with_columns(task_type=pl.lit("Classification"))
    cells = describe_cells(scored, Reading())
    defaults = score_runs(defaults, alone, chosen)
    for short, expected in numbers["amazon.row_choices"][choice].items():
        cell = cells.row(by_predicate=pl.col("model_name") == names[short], named=True)
        default = defaults.row(by_predicate=pl.col("model_name") == names[short], named=True)
        assert default["score"] == close(expected["baseline"]), short
        assert cell["mean"] == close(expected["prompt_mean"]), short
        assert cell["cv"] * 100 == close(expected["cv_pct"], PERCENT_TO_FOUR), short


def test_amazon_over_the_rows_of_a_benchmark(snapshot, numbers, names):
    question = PromptQuestion(source="prompt-study", tasks=(AMAZON,), rows="MTEB(eng, v2)")
    on_benchmark = answer(snapshot, question)
    for short, expected in numbers["amazon.row_choices"]["test_en (MTEB(eng, v2))"].items():
        found = cell_of(on_benchmark, names[short], AMAZON)
        assert found["reference_score"] == close(expected["baseline"])
        assert found["mean"] == close(expected["prompt_mean"])
        assert (found["rows"], found["rows_expected"]) == (1, 1)
