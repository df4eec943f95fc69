"""Runs of one task on different revisions of its data: which of them may stand in one comparison."""

from __future__ import annotations

from enum import StrEnum

import polars as pl


class Data(StrEnum):
    """Which revisions of a task's data are compared with each other."""

    ANY = "any"
    """all of them; the page says how many tasks mix"""
    COMMON = "common"
    """of each task the one revision that most models ran on"""


def keep_dataset_revisions(runs: pl.DataFrame, data: Data) -> pl.DataFrame:
    """The runs that may be compared, in their order.

    Rule: of each task, the revision that most distinct models ran on. Ties: a recorded revision before none, then the
    name in alphabetical order. Missing: runs that record no revision count as a revision of their own, since nobody
    knows that they are the same.

    Args:
        runs: `task_name`, `model_name`, `dataset_revision` (null = not recorded) and more.
        data: Which revisions are compared.
    """
    if data is Data.ANY:
        return runs
    revisions = runs.group_by("task_name", "dataset_revision").agg(n_models=pl.col("model_name").n_unique())
    ordered = revisions.sort("n_models", "dataset_revision", descending=[True, False], nulls_last=True)
    common = ordered.unique("task_name", keep="first", maintain_order=True)
    key = ["task_name", "dataset_revision"]
    return runs.join(common, on=key, how="semi", nulls_equal=True, maintain_order="left")
