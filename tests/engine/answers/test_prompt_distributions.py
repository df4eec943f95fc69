import json

import polars as pl
import pytest

from engine.analysis.references import Reference
from engine.answers import prompt_distributions as prompts
from engine.answers.prompt_distributions import PromptQuestion, answer, answer_from, options, read
from engine.errors import UsageError
from engine.store import drafting, open_snapshot

IMDB = "ImdbClassification"
SMALL = "BAAI/bge-small-en-v1.5"


@pytest.fixture(scope="module")
def snapshot(study_store):
    return open_snapshot(study_store)


def test_first_source_with_prompts_is_asked_where_none_is_named(snapshot):
    found = answer(snapshot, PromptQuestion(tasks=(IMDB,)))
    assert found.settings["source"] == "prompt-study"
    assert found.settings["snapshot"] == snapshot.snapshot_id


def test_options_name_what_a_question_may_name(snapshot):
    offered = options(snapshot, "prompt-study")
    assert len(offered.models) == 6 and len(offered.tasks) == 12
    assert "MTEB(eng, v2)" in offered.benchmarks
    assert offered.published == ("mteb-sample",)
    assert set(offered.generators) == {"Qwen-Qwen3.6-35B-A3B", "google-gemma-4-26B-A4B-it", "openai-gpt-oss-120b"}
    for benchmark in offered.benchmarks:
        assert read(snapshot, PromptQuestion()).rows_of(benchmark).height


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (PromptQuestion(source="nowhere"), ["nowhere", "prompt-study"]),
        (PromptQuestion(source="mteb-sample"), ["mteb-sample", "prompt-study"]),
        (PromptQuestion(tasks=("Imdb",)), ["'Imdb'", IMDB]),
        (PromptQuestion(exclude_tasks=("Imdb",)), ["'Imdb'", IMDB]),
        (PromptQuestion(models=("bge",)), ["'bge'", SMALL]),
        (PromptQuestion(rows="MTEB(none)"), ["MTEB(none)", "MTEB(eng, v2)", "study"]),
        (PromptQuestion(published="nowhere"), ["nowhere", "mteb-sample"]),
        (PromptQuestion(prompts="no/such/file.jsonl"), ["no/such/file.jsonl", "shared"]),
        (PromptQuestion(low=0.9, high=0.1), ["0.9", "0 ≤ low < high ≤ 1"]),
        (PromptQuestion(high=1.5), ["1.5"]),
    ],
)
def test_unknown_name_is_named_with_those_that_exist(snapshot, question, words):
    with pytest.raises(UsageError) as refused:
        answer(snapshot, question)
    assert all(word in str(refused.value) for word in words)


def test_snapshot_without_prompt_experiments_says_what_to_do(settings):
    with drafting(settings):
        pass
    with pytest.raises(UsageError, match="engine demo"):
        answer(open_snapshot(settings), PromptQuestion())


def test_same_records_serve_other_filters(snapshot):
    question = PromptQuestion(tasks=(IMDB,), models=(SMALL,), reference=Reference.PUBLISHED_ALL, search="sentiment")
    records = read(snapshot, PromptQuestion(tasks=(IMDB,)))
    assert answer_from(records, snapshot, question).cells.equals(answer(snapshot, question).cells)


def test_filter_on_models_does_not_change_which_prompts_are_shared(snapshot):
    everyone = answer(snapshot, PromptQuestion(tasks=(IMDB,)))
    alone = answer(snapshot, PromptQuestion(tasks=(IMDB,), models=(SMALL,)))
    assert len(alone.prompts) == len(everyone.prompts)
    assert answer(snapshot, PromptQuestion(tasks=(IMDB,), models=(SMALL,), prompts="all")).cells["n"].item() > 43


def test_tasks_left_out_are_left_out(snapshot):
    found = answer(snapshot, PromptQuestion(tasks=(IMDB, "STS14"), exclude_tasks=("STS14",)))
    assert found.cells["task_name"].unique().to_list() == [IMDB]


def test_prompts_of_a_file(snapshot, tmp_path):
    some = answer(snapshot, PromptQuestion(tasks=(IMDB,))).prompts.head(7)
    file = tmp_path / "mine.jsonl"
    lines = [
        json.dumps({"task_name": row["task_name"], "prompt_type": row["prompt_type"], "text": row["prompt_text"]})
        for row in some.iter_rows(named=True)
    ]
    unknown = {"task_name": IMDB, "prompt_type": "none", "text": "nobody ran this"}
    file.write_text("\n".join([*lines, json.dumps(unknown)]) + "\n", encoding="utf-8")
    found = answer(snapshot, PromptQuestion(tasks=(IMDB,), prompts=str(file)))
    assert sorted(found.prompts["prompt_id"]) == sorted(some["prompt_id"])
    assert found.cells["n"].unique().to_list() == [7]


def test_the_study_s_own_prompt_file_is_the_clean_set(snapshot, shared):
    file = str(shared / "data" / "prompt_study_prompts.json")
    excluded = ("MasakhaNEWSClusteringS2S",)
    from_file = answer(snapshot, PromptQuestion(prompts=file, exclude_tasks=excluded))
    clean = answer(snapshot, PromptQuestion(exclude_tasks=excluded))
    assert from_file.scores.equals(clean.scores)


def test_prompts_ticked_out_are_left_out(snapshot):
    whole = answer(snapshot, PromptQuestion(tasks=(IMDB,)))
    ticked = tuple(whole.prompts["prompt_id"].head(3))
    found = answer(snapshot, PromptQuestion(tasks=(IMDB,), exclude_prompts=ticked))
    assert len(found.prompts) == len(whole.prompts) - 3
    assert not set(ticked) & set(found.scores["prompt_id"])


def test_published_scores_from_one_source(snapshot):
    found = answer(snapshot, PromptQuestion(tasks=(IMDB,), published="mteb-sample", reference=Reference.PUBLISHED_ALL))
    assert found.cells["reference_source"].unique().to_list() == ["mteb-sample"]


def test_settings_hold_what_was_asked(snapshot):
    question = PromptQuestion(tasks=(IMDB,), kinds=("label-like",), low=0.05)
    found = answer(snapshot, question).settings
    assert (found["task"], found["kind"], found["low"], found["high"]) == (IMDB, "label-like", "0.05", "0.9")
    assert "search" not in found


def test_a_question_can_be_a_key_of_a_cache():
    assert hash(PromptQuestion(tasks=(IMDB,))) == hash(PromptQuestion(tasks=(IMDB,)))


def test_every_cell_is_placed_among_its_own_scores(snapshot):
    found = answer(snapshot, PromptQuestion(exclude_tasks=("MasakhaNEWSClusteringS2S",)))
    counted = found.scores.group_by("model_name", "task_name").agg(again=pl.col("score").count())
    joined = found.cells.join(counted, on=["model_name", "task_name"])
    assert (joined["n"] == joined["again"]).all() and len(joined) == 66
    assert found.settings["prompts"] == prompts.SHARED
