"""Answers: which single rows is a model's score in a language made of? The one view that reads rows themselves."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from engine.analysis.dataset_revisions import Data, keep_dataset_revisions
from engine.analysis.language_rows import describe_rows
from engine.analysis.languages import Merging, merged_codes
from engine.answers.language_records import EVERY_ROW
from engine.ingest.revisions import pick_revisions
from engine.store import Snapshot

_RUNS = """
    SELECT run_id, source_name, model_name, model_revision, task_name, experiment_name, mteb_version, dataset_revision
    FROM runs WHERE source_name = $source AND is_default ORDER BY run_id
"""

_ROWS = """
    SELECT s.run_id, r.task_name, t.task_type, coalesce(c.corpus, r.task_name) AS corpus, r.split, r.subset,
           l.languages, s.score, r.n_queries, r.n_documents, r.n_samples
    FROM scores s JOIN rows r USING (row_id) JOIN language_lists l USING (language_list_id)
         JOIN tasks t USING (task_name) LEFT JOIN corpora c USING (task_name)
    WHERE s.run_id IN (SELECT unnest($runs)) AND s.score IS NOT NULL AND list_has_any(l.languages, $codes)
    ORDER BY r.task_name, r.split, r.subset
"""


def read_language_rows(snapshot: Snapshot, view: Mapping[str, str], model_name: str, language: str) -> pl.DataFrame:
    """The rows of a model that name a language, each once, as `describe_rows` tells them.

    Args:
        snapshot: Where to read.
        view: The settings of the records whose rows are asked for: `source`, `benchmark`, `merge`, `data`.
        model_name: The model.
        language: The language, after merging.
    """
    languages = snapshot.read("SELECT * FROM languages ORDER BY language")
    codes = [code for code, target in merged_codes(languages, Merging(view["merge"])).items() if target == language]
    models = snapshot.read("SELECT model_name, model_revision AS main_revision FROM models")
    comparable = keep_dataset_revisions(snapshot.read(_RUNS, {"source": view["source"]}), Data(view["data"]))
    runs = pick_revisions(comparable.filter(pl.col("model_name") == model_name), models)
    rows = snapshot.read(_ROWS, {"runs": runs["run_id"].to_list(), "codes": codes})
    if view["benchmark"] != EVERY_ROW:
        key = ["task_name", "split", "subset"]
        kept = snapshot.read(
            "SELECT task_name, split, subset FROM benchmark_rows JOIN rows USING (row_id) WHERE benchmark_name = ?",
            [view["benchmark"]],
        )
        rows = rows.join(kept, on=key, how="semi", maintain_order="left")
    revisions = runs.select("run_id", "model_revision", "dataset_revision", "mteb_version")
    return describe_rows(rows.join(revisions, on="run_id", how="left", maintain_order="left").drop("run_id"), codes)
