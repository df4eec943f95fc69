import pytest

from engine.ingest.prompt_sides import given_prompt
from engine.ingest.prompts import prompt_id
from engine.schema import PromptType

QUERY, DOCUMENT, NONE = PromptType.QUERY, PromptType.DOCUMENT, PromptType.NONE


@pytest.mark.parametrize(
    ("prompts", "task_type", "texts"),
    [
        # mteb's order: task and side, task, type and side, type, side.
        ({"T-query": "1", "T": "2", "Retrieval-query": "3", "query": "5"}, "Retrieval", {QUERY: "1", DOCUMENT: "2"}),
        ({"Retrieval-query": "3", "Retrieval": "4", "query": "5"}, "Retrieval", {QUERY: "3", DOCUMENT: "4"}),
        ({"query": "5"}, "Retrieval", {QUERY: "5"}),
        ({"document": "6"}, "Reranking", {DOCUMENT: "6"}),
        # A bare task name reaches both sides.
        ({"T": "Find:"}, "Retrieval", {QUERY: "Find:", DOCUMENT: "Find:"}),
        # The first key that is there wins, even with an empty text.
        ({"T-query": "", "query": "5"}, "Retrieval", {QUERY: ""}),
        # A task without sides asks without a side.
        ({"T": "Label:", "query": "5", "T-query": "1"}, "Classification", {NONE: "Label:"}),
        ({"STS": "Similar:"}, "STS", {NONE: "Similar:"}),
        ({"query": "5"}, "STS", {}),
        # One object per side, as instruction models take it.
        ({"T": {"query": "1", "document": ""}}, "Retrieval", {QUERY: "1", DOCUMENT: ""}),
        ({"T": {"query": "1"}}, "Retrieval", {QUERY: "1"}),
        ({}, "Retrieval", {}),
        # Unknown type: a task without sides, unless a key names it with one.
        ({"T": "x", "query": "y"}, None, {NONE: "x"}),
        ({"T-query": "x", "query": "y"}, None, {QUERY: "x"}),
    ],
)  # fmt: skip
def test_given_prompt_follows_the_lookup_order(prompts, task_type, texts):
    assert given_prompt(prompts, "T", task_type).texts == texts


def test_given_prompt_does_not_split_task_names_at_dashes():
    given = given_prompt({"A-B-query": "x", "A": "wrong", "B-query": "wrong"}, "A-B", "Retrieval")
    assert given.texts == {QUERY: "x"}
    assert given.matching_keys == {"A-B-query"}


def test_given_prompt_names_keys_that_apply_and_hold_no_text():
    given = given_prompt({"T": 7, "query": "x"}, "T", "Retrieval")
    assert given.texts == {}
    assert given.unreadable_keys == {"T"}


@pytest.mark.parametrize(
    ("prompts", "prompt_type", "identity"),
    [
        ({"T-query": "a"}, QUERY, prompt_id("query", "a")),
        ({"T-document": "a"}, DOCUMENT, prompt_id("document", "a")),
        ({"T": "a"}, PromptType.BOTH, prompt_id("query+document", "a", "a")),
        ({"T-query": "a", "T-document": "b"}, PromptType.BOTH, prompt_id("query+document", "a", "b")),
        ({"other": "a"}, None, None),
    ],
)
def test_given_prompt_has_the_identity_of_its_sides(prompts, prompt_type, identity):
    given = given_prompt(prompts, "T", "Retrieval")
    assert (given.prompt_type, given.prompt_id) == (prompt_type, identity)
