"""Item scores: a run's main score can be recomputed from them, whatever the type of its task."""

import gzip
import json

import numpy as np
import polars as pl
import pytest
from datasets import Dataset, DatasetDict
from mteb.abstasks import (
    AbsTaskBitextMining,
    AbsTaskClassification,
    AbsTaskClustering,
    AbsTaskClusteringLegacy,
    AbsTaskRetrieval,
    AbsTaskSTS,
)
from mteb.abstasks.aggregate_task_metadata import AggregateTaskMetadata
from mteb.abstasks.aggregated_task import AbsTaskAggregate
from mteb.abstasks.multilabel_classification import AbsTaskMultilabelClassification
from mteb.abstasks.regression import AbsTaskRegression
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.abstasks.text.summarization import AbsTaskSummarization
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, v_measure_score

from engine.errors import SourceError
from engine.sweep import item_forms
from engine.sweep.items import read_items
from engine.sweep.scoring import model_meta, score
from tests.engine.sweep.fakes import local_task, vector_of

WORDS = ("cat", "dog", "bird", "fish")


def metadata(name, task_type, main_score):
    return TaskMetadata(
        name=name, type=task_type, eval_langs={"one": ["eng-Latn"], "two": ["eng-Latn"]}, main_score=main_score,
        category="t2t", prompt=None, eval_splits=["test"], modalities=["text"], description=name, reference=None,
        license="not specified", dataset={"path": f"local/{name}", "revision": "v1"},
    )  # fmt: skip


class InMemory:
    """A task whose data is made when it is asked for."""

    def load_data(self, num_proc=None, **_):
        if not self.data_loaded:
            self.dataset = {subset: self.split_of(subset) for subset in self.metadata.eval_langs}
            self.data_loaded = True


class Likeness(InMemory, AbsTaskSTS):
    metadata = metadata("Likeness", "STS", "cosine_spearman")
    min_score, max_score = 0, 5

    def split_of(self, subset):
        rows = [
            {"sentence1": f"{a} {subset}", "sentence2": f"{b} {n}", "score": float(n % 6)}
            for n, (a, b) in enumerate((a, b) for a in WORDS for b in WORDS)
        ]
        return {"test": Dataset.from_list(rows)}


class Groups(InMemory, AbsTaskClustering):
    metadata = metadata("Groups", "Clustering", "v_measure")
    max_document_to_embed, max_fraction_of_documents_to_embed = 30, None
    max_documents_per_cluster, n_clusters = 16, 3

    def split_of(self, subset):
        rows = [
            {"sentences": f"{word} thing {n} {subset}", "labels": [word, f"{word}{n % 2}"]}
            for word in WORDS
            for n in range(10)
        ]
        return {"test": Dataset.from_list(rows)}


class WholeGroups(Groups):
    metadata = metadata("WholeGroups", "Clustering", "v_measure")
    max_document_to_embed, max_fraction_of_documents_to_embed = None, None
    max_depth = 1


class Labels(InMemory, AbsTaskMultilabelClassification):
    metadata = metadata("Labels", "MultilabelClassification", "accuracy")
    samples_per_label, n_experiments = 3, 2

    def split_of(self, subset):
        def rows(n):
            return [{"text": f"{a} {b} {k} {subset}", "label": sorted({i, j})} for k in range(n)
                    for i, a in enumerate(WORDS) for j, b in enumerate(WORDS)]  # fmt: skip

        return DatasetDict({"train": Dataset.from_list(rows(2)), "test": Dataset.from_list(rows(1))})


class Reranked(InMemory, AbsTaskRetrieval):
    metadata = metadata("Reranked", "Reranking", "map_at_10")
    k_values = (1, 3, 5, 10)

    def split_of(self, subset):
        queries = [{"id": f"q{n}", "text": f"where is the {word}"} for n, word in enumerate(WORDS)]
        corpus = [{"id": f"d{n}", "title": "", "text": f"{word} {subset}"} for n, word in enumerate(WORDS * 3)]
        relevant = {f"q{n}": {f"d{n + 4 * k}": 1 for k in range(2)} for n in range(4)}
        top = {f"q{n}": [f"d{k}" for k in range(12) if k != n + 1] for n in range(4)}
        return {
            "test": {
                "queries": Dataset.from_list(queries),
                "corpus": Dataset.from_list(corpus),
                "relevant_docs": relevant,
                "top_ranked": top,
            }
        }


