"""Sums by language: what they hold, and that a build which changes little ends where a full one does."""

import json

import polars as pl
import pytest

from engine.check import check_store
from engine.content import content_hashes
from engine.pipeline import build
from engine.settings import Settings
from engine.sources import add_source
from engine.store import open_snapshot

pytestmark = pytest.mark.usefixtures("without_mteb")

DERIVED = ("language_cells", "language_scores", "languages", "corpora")


def write(tree, model, task, rows, *, prompt=None):
    """One result; `rows` maps (split, subset) to its languages and score."""
    path = tree.run(model, task, {key: score for key, (_, score) in rows.items()}, prompt=prompt)
    result = json.loads(path.read_text())
    for split, entries in result["scores"].items():
        for entry in entries:
            entry["languages"] = rows[split, entry["hf_subset"]][0]
    path.write_text(json.dumps(result))
    return path


@pytest.fixture
def filled(settings, tree):
    write(tree, "org/a", "Bitext", {
        ("test", "eng-mal"): (["eng-Latn", "mal-Mlym"], 0.5),
        ("test", "mal-eng"): (["mal-Mlym", "eng-Latn"], 0.7),
        ("test", "mal-mal"): (["mal-Mlym", "mal-Mlym"], 0.9),
        ("test", "mal-hin"): (["mal-Mlym", "hin-Deva"], 0.3),
        ("dev", "eng-mal"): (["eng-Latn", "mal-Mlym"], 0.1),
        ("test", "bad"): (["mal-Mlym"], float("nan")),
    })  # fmt: skip
    write(tree, "org/b", "Code", {("test", "default"): (["eng-Latn", "python-Code"], 0.4)})
    write(tree, "org/b", "Code", {("test", "default"): (["eng-Latn", "python-Code"], 0.8)}, prompt="p: ")
    add_source(settings, tree.folder, "tree")
    build(settings)
    return settings


def sums(settings):
    return open_snapshot(settings).read(
        "SELECT model_name, language, c.task_name, split, row_kind, s.rows, rows_distinct, score_sum, "
        "score_sum_distinct "
        "FROM language_scores s JOIN language_cells c USING (language_cell_id) JOIN runs USING (run_id) ORDER BY ALL"
    )


def test_rows_are_summed_by_language_split_and_kind(filled):
    of_malayalam = sums(filled).filter(pl.col("language") == "mal-Mlym")
    told = {(row["split"], row["row_kind"]): row for row in of_malayalam.iter_rows(named=True)}
    assert set(told) == {
        ("test", "with English"),
        ("test", "same language"),
        ("test", "other languages"),
        ("dev", "with English"),
    }
    pairs, own = told["test", "with English"], told["test", "same language"]
    assert (pairs["rows"], pairs["rows_distinct"], pairs["score_sum"]) == (2, 2, pytest.approx(1.2, abs=1e-12))
    assert (own["rows"], own["rows_distinct"]) == (2, 1), "a list that names a language twice counts twice"
    assert own["score_sum"] == pytest.approx(1.8, abs=1e-12) and own["score_sum_distinct"] == pytest.approx(
        0.9, abs=1e-12
    )


def test_row_without_a_number_is_in_no_sum(filled):
    same = sums(filled).filter(pl.col("row_kind") == "same language", pl.col("language") == "mal-Mlym")
    assert same["rows_distinct"].sum() == 1


def test_programming_language_does_not_make_a_row_cross_lingual(filled):
    code = sums(filled).filter(pl.col("task_name") == "Code", pl.col("language") == "eng-Latn")
    assert code["row_kind"].to_list() == ["same language"]


def test_prompt_experiments_are_not_summed(filled):
    code = sums(filled).filter(pl.col("task_name") == "Code")
    assert code["score_sum"].to_list() == pytest.approx([0.4, 0.4], abs=1e-12)


CHANGES = {
    "a file changes": lambda tree: write(tree, "org/b", "Code", {("test", "default"): (["eng-Latn"], 0.6)}),
    "a file comes": lambda tree: write(tree, "org/c", "Code", {("test", "default"): (["mal-Mlym"], 0.2)}),
    "a file goes": lambda tree: (tree.folder / "results" / "org__a" / "r1" / "Bitext.json").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_small_build_ends_where_a_full_one_does(filled, tree, change):
    before = content_hashes(open_snapshot(filled))
    CHANGES[change](tree)
    build(filled)
    after = content_hashes(open_snapshot(filled))
    assert any(before[table] != after[table] for table in DERIVED)
    assert check_store(filled).problems == ()


def test_build_that_changes_nothing_keeps_the_sums(filled):
    before = content_hashes(open_snapshot(filled))
    assert not build(filled).is_new
    assert content_hashes(open_snapshot(filled)) == before


def test_files_about_languages_and_corpora_are_read_again_when_they_change(filled, tmp_path, monkeypatch):
    spellings, corpora = tmp_path / "languages.jsonl", tmp_path / "corpora.jsonl"
    spellings.write_text(json.dumps({"language": "hin-Deva", "standard": "mal-Mlym", "reason": "for a test"}))
    corpora.write_text(json.dumps({"task_name": "Bitext", "corpus": "c", "reference": "r"}))
    monkeypatch.setattr(Settings, "spellings", property(lambda _: spellings))
    monkeypatch.setattr(Settings, "corpora", property(lambda _: corpora))
    assert build(filled).is_new
    kinds = sums(filled).filter(pl.col("language") == "hin-Deva")["row_kind"].to_list()
    assert kinds == ["same language"], "the pair is of one language now"
    assert open_snapshot(filled).read("SELECT task_name, corpus FROM corpora").rows() == [("Bitext", "c")]
    assert check_store(filled).problems == ()
    assert not build(filled).is_new


def test_odd_codes_are_listed_with_what_they_are(settings, tree):
    names = ["eng_Latn", "keng-Latn", "en", "python-Code"]
    write(tree, "org/a", "Odd", {("test", name): ([name], 0.5) for name in names})
    add_source(settings, tree.folder, "tree")
    build(settings)
    told = open_snapshot(settings).read("SELECT language, language_status FROM languages ORDER BY 1")
    assert dict(told.iter_rows()) == {
        "en": "spelling",
        "eng_Latn": "spelling",
        "keng-Latn": "unknown",
        "python-Code": "programming language",
    }


def test_sums_do_not_depend_on_the_order_of_rows(settings, tree):
    scores = [0.1, 0.2, 0.3, 1e-9, 0.7, 1 / 3]
    for model, ordered in (("org/a", scores), ("org/b", scores[::-1])):
        write(tree, model, "Sum", {("test", f"{score!r}"): (["eng-Latn"], score) for score in ordered})
    add_source(settings, tree.folder, "tree")
    build(settings)
    assert sums(settings)["score_sum"].n_unique() == 1
    assert sums(settings)["score_sum"][0] == pytest.approx(sum(scores), abs=1e-11)
