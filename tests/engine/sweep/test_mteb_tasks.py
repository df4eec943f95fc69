"""Tasks of mteb's: data is loaded once, each run has a task as mteb would make it, what is missing is said once."""

import warnings

import mteb
import numpy as np
import pytest
from datasets import Dataset
from mteb.abstasks import AbsTaskClustering
from mteb.abstasks.aggregate_task_metadata import AggregateTaskMetadata
from mteb.abstasks.aggregated_task import AbsTaskAggregate
from mteb.get_tasks import _TASKS_REGISTRY

from engine.errors import TaskUnavailable, UsageError
from engine.schema import PromptType
from engine.sweep.prompting import PlainPrompts, default_setting
from engine.sweep.scoring import model_meta, score
from engine.sweep.tasks import find_task
from tests.engine.sweep import test_items
from tests.engine.sweep.fakes import vector_of
from tests.engine.sweep.test_items import Likeness, Reranked, metadata


class Drawn(AbsTaskClustering):
    """Draws while it loads, as some of mteb's tasks do: scoring goes on where that draw ended."""

    metadata = metadata("Drawn", "Clustering", "v_measure")
    max_document_to_embed, max_fraction_of_documents_to_embed = 20, None
    max_documents_per_cluster, n_clusters = 16, 3
    loads = 0

    def load_data(self, num_proc=None, **_):
        if self.data_loaded:
            return
        type(self).loads += 1
        words = self.rng_state.sample(["cat", "dog", "bird", "fish", "cow"] * 8, 30)
        rows = [{"sentences": f"{word} {self.np_rng.integers(100)}", "labels": word} for word in words]
        self.dataset = {subset: {"test": Dataset.from_list(rows)} for subset in self.metadata.eval_langs}
        self.data_loaded = True


@pytest.fixture
def registered(monkeypatch):
    for each in (Drawn, Likeness, Reranked, Several, Joined):
        monkeypatch.setitem(_TASKS_REGISTRY, each.metadata.name, each)
    monkeypatch.setattr(mteb, "get_task", lambda name: _TASKS_REGISTRY[name]())
    monkeypatch.setattr(Drawn, "loads", 0)


def scores(task):
    found = score(task, lambda _, texts: np.stack([vector_of(text) for text in texts]), model_meta({}))
    return [row["v_measure"] for row in found.result.scores["test"]]


def test_runs_share_one_load_and_each_scores_as_a_fresh_task(registered):
    expected = scores(Drawn())
    task = find_task("Drawn")
    Drawn.loads = 0
    assert [scores(task.build()) for _ in range(3)] == [expected] * 3
    assert Drawn.loads == 1


def test_building_a_task_loads_nothing(registered):
    find_task("Drawn").build()
    assert Drawn.loads == 0


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ConnectionError("Couldn't reach 'x/y' on the Hub\n(LocalEntryNotFoundError)"), "cannot be reached"),
        (type("GatedRepoError", (Exception,), {})("403"), "consent"),
        (type("DatasetNotFoundError", (Exception,), {})("no x"), "none of that name"),
        (ValueError("bad\ncolumn"), "ValueError: bad column"),
    ],
)
def test_data_that_cannot_be_had_is_said_in_one_line_and_asked_for_once(error, says, registered, monkeypatch):
    asked = []

    def refuse(self, *_, **__):
        asked.append(1)
        raise error

    monkeypatch.setattr(Drawn, "load_data", refuse)
    task = find_task("Drawn")
    for _ in range(3):
        with pytest.raises(TaskUnavailable, match=says) as failure:
            task.build().load_data()
        assert "\n" not in str(failure.value) and str(failure.value).startswith("Drawn cannot be had")
    assert len(asked) == 1


class Several(test_items.Several):
    """With parts of its own: those of the other one have been listened to."""

    metadata = test_items.Several.metadata.model_copy(update={"tasks": [Reranked(), Likeness()]})


class Joined(AbsTaskAggregate):
    """Two that draw at random."""

    metadata = AggregateTaskMetadata(
        name="Joined", description="Two in one.", reference=None, tasks=[Drawn()], main_score="v_measure",
        type="Clustering", eval_splits=["test"], license="not specified", modalities=["text"], category="t2t",
        prompt=None,
    )  # fmt: skip


def main_score(task):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = score(task, lambda _, t: np.stack([vector_of(text) for text in t]), model_meta({}))
    return found.result


def test_task_made_of_others_is_fresh_each_time_and_loads_each_of_them_once(registered):
    task = find_task("Joined")
    expected = np.mean(scores(Drawn()))
    Drawn.loads = 0
    for _ in range(2):
        found = main_score(task.build())
        assert found.task_name == "Joined"
        assert found.scores["test"][0]["main_score"] == pytest.approx(expected, abs=1e-12)
    assert Drawn.loads == 1
    assert not Joined.metadata.tasks[0].data_loaded, "mteb hands the same objects to whoever asks next"


def test_task_made_of_others_is_limited_in_each_and_says_so(registered):
    task = find_task("Several", limit=3)
    assert task.dataset_revision.endswith("+limit3.seed0")
    assert main_score(task.build()).dataset_revision == task.dataset_revision
    sizes = {each.metadata.name: each for each in task.build().metadata.tasks}
    sizes["Likeness"].load_data()
    assert {len(splits["test"]) for splits in sizes["Likeness"].dataset.values()} == {3}


def test_default_prompts_of_a_task_made_of_others_are_those_of_its_parts(registered):
    task, side = find_task("Several"), PromptType.QUERY
    both = {"Reranked-query": "r: ", "Likeness-query": "r: ", "Several-query": "never: "}
    assert default_setting(PlainPrompts(both), task).prefixes[side].text == "r: "
    with pytest.raises(UsageError, match="default prompts differ"):
        default_setting(PlainPrompts({"Reranked-query": "r: "}), task)


def test_task_that_is_not_about_texts_alone_is_refused():
    with pytest.raises(TaskUnavailable, match="about image"):
        find_task("VisualSTS17Eng")


def test_part_of_a_task_is_refused_with_the_name_of_the_whole():
    with pytest.raises(TaskUnavailable, match=r"names a part of a task; .* Name STS22\.v2, and choose rows"):
        find_task("STS22.v2:test/en")


def test_bare_name_is_mteb_s_and_a_path_is_a_file(registered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Likeness").write_text("sentence1,sentence2\na,b\n")
    (tmp_path / "mine").write_text("sentence1,sentence2,similarity\na,b,1\nc,,2\n")
    assert find_task("Likeness").name == "Likeness"
    assert find_task("./Likeness").name == "OwnLikenessBitextMining"
    mine = find_task("mine")
    assert mine.name == "OwnMineBitextMining"
    said = " ".join(mine.notes)
    assert "not used: the columns similarity" in said and "Rows set aside: 1" in said and "Line 3" in said
