"""The four local tasks: what is in them, and that they are nobody else's."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from engine.demo.tasks import COMMAND_LABELS, RIVALS, home_commands, local_tasks
from engine.ingest.metadata import mteb_metadata
from engine.schema import ROWS, TASKS, PromptKind
from engine.settings import PROJECT
from engine.sweep.local_task import Labelled, Search
from engine.sweep.prompting import PlainPrompts, default_setting, prompt_setting, read_prompts

TASK = {task.task_type: task for task in local_tasks()}
PROMPTS = read_prompts(PROJECT / "data" / "prompts" / "demo.jsonl")

each_task = pytest.mark.parametrize("task", local_tasks(), ids=lambda task: task.name)


def test_demo_has_four_task_types():
    assert TASK.keys() == {"Retrieval", "Classification", "PairClassification", "BitextMining"}


def test_no_task_has_the_name_of_a_task_of_mteb(settings):
    known = set(mteb_metadata(settings).tasks["task_name"])
    assert known
    assert not known & {task.name for task in local_tasks()}


@each_task
def test_task_has_two_rows(task):
    assert len(task.content) == 2
    assert task.content.keys() == task.languages.keys()


@each_task
def test_description_has_the_columns_of_tasks_and_rows(task):
    described = json.loads(json.dumps(task.described()))
    rows = described.pop("rows")
    assert described.keys() <= TASKS.schema.keys() - {"described_by"}
    assert all(row.keys() <= ROWS.schema.keys() - {"row_id", "task_name"} for row in rows)
    assert all(row["n_queries"] or row["n_samples"] for row in rows)


@each_task
def test_mteb_accepts_the_description(task):
    built = task.build()
    assert built.metadata.name == task.name
    assert built.metadata.type == task.task_type
    assert built.metadata.main_score == task.main_score
    assert built.metadata.revision == task.dataset_revision
    assert built.metadata.hf_subsets_to_langscripts == {name: list(codes) for name, codes in task.languages.items()}


@each_task
def test_revision_is_of_the_texts(task):
    assert task.dataset_revision == replace(task, description="other words").dataset_revision
    one_row = dict(list(task.content.items())[:1])
    assert task.dataset_revision != replace(task, content=one_row).dataset_revision


@each_task
def test_fresh_task_each_time(task):
    assert task.build() is not task.build()


def test_every_question_has_an_answer_that_is_there():
    for search in TASK["Retrieval"].content.values():
        assert isinstance(search, Search)
        assert search.queries.keys() == search.relevant.keys()
        assert len(set(search.queries.values())) == len(search.queries) == 30
        for topics in search.relevant.values():
            assert topics
            assert set(topics) <= search.documents.keys()


def test_topics_are_cut_at_a_word_and_differ():
    documents = TASK["Retrieval"].content["objects"].documents
    assert len(set(documents.values())) == len(documents) > 70
    assert all(0 < len(text) <= 600 and text == text.strip() for _, text in documents.values())
    assert not any("****" in text for _, text in documents.values())


@pytest.mark.parametrize("language", ["en", "ml"])
def test_commands_to_label_are_none_of_those_trained_on(language):
    labelled = home_commands().content[language]
    assert isinstance(labelled, Labelled)
    trained, tested = ({text.text for text in part} for part in (labelled.train, labelled.test))
    assert not trained & tested
    assert Counter(text.label for text in labelled.train) == dict.fromkeys(range(len(COMMAND_LABELS)), 4)
    assert Counter(text.label for text in labelled.test) == dict.fromkeys(range(len(COMMAND_LABELS)), 6)


@pytest.mark.parametrize("language", ["en", "de"])
def test_pairs_are_as_many_of_each_kind_for_all_rivals(language):
    pairs = TASK["PairClassification"].content[language]
    assert Counter(pair.label for pair in pairs) == {1: 6 * len(RIVALS), 0: 9 * len(RIVALS)}
    assert all(pair.first != pair.second for pair in pairs)
    same = {frozenset((pair.first, pair.second)) for pair in pairs if pair.label}
    assert not same & {frozenset((pair.first, pair.second)) for pair in pairs if not pair.label}


@pytest.mark.parametrize(("subset", "script"), [("en-ml", "\u0d00"), ("en-de", "A")])
def test_messages_are_translated_and_differ(subset, script):
    pairs = TASK["BitextMining"].content[subset]
    assert len({pair.first for pair in pairs}) == len(pairs) == 32
    assert sum(any(script <= letter for letter in pair.second) for pair in pairs) == len(pairs)
    assert not any("%" in pair.first or "<" in pair.first for pair in pairs)


@each_task
def test_task_has_a_dozen_prompts_of_every_kind(task):
    prompts = [prompt for prompt in PROMPTS if prompt.task_name == task.name]
    assert 10 <= len(prompts) <= 14
    assert {prompt.kind for prompt in prompts} == set(PromptKind)
    assert len({prompt.prompt_id for prompt in prompts}) == len(prompts)
    assert "" in {prompt.text for prompt in prompts}


def test_every_prompt_is_of_a_demo_task_and_of_a_side_it_has():
    tasks = {task.name: task.sweep_task() for task in local_tasks()}
    for prompt in PROMPTS:
        task = tasks[prompt.task_name]
        setting = prompt_setting(PlainPrompts(), task, prompt)
        assert setting.prefixes.keys() == default_setting(PlainPrompts(), task).prefixes.keys()
