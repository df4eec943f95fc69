"""Which string stands before which text."""

import json

import pytest

from engine.errors import UsageError
from engine.schema import PromptKind, PromptOrigin, PromptType
from engine.sweep.plan import SweepTask
from engine.sweep.prompting import (
    PlainPrompts,
    Prefix,
    Prompt,
    default_prefix,
    default_setting,
    encode_prompts,
    fit_prompts,
    prompt_setting,
    read_prompts,
)

E5 = {"query": "query: ", "document": "passage: "}
QUERY, DOCUMENT, NONE = PromptType.QUERY, PromptType.DOCUMENT, PromptType.NONE


def task(task_type):
    return SweepTask("T", task_type, "data1", build=lambda: None)


def prompt(text, side=QUERY, document_text=None, task="T"):
    return Prompt(task_name=task, prompt_type=side, text=text, kind=PromptKind.LABEL, document_text=document_text)


@pytest.mark.parametrize(
    ("model_prompts", "side", "expected"),
    [
        (E5, QUERY, "query: "),
        (E5, DOCUMENT, "passage: "),
        ({"Task-query": "a", "Task": "b", "query": "c"}, QUERY, "a"),
        ({"Task": "b", "Retrieval-query": "c", "query": "d"}, QUERY, "b"),
        ({"Task": "b"}, DOCUMENT, "b"),
        ({"Retrieval-query": "c", "Retrieval": "d", "query": "e"}, QUERY, "c"),
        ({"Retrieval": "d", "document": "e"}, DOCUMENT, "d"),
        ({"Task-query": "", "query": "e"}, QUERY, ""),
        ({"Task-passage": "a"}, DOCUMENT, None),
        ({}, QUERY, None),
    ],
)
def test_default_prefix_is_what_mteb_would_find(model_prompts, side, expected):
    found = default_prefix(model_prompts, "Task", "Retrieval", side)
    assert found.text == expected
    assert found.origin is (PromptOrigin.NONE if expected is None else PromptOrigin.MODEL)


@pytest.mark.parametrize(("key", "reaches"), [("query", False), ("document", False), ("STS", True), ("Task", True)])
def test_default_prefix_of_symmetric_task_knows_no_sides(key, reaches):
    assert default_prefix({key: "x"}, "Task", "STS", NONE).text == ("x" if reaches else None)


def test_prompt_on_queries_keeps_the_models_document_prefix():
    prefixes = prompt_setting(PlainPrompts(E5), task("Retrieval"), prompt("Find: ")).prefixes
    assert prefixes[QUERY] == Prefix("Find: ", PromptOrigin.STUDY)
    assert prefixes[DOCUMENT] == Prefix("passage: ", PromptOrigin.MODEL)


def test_prompt_on_queries_leaves_documents_bare_where_the_model_has_no_prefix():
    assert prompt_setting(PlainPrompts({}), task("Retrieval"), prompt("Find: ")).prefixes[DOCUMENT] == Prefix(
        None, PromptOrigin.NONE
    )


def test_prompts_on_both_sides_are_both_the_studys():
    both = prompt_setting(PlainPrompts(E5), task("Retrieval"), prompt("Find: ", PromptType.BOTH, "Text: ")).prefixes
    assert [both[side].text for side in (QUERY, DOCUMENT)] == ["Find: ", "Text: "]
    assert {prefix.origin for prefix in both.values()} == {PromptOrigin.STUDY}


def test_empty_prompt_no_prompt_and_default_are_three_settings():
    default = default_setting(PlainPrompts(E5), task("Retrieval"))
    bare = default_setting(PlainPrompts({}), task("Retrieval"))
    empty = prompt_setting(PlainPrompts({}), task("Retrieval"), prompt(""))
    assert default.prefixes[QUERY] == Prefix("query: ", PromptOrigin.MODEL)
    assert bare.prefixes[QUERY] == Prefix(None, PromptOrigin.NONE)
    assert empty.prefixes[QUERY] == Prefix("", PromptOrigin.STUDY)
    assert default.experiment_name == bare.experiment_name == "" != empty.experiment_name


