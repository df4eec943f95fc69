import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.ingest.prompts import (
    PROMPT_TEXT_FRAME,
    describe_prompts,
    duplicate_prompts,
    has_sides,
    prompt_id,
    read_prompt_file,
)
from engine.schema import PROMPTS, TASKS, PromptKind, PromptType, problems_in

TYPES = {"Find": "Retrieval", "Sort": "Classification"}
HOSTILE = [
    "Find {title} | {{x}}",
    "a\nb",
    "<b>x</b><br>%{y}",
    "$5 to $9",
    "👩‍🚀",
    "بحث query",
    "None",
    "",
    "Label:",
    "Label: ",
]


@pytest.fixture
def tasks():
    rows = [{"task_name": name, "task_type": kind, "described_by": "source"} for name, kind in TYPES.items()]
    return pl.DataFrame(rows, schema=TASKS.schema)


def write(path, *records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path


def texts(*prompts):
    rows = [(prompt_id(side, text), task, side, text, None) for task, side, text in prompts]
    return pl.DataFrame(rows, schema=PROMPT_TEXT_FRAME, orient="row")


@given(st.lists(st.tuples(st.sampled_from(list(PromptType)), st.text(), st.none() | st.text()), unique=True))
def test_prompt_id_differs_where_side_or_text_differs(prompts):
    # A zero byte separates the parts and no prompt holds one.
    prompts = [prompt for prompt in prompts if "\0" not in prompt[1] + (prompt[2] or "")]
    assert len({prompt_id(*prompt) for prompt in prompts}) == len(prompts)


def test_prompt_id_strips_and_folds_nothing():
    assert len({prompt_id("none", text) for text in ("Label:", "Label?", "Label_", "Label: ", "label:")}) == 5


@pytest.mark.parametrize(
    ("task_name", "task_type", "sided"),
    [
        ("X", "Retrieval", True),
        ("X", "InstructionReranking", True),
        ("X", "Any2AnyMultilingualRetrieval", True),
        ("X", "DocumentUnderstanding", True),
        ("TERRa.V2", "PairClassification", True),
        ("X", "PairClassification", False),
        ("X", "STS", False),
        ("XRetrieval", None, False),
    ],
)
def test_has_sides(task_name, task_type, sided):
    assert has_sides(task_name, task_type) is sided


def test_read_prompt_file_keeps_every_byte_of_hostile_texts(tmp_path, tasks):
    path = write(tmp_path / "p.jsonl", *({"task_name": "Find", "prompt_type": "query", "text": t} for t in HOSTILE))
    read = read_prompt_file(path, tasks)
    assert read["prompt_text"].to_list() == HOSTILE
    assert read["prompt_id"].n_unique() == len(HOSTILE)


def test_read_prompt_file_gives_a_prompt_without_side_that_of_its_task(tmp_path, tasks):
    records = [{"task_name": name, "prompt_text": "x", "generators": ["m"]} for name in ("Find", "Sort", "Unheard")]
    path = tmp_path / "list.json"
    path.write_text(json.dumps(records))
    read = read_prompt_file(path, tasks)
    assert read["prompt_type"].to_list() == ["query", "none", "none"]
    assert read["prompt_id"][0] == prompt_id("query", "x")
    assert read["generators"].to_list() == [["m"]] * 3


def test_read_prompt_file_takes_a_repeated_prompt_once(tmp_path, tasks):
    record = {"task_name": "Sort", "prompt_type": "none", "text": "x"}
    path = write(tmp_path / "p.jsonl", {**record, "note": "first"}, {**record, "note": "second"})
    assert read_prompt_file(path, tasks)["note"].to_list() == ["first"]


@pytest.mark.parametrize(
    "broken",
    [
        {"task_name": "Sort"},
        {"text": "x"},
        {"task_name": "Sort", "text": 3},
        {"task_name": "Sort", "text": "x", "kind": "clever"},
        {"task_name": "Sort", "text": "x", "prompt_type": "passage"},
        {"task_name": "Sort", "text": "x", "generators": "me"},
        {"task_name": "Sort", "text": "x", "note": 3},
        "x",
    ],
)
def test_read_prompt_file_names_the_broken_record(tmp_path, tasks, broken):
    path = write(tmp_path / "p.jsonl", {"task_name": "Sort", "text": "fine"}, broken)
    with pytest.raises(SourceError, match="prompt 2"):
        read_prompt_file(path, tasks)


@pytest.mark.parametrize("content", [b"{", b"[1", b"\xff\xfe{}"])
def test_read_prompt_file_says_what_it_expected(tmp_path, tasks, content):
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="expected JSON lines"):
        read_prompt_file(path, tasks)


def test_describe_prompts_takes_the_last_file_s_word_and_else_the_rule(tmp_path, tasks):
    known = {"task_name": "Sort", "prompt_type": "none", "text": "known"}
    first = write(tmp_path / "1.jsonl", {**known, "kind": "minimal", "generators": ["handwritten"], "note": "n"})
    second = write(tmp_path / "2.jsonl", {**known, "kind": "wrong task"})
    records = [read_prompt_file(path, tasks) for path in (first, second)]
    prompts = describe_prompts(texts(("Sort", "none", "known"), ("Sort", "none", "Classify the text:")), records, tasks)
    assert problems_in(prompts, PROMPTS) == []
    assert prompts.select("prompt_kind", "kind_origin", "generators", "note").rows() == [
        ("wrong task", "file", ["handwritten"], "n"),
        (str(PromptKind.INSTRUCTION), "rule", None, None),
    ]


def test_duplicate_prompts_finds_case_and_near_twins_on_one_task_and_side(tasks):
    prompts = texts(
        ("Sort", "none", "Label:"), ("Sort", "none", "label:"), ("Sort", "none", "Label: "), ("Sort", "none", "Other"),
        ("Find", "query", "LABEL"),
    )  # fmt: skip
    found = duplicate_prompts(prompts).select("prompt_text", "twin_text", "likeness").rows()
    assert sorted(found) == [("Label: ", "Label:", "near"), ("label:", "Label:", "case")]


def test_duplicate_prompts_sees_through_unicode_and_tells_exact_repeats():
    columns = ["task_name", "prompt_type", "prompt_text", "prompt_id"]
    said = ("Café: ", "Cafe\u0301: ", "Caf\u00e9\u200b: ", "Café: ", "Tea: ", "Ｔｅａ: ")
    rows = [("T", None, text, str(number)) for number, text in enumerate(said)]
    prompts = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String()), orient="row")
    found = duplicate_prompts(prompts).select("prompt_text", "twin_text", "likeness").rows()
    assert Counter(likeness for *_, likeness in found) == {"exact": 1, "near": 3}
    assert ("Ｔｅａ: ", "Tea: ", "near") in found


def test_prompt_for_every_task_takes_each_task_s_side(tmp_path, tasks):
    path = write(tmp_path / "p.jsonl", {"task_name": "*", "text": "x: "})
    read = read_prompt_file(path, tasks).select("task_name", "prompt_type").rows()
    assert {("Sort", "none"), ("Find", "query")} <= set(read)
    assert len(read) == len(tasks)
