"""Tasks in files of one's own, and the rows of them that cannot be used."""

import json

import numpy as np
import pytest

from engine.errors import TaskUnavailable
from engine.sweep.scoring import model_meta, score
from engine.sweep.tasks import find_task, limit_task
from engine.sweep.user_tasks import read_user_task
from tests.engine.sweep.fakes import vector_of


def beir(folder, qrels="query-id\tcorpus-id\tscore\n007\td1\t1\nq2\td2\t2\n", **more):
    corpus = [{"_id": f"d{n}", "title": f"Title {n}", "text": f"text number {n}"} for n in range(4)]
    queries = [{"_id": "007", "text": "number 1"}, {"_id": "q2", "text": "number 2"}, {"_id": "q3", "text": "nothing"}]
    files = {
        "corpus.jsonl": "".join(json.dumps(row) + "\n" for row in corpus),
        "queries.jsonl": "".join(json.dumps(row) + "\n" for row in queries),
        "qrels/test.tsv": qrels,
        **more,
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def table(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def main_scores(task):
    found = score(task.build(), lambda _, texts: np.stack([vector_of(text) for text in texts]), model_meta({}))
    return found.result.dataset_revision, [row["main_score"] for row in found.result.scores["test"]]


LABELLED = "text,label\n" + "".join(f"{word} {n},{word}\n" for word in ("cat", "dog") for n in range(8))
FILES = {
    "labelled.csv": (LABELLED, "Classification"),
    "pairs.csv": ("sentence1;sentence2;label\na b;a b;1\na b;c d;0\nc d;c e;1\ne f;g h;0\n", "PairClassification"),
    "likeness.tsv": ("text1\ttext2\tscore\na b\ta b\t4,5\na b\tc d\t0\nc d\tc e\t2.5\n", "STS"),
    "bitext.jsonl": ('{"en": "a b", "de": "a b"}\n{"en": "c d", "de": "c d"}\n', "BitextMining"),
}


@pytest.mark.parametrize("name", FILES)
def test_table_becomes_the_task_that_its_columns_say(name, tmp_path):
    text, task_type = FILES[name]
    found = find_task(str(table(tmp_path / name, text)))
    assert found.task_type == task_type and found.name.startswith("Own") and found.name.endswith(task_type)
    revision, scores = main_scores(found)
    assert revision == found.dataset_revision and all(-1 <= each <= 1 for each in scores)
    assert found.described["languages"] == ["und-Zyyy"]


def test_beir_folder_keeps_ids_and_grades_and_leaves_out_unanswered_queries(tmp_path):
    found = read_user_task(beir(tmp_path / "my-faq"))
    (content,) = found.task.content.values()
    assert dict(content.queries) == {"007": "number 1", "q2": "number 2"}
    assert content.relevant == {"007": {"d1": 1}, "q2": {"d2": 2}}
    assert found.notes == ("1 queries without a relevant document are left out",)
    assert found.task.name == "OwnMyFaqRetrieval"
    assert main_scores(found.task.sweep_task())[1][0] > 0


def test_rows_of_a_beir_folder_that_cannot_be_used_are_named(tmp_path):
    folder = beir(
        tmp_path / "faq",
        qrels="query-id\tcorpus-id\tscore\n007\td1\t1\n07\td1\t1\n007\td9\t1\nq2\td2\tmany\nq2\td2\t1\n",
        **{"corpus.jsonl": '{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n{"_id": "d2", "text": " "}\n'
                           '{"text": "c"}\n{"_id": "d2", "text": "d"}\n'},
    )  # fmt: skip
    found = read_user_task(folder)
    said = [(problem.line, problem.reason.split(".")[0]) for problem in found.problems]
    assert [line for line, _ in said] == [2, 3, 4, 3, 4, 5]
    assert "'07'" in said[3][1] and "'d9'" in said[4][1] and "'many'" in said[5][1]
    (content,) = found.task.content.values()
    assert set(content.documents) == {"d1", "d2"}


def test_rows_of_a_table_that_cannot_be_used_are_named(tmp_path):
    text = "sentence1,sentence2,score\na,b,1\n,b,2\na,b,nan\na,b,high\na,b\nc,d,3\n"
    found = read_user_task(table(tmp_path / "t.csv", text))
    assert sorted(problem.line for problem in found.problems) == [3, 4, 5, 6]
    assert len(found.task.content["default"]) == 2


def test_split_in_the_file_wins_over_a_drawn_one(tmp_path):
    rows = "".join(f"{w} {n},{w},{'train' if n < 3 else 'test'}\n" for w in ("cat", "dog") for n in range(4))
    (content,) = read_user_task(table(tmp_path / "t.csv", "text,label,split\n" + rows)).task.content.values()
    assert [len(content.train), len(content.test)] == [6, 2]


@pytest.mark.parametrize(("training", "draws"), [(4, (1, 4)), (12, (10, 8))])
def test_many_training_texts_are_drawn_from_as_mteb_does(training, draws, tmp_path):
    rows = "".join(
        f"{w} {n},{w},{'train' if n < training else 'test'}\n" for w in ("cat", "dog") for n in range(training + 3)
    )
    task = find_task(str(table(tmp_path / "t.csv", "text,label,split\n" + rows))).build()
    assert (task.n_experiments, task.samples_per_label) == draws


def test_drawn_split_is_the_same_for_the_same_seed(tmp_path):
    path = table(tmp_path / "t.csv", LABELLED)
    revisions = [read_user_task(path, seed).task.dataset_revision for seed in (1, 1, 2)]
    assert revisions[0] == revisions[1] != revisions[2]


def test_languages_may_stand_beside(tmp_path):
    path = table(tmp_path / "t.csv", LABELLED)
    (tmp_path / "t.task.json").write_text('{"languages": ["deu-Latn"], "description": "Tickets."}')
    assert read_user_task(path).task.languages == {"default": ("deu-Latn",)}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", "a\n1\n", "text and label"),
        ("t.csv", "text,label\na,x\nb,x\n", "two labels"),
        ("t.csv", "sentence1,sentence2,score\na,b,none\n", "no usable row"),
    ],
)
def test_file_that_is_no_task_is_refused_in_one_line(name, text, says, tmp_path):
    with pytest.raises(TaskUnavailable, match=says) as failure:
        read_user_task(table(tmp_path / name, text))
    assert "\n" not in str(failure.value)