class Followed(Reranked):
    """Judged by the first place, without the document that is found first."""

    metadata = metadata("Followed", "Retrieval", "mrr_at_5")
    skip_first_result = True


class Sets(InMemory, AbsTaskClusteringLegacy):
    metadata = metadata("Sets", "Clustering", "v_measure")

    def split_of(self, subset):
        def texts(words):
            return {
                "sentences": [f"{w} {n} {subset}" for w in words for n in range(5)],
                "labels": [w for w in words for _ in range(5)],
            }

        return {"test": Dataset.from_list([texts(WORDS), texts(WORDS[:1]), texts(WORDS[1:])])}


class Parallel(InMemory, AbsTaskBitextMining):
    metadata = TaskMetadata.model_validate(
        metadata("Parallel", "BitextMining", "f1").model_dump()
        | {"eval_langs": {"one-two": ["eng-Latn", "deu-Latn"], "two-one": ["deu-Latn", "eng-Latn"]}}
    )
    parallel_subsets = True

    def load_data(self, num_proc=None, **_):
        rows = [
            {"one": f"{a} {b}", "two": f"{a} {b} {n % 2}"}
            for n, (a, b) in enumerate((a, b) for a in WORDS for b in WORDS)
        ]
        self.dataset, self.data_loaded = DatasetDict({"test": Dataset.from_list(rows)}), True


class Folds(InMemory, AbsTaskClassification):
    metadata = metadata("Folds", "Classification", "accuracy")
    is_cross_validation, n_splits, train_split = True, 3, "test"

    def split_of(self, subset):
        return DatasetDict(
            {
                "test": Dataset.from_list(
                    [
                        {"text": f"{w} {v} {n} {subset}", "label": n % 2}
                        for n, (w, v) in enumerate((w, v) for w in WORDS * 2 for v in WORDS)
                    ]
                )
            }
        )


class Values(InMemory, AbsTaskRegression):
    metadata = metadata("Values", "Regression", "kendalltau")
    n_experiments = 2

    def split_of(self, subset):
        rows = [
            {"text": f"{w} {v} {subset}", "value": float(i + j)}
            for i, w in enumerate(WORDS)
            for j, v in enumerate(WORDS)
        ]
        return DatasetDict({"train": Dataset.from_list(rows), "test": Dataset.from_list(rows[::-1])})


class ManyLabels(Labels):
    metadata = metadata("ManyLabels", "MultilabelClassification", "accuracy")
    max_eval_samples = 10


class Several(AbsTaskAggregate):
    metadata = AggregateTaskMetadata(
        name="Several", description="Two in one.", reference=None, tasks=[Reranked(), Likeness()],
        main_score="ndcg_at_10", type="Retrieval", eval_splits=["test"], license="not specified", modalities=["text"],
        category="t2t", prompt=None,
    )  # fmt: skip


class Summaries(InMemory, AbsTaskSummarization):
    metadata = metadata("Summaries", "Summarization", "cosine_spearman")
    min_score, max_score = 0, 5

    def split_of(self, subset):
        rows = [
            {
                "text": f"{word} text",
                "human_summaries": [f"{word} {subset}", f"a {word}"],
                "machine_summaries": [f"{other} {n}" for n, other in enumerate(WORDS)],
                "relevance": [float((n + place) % 5) for n in range(len(WORDS))],
            }
            for place, word in enumerate(WORDS)
        ]
        return {"test": Dataset.from_list(rows)}


def mean_of(items, kind, value):
    by_subset = items.by_kind[kind].group_by("subset", maintain_order=True)
    return {subset: value(rows) for (subset,), rows in by_subset}


def average_precision(rows):
    signs = {
        "similarity_scores": 1,
        "cosine_scores": 1,
        "dot_scores": 1,
        "manhattan_distances": -1,
        "euclidean_distances": -1,
    }
    gold = rows["gold"].to_numpy()
    return max(average_precision_score(gold, sign * rows[name].to_numpy()) for name, sign in signs.items())


def mean_accuracy(rows):
    predicted = np.array(rows["predicted"].to_list())
    return np.mean([accuracy_score(rows["true"].to_numpy(), column) for column in predicted.T])


