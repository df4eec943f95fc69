import polars as pl
import pytest

from engine.analysis.prompt_sets import (
    Authorship,
    PromptFilter,
    authorship,
    count_sharers,
    find_prompt_limit,
    select_prompts,
)


def test_shared_prompts_are_run_by_every_model_of_the_task():
    runs = pl.DataFrame(
        [("a", "T", "p"), ("b", "T", "p"), ("a", "T", "q"), ("a", "U", "q")],
        ["model_name", "task_name", "prompt_id"],
        orient="row",
    )
    assert count_sharers(runs).rows() == [("T", "p", 2, True), ("T", "q", 1, False), ("U", "q", 1, True)]


def cells(**prompts):
    rows = [(model, task, prompt) for model, tasks in prompts.items() for task, ran in tasks.items() for prompt in ran]
    return pl.DataFrame(rows, ["model_name", "task_name", "prompt_id"], orient="row")


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param(cells(a={"T": "pqr"}, b={"T": "pqr"}, c={"T": "p"}), ("c", 1, 3), id="one that ran few"),
        pytest.param(cells(a={"T": "pqr"}, b={"T": "pqr"}, c={"T": "xyz"}), ("c", 0, 3), id="one that ran others"),
        pytest.param(cells(a={"T": "pq"}, b={"T": "pq"}), None, id="none"),
        pytest.param(cells(a={"T": "pq"}), None, id="a single model"),
        pytest.param(cells(a={"T": "pq", "U": "xy"}, b={"T": "pq"}), None, id="a task that one model never ran"),
        pytest.param(cells(a={"T": "p"}, b={"T": "q"}), ("a", 0, 1), id="a tie goes by name"),
    ],
)
def test_model_that_limits_the_shared_prompts_is_named(runs, expected):
    found = find_prompt_limit(runs)
    assert (found and (found.model_name, found.n_shared, found.n_without)) == expected


def test_a_model_counts_once_however_often_it_ran():
    runs = pl.DataFrame([("a", "T", "p")] * 2, ["model_name", "task_name", "prompt_id"], orient="row")
    assert count_sharers(runs).rows() == [("T", "p", 1, True)]


PROMPTS = pl.DataFrame(
    {
        "prompt_id": ["1", "2", "3", "4"],
        "prompt_text": ["Label:", "label: ", "Find {x} (a|b)", ""],
        "prompt_kind": ["label-like", "label-like", "instruction-like", "minimal"],
        "generators": [["gpt", "qwen"], ["handwritten"], None, ["gpt"]],
    }
)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        pytest.param(PromptFilter(), ["1", "2", "3", "4"], id="nothing asked"),
        pytest.param(PromptFilter(kinds=("minimal",)), ["4"], id="kind"),
        pytest.param(PromptFilter(generators=("gpt",)), ["1", "4"], id="any of the authors"),
        pytest.param(PromptFilter(generators=("not recorded",)), ["3"], id="author not recorded"),
        pytest.param(PromptFilter(generators=("qwen", "handwritten")), ["1", "2"], id="either author"),
        pytest.param(PromptFilter(search="LABEL:"), ["1", "2"], id="search folds case"),
        pytest.param(PromptFilter(search="{x} (a|b)"), ["3"], id="search is literal"),
        pytest.param(PromptFilter(search=": "), ["2"], id="search keeps spaces"),
        pytest.param(PromptFilter(excluded=("1", "9")), ["2", "3", "4"], id="excluded"),
        pytest.param(PromptFilter(kinds=("label-like",), generators=("gpt",)), ["1"], id="all that is asked"),
        pytest.param(PromptFilter(search="nowhere"), [], id="none left"),
    ],
)
def test_prompts_that_pass(wanted, ids):
    assert select_prompts(PROMPTS, wanted)["prompt_id"].to_list() == ids


@pytest.mark.parametrize(
    ("generators", "who"),
    [
        (["gpt"], Authorship.GENERATED),
        (["handwritten"], Authorship.HANDWRITTEN),
        (["gpt", "handwritten"], Authorship.HANDWRITTEN),
        (None, Authorship.NOT_RECORDED),
        ([], Authorship.NOT_RECORDED),
    ],
)
def test_authorship(generators, who):
    frame = pl.DataFrame({"generators": [generators]}, {"generators": pl.List(pl.String)})
    assert frame.select(authorship(pl.col("generators"))).item() == who.value