def test_folder_without_its_files_names_them(tmp_path):
    with pytest.raises(TaskUnavailable, match=r"corpus\.jsonl"):
        read_user_task(tmp_path)


def test_unknown_names_are_answered_with_names_like_them():
    with pytest.raises(TaskUnavailable, match="NFCorpus"):
        find_task("NFCorpuss")
    with pytest.raises(TaskUnavailable, match="Check the path"):
        find_task("no/such.csv")


def test_limit_is_drawn_by_seed_and_marks_the_data(tmp_path):
    task = read_user_task(beir(tmp_path / "faq")).task
    few, again, other = (limit_task(task, 1, seed) for seed in (1, 1, 5))
    assert few == again and few.dataset_revision.endswith("+limit1.seed1")
    assert len(few.content["default"].queries) == 1
    assert other.dataset_revision != few.dataset_revision != task.dataset_revision
    assert main_scores(few.sweep_task())[0] == few.dataset_revision


def test_limit_cuts_an_mteb_task_after_it_has_loaded(monkeypatch, tmp_path):
    import mteb
    from mteb.get_tasks import _TASKS_REGISTRY

    from tests.engine.sweep.test_items import Likeness, Reranked

    asked = []

    class Watched(Likeness):
        def load_data(self, num_proc=None, **more):
            asked.append(self.metadata.dataset["revision"])
            super().load_data(num_proc, **more)

    for each in (Watched, Reranked):
        monkeypatch.setitem(_TASKS_REGISTRY, each.metadata.name, each)
    monkeypatch.setattr(mteb, "get_task", lambda name: _TASKS_REGISTRY[name]())
    likeness = find_task("Likeness", limit=5, seed=3)
    task = likeness.build()
    task.load_data()
    assert {len(splits["test"]) for splits in task.dataset.values()} == {5}
    assert asked == ["v1"], "the loader is asked for the real revision"
    assert main_scores(likeness)[0] == "v1+limit5.seed3" == likeness.dataset_revision
    reranked = find_task("Reranked", limit=2, seed=3)
    built = reranked.build()
    built.load_data()
    assert {len(rows["test"]["queries"]) for rows in built.dataset.values()} == {2}
    assert main_scores(reranked)[0].endswith("+limit2.seed3")


@pytest.mark.parametrize("text", ["text1,text2,label\na,b,1\nc,d,1\n", "text1,text2,score\na,b,0.5\n"])
def test_pairs_that_are_all_judged_alike_are_refused_because_no_model_could_differ(text, tmp_path):
    with pytest.raises(TaskUnavailable, match="are judged"):
        read_user_task(table(tmp_path / "own.csv", text))


def test_limit_that_leaves_pairs_of_one_judgement_is_refused(tmp_path):
    task = read_user_task(table(tmp_path / "own.csv", "text1,text2,label\na,b,1\nc,d,0\n")).task
    with pytest.raises(TaskUnavailable, match="raise the limit"):
        limit_task(task, 1, 0)


def test_texts_to_label_under_two_of_three_labels_are_refused_as_mteb_cannot_score_them(tmp_path):
    rows = "".join(f"{label}{at},{label},{split}\n" for label in "abc" for at, split in ((1, "train"), (2, "train")))
    with pytest.raises(TaskUnavailable, match="2 of 3 labels"):
        read_user_task(table(tmp_path / "own.csv", f"text,label,split\n{rows}b3,b,test\nc3,c,test\n"))