def multilabel_accuracy(rows):
    right = [[true == each for each in predicted] for true, predicted in rows.select("true", "predicted").iter_rows()]
    return np.mean(right)


def clustered(rows):
    measures = []
    for (_,), texts in rows.group_by("level", maintain_order=True):
        true, predicted = texts["true"].to_list(), texts["predicted"].to_list()
        for run in range(len(predicted[0])):
            labels = [label for label, of_runs in zip(true, predicted, strict=True) for _ in of_runs[run]]
            clusters = [cluster for of_runs in predicted for cluster in of_runs[run]]
            measures.append(v_measure_score(labels, clusters))
    return np.mean(measures)


def sets_clustered(rows):
    both = rows.select("true", "predicted").iter_rows()
    return np.mean([1.0 if predicted is None else v_measure_score(true, predicted) for true, predicted in both])


def found_translations(rows):
    return f1_score(rows["gold"], rows["found"], average="weighted", zero_division=0)


def fold_accuracy(rows):
    folds = (texts for _, texts in rows.group_by("fold"))
    return np.mean([(texts["predicted"].list.first() == texts["true"]).mean() for texts in folds])


def mean_kendall(rows):
    predicted = np.array(rows["predicted"].to_list())
    return np.mean([kendalltau(rows["true"].to_numpy(), column).statistic for column in predicted.T])


def mean_spearman(rows):
    return np.mean([spearmanr(*both).statistic for both in rows.select("gold", "cosine_scores").iter_rows()])


RECOMPUTED = {
    "Retrieval": (local_task("Retrieval").build, "query", lambda rows: rows["ndcg_at_10"].mean()),
    "Reranking": (Reranked, "query", lambda rows: rows["main"].mean()),
    "STS": (Likeness, "pair", lambda rows: spearmanr(rows["cosine_scores"], rows["gold"]).statistic),
    "PairClassification": (local_task("PairClassification").build, "pair", average_precision),
    "BitextMining": (
        local_task("BitextMining").build,
        "sentence",
        found_translations,
    ),
    "Classification": (local_task("Classification").build, "text", mean_accuracy),
    "MultilabelClassification": (Labels, "text", multilabel_accuracy),
    "MultilabelClassification, a part": (ManyLabels, "text", multilabel_accuracy),
    "Clustering": (Groups, "clustering", clustered),
    "Clustering, all texts": (WholeGroups, "clustering", clustered),
    "Clustering, by sets": (Sets, "cluster_set", sets_clustered),
    "BitextMining, parallel": (Parallel, "sentence", found_translations),
    "Retrieval, by the first place": (Followed, "query", lambda rows: rows["main"].mean()),
    "Classification, by folds": (Folds, "text", fold_accuracy),
    "Regression": (Values, "text", mean_kendall),
    "Summarization": (Summaries, "summaries", mean_spearman),
}


def scored(build, tmp_path):
    def embed(_, texts):
        return np.stack([vector_of(text) for text in texts])

    found = score(build(), embed, model_meta({}))
    path = tmp_path / "T.items.jsonl.gz"
    path.write_bytes(found.items)
    return found.result, read_items(path)


@pytest.mark.parametrize("task_type", RECOMPUTED)
def test_main_score_can_be_recomputed_from_the_items(task_type, tmp_path):
    build, kind, recompute = RECOMPUTED[task_type]
    result, items = scored(build, tmp_path)
    again = mean_of(items, kind, recompute)
    stored = {row["hf_subset"]: row["main_score"] for row in result.scores["test"]}
    assert len(set(stored.values())) > 0 and again.keys() == stored.keys()
    assert again == pytest.approx(stored, abs=2e-5 if kind == "query" else 1e-6), "mteb rounds retrieval to 5 places"
    assert (items.task_type, items.main_score) == (task_type.partition(",")[0], build().metadata.main_score)


def test_query_items_name_the_first_ten_with_their_similarities(tmp_path):
    _, items = scored(Reranked, tmp_path)
    queries = items.by_kind["query"]
    assert queries["top"].list.len().max() == 10
    for top, reciprocal, recall in queries.select("top", "mrr_at_10", "recall_at_10").iter_rows():
        similarities = [found["similarity"] for found in top]
        assert similarities == sorted(similarities, reverse=True)
        assert 0 <= reciprocal <= 1 and 0 <= recall <= 1