@pytest.mark.parametrize(("side", "task_type"), [(NONE, "Retrieval"), (QUERY, "STS"), (DOCUMENT, "Classification")])
def test_prompt_for_a_side_that_the_task_lacks_is_refused(side, task_type):
    with pytest.raises(UsageError, match="is for the side"):
        prompt_setting(PlainPrompts({}), task(task_type), prompt("x", side))


def test_prompt_for_both_sides_needs_both_texts():
    with pytest.raises(UsageError, match="no document_text"):
        prompt_setting(PlainPrompts({}), task("Retrieval"), prompt("x", PromptType.BOTH))


HOSTILE = [
    "Label:",
    "Label?",
    "Label_",
    "Label: ",
    "LABEL:",
    "",
    " ",
    "a\nb",
    "Find {title} | {{x}}",
    "<b>%{y}",
    "ആന: ",
]


def test_prompts_that_look_alike_have_experiments_of_their_own():
    names = {prompt_setting(PlainPrompts({}), task("STS"), prompt(text, NONE)).experiment_name for text in HOSTILE}
    assert len(names) == len(HOSTILE)


@pytest.mark.parametrize("text", HOSTILE)
def test_prompt_text_stays_as_it_is(text, tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text(encode_prompts((prompt(text, NONE),)), encoding="utf-8")
    (read,) = read_prompts(path)
    assert read.text == text
    assert prompt_setting(PlainPrompts({}), task("STS"), read).prefixes[NONE].before("{x} text") == text + "{x} text"


def test_experiment_kwargs_hold_the_studys_own_texts_alone():
    assert default_setting(PlainPrompts(E5), task("Retrieval")).experiment_kwargs is None
    query, every = prompt("F: "), prompt("F: ", NONE)
    expected = {"prompts": {"T-query": "F: "}, "prompt_id": query.prompt_id}
    assert prompt_setting(PlainPrompts(E5), task("Retrieval"), query).experiment_kwargs == expected
    expected = {"prompts": {"T": "F: "}, "prompt_id": every.prompt_id}
    assert prompt_setting(PlainPrompts(E5), task("STS"), every).experiment_kwargs == expected


@pytest.mark.parametrize(
    "line", ['{"task_name": "T"}', "not json", '{"task_name":"T","prompt_type":"side","text":"","kind":""}']
)
def test_prompt_file_with_a_bad_line_is_named(line, tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"prompts\.jsonl"):
        read_prompts(path)


def test_study_form_is_read_and_fitted_to_its_tasks(tmp_path):
    path = tmp_path / "study.json"
    records = [
        {"task_name": "T", "prompt_text": "Find: ", "generators": ["gpt"]},
        {"task_name": "S", "prompt_text": ""},
    ]
    path.write_text(json.dumps(records), encoding="utf-8")
    read = read_prompts(path)
    assert [(each.text, each.prompt_type, each.generators) for each in read] == [
        ("Find: ", None, ("gpt",)),
        ("", None, None),
    ]
    fitted = fit_prompts(read, {"T": "Retrieval", "S": "STS"})
    assert [each.prompt_type for each in fitted] == [QUERY, NONE]
    assert [each.task_name for each in fit_prompts(read, {"S": "STS"})] == ["S"]


def test_prompt_for_every_task_becomes_one_for_each_with_its_side():
    everywhere = Prompt(task_name="*", text="Read: ")
    fitted = fit_prompts([everywhere], {"T": "Retrieval", "S": "STS"})
    assert [(each.task_name, each.prompt_type, each.text) for each in fitted] == [
        ("T", QUERY, "Read: "),
        ("S", NONE, "Read: "),
    ]


def test_prompt_without_a_side_has_no_identity_yet():
    with pytest.raises(UsageError, match="no prompt_type"):
        Prompt(task_name="T", text="x").prompt_id  # noqa: B018


def test_line_that_is_no_json_is_named_by_its_number(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"task_name": "t", "text": "a"}\n\nnot json\n')
    with pytest.raises(UsageError, match="prompt 2: JSON is malformed"):
        read_prompts(tmp_path / "p.jsonl")