def test_clustering_items_say_which_texts_were_drawn(tmp_path):
    _, items = scored(Groups, tmp_path)
    rows = items.by_kind["clustering"]
    assert set(rows["level"]) == {"Level 0", "Level 1"}
    texts = Groups().split_of("one")["test"]
    for level, position, true in rows.select("level", "position", "true").iter_rows():
        assert texts[position]["labels"][int(level[-1])] == true
    assert rows.group_by("subset", "level").len()["len"].unique().to_list() == [30], "those that were embedded"
    drawn = rows.filter(pl.col("subset") == "one", pl.col("level") == "Level 0")["predicted"].to_list()
    assert [sum(len(of_runs[run]) for of_runs in drawn) for run in range(3)] == [16, 16, 16]


def test_task_that_fits_no_form_keeps_what_mteb_predicts_and_its_score(tmp_path, monkeypatch):
    def odd(*_):
        raise KeyError("labels")

    plain, _ = scored(Likeness, tmp_path)
    monkeypatch.setitem(item_forms._FORMS, "STS", odd)
    result, items = scored(Likeness, tmp_path)
    assert result.scores == plain.scores
    assert items.by_kind["prediction"]["reason"].to_list() == ["KeyError: 'labels'"] * 2


def test_items_of_a_task_made_of_others_name_the_part_each_time(tmp_path):
    for _ in range(2):
        _, items = scored(Several, tmp_path)
        counted = {kind: rows.group_by("task").len().rows() for kind, rows in items.by_kind.items()}
        assert counted == {"query": [("Reranked", 8)], "pair": [("Likeness", 32)]}


def test_documents_of_equal_similarity_stand_in_mteb_s_order(tmp_path):
    class Tied(Reranked):
        metadata = metadata("Tied", "Retrieval", "mrr_at_10")

    found = score(Tied(), lambda _, texts: np.ones((len(texts), 4), np.float32), model_meta({}))
    (tmp_path / "T.items.jsonl.gz").write_bytes(found.items)
    queries = read_items(tmp_path / "T.items.jsonl.gz").by_kind["query"]
    names = [one["id"] for one in queries["top"][0]]
    assert names == sorted(names, reverse=True)
    by_subset = queries.group_by("subset").agg(pl.col("mrr_at_10").mean())
    assert dict(by_subset.iter_rows()) == pytest.approx(
        {row["hf_subset"]: row["mrr_at_10"] for row in found.result.scores["test"]}, abs=2e-5
    )


def test_digits_are_as_few_as_tell_the_numbers_apart():
    values = np.float32([0.1, 1 / 3, -2e-8]).tolist()
    assert item_forms.short(values) == [0.1, 0.33333334, -2e-08]
    assert np.array_equal(np.float32(item_forms.short(values)), np.float32(values))
    assert item_forms.short([1 / 3]) == [1 / 3], "a 64-bit number stays"


def test_scoring_is_what_it_is_without_being_watched(tmp_path):
    """The watch draws the same random rows: the scores are those of plain mteb."""
    import warnings

    import mteb
    from mteb.models.abs_encoder import AbsEncoder

    class Plain(AbsEncoder):
        mteb_model_meta = model_meta({"similarity_fn_name": "cosine"})

        def encode(self, inputs, **_):
            return np.stack([vector_of(text) for batch in inputs for text in batch["text"]])

    for build in (Groups, Labels, Reranked, Folds, ManyLabels, Sets):
        result, _ = scored(build, tmp_path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (plain,) = mteb.evaluate(Plain(), build(), cache=None, co2_tracker=False).task_results
        assert [row["main_score"] for row in result.scores["test"]] == [
            row["main_score"] for row in plain.scores["test"]
        ]


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"[1]\n"), gzip.compress(b'{"a": 1}\n{"b"')])
def test_damaged_file_is_named(content, tmp_path):
    path = tmp_path / "T.items.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"T\.items\.jsonl\.gz"):
        read_items(path)


def test_lines_are_json_with_a_head(tmp_path):
    found = score(local_task("BitextMining").build(), lambda _, t: np.stack([vector_of(x) for x in t]), model_meta({}))
    head, *lines = [json.loads(line) for line in gzip.decompress(found.items).splitlines()]
    assert head["task_type"] == "BitextMining" and {line["kind"] for line in lines} == {"sentence"}
