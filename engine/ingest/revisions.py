"""One revision a model: which of several a view shows, by the rule of mteb's `BenchmarkResults.join_revisions`."""

from __future__ import annotations

import polars as pl
from packaging.version import InvalidVersion, Version

NO_REVISION = ("external", "no_revision_available")


def pick_revisions(runs: pl.DataFrame, models: pl.DataFrame) -> pl.DataFrame:
    """The runs with one revision left per source, model, experiment and task, in their order.

    First the revision that mteb registers as the main one, then runs with a readable mteb version,
    then those with a revision at all (not `external`, not `no_revision_available`), then the latest mteb
    version, then the revision's name in alphabetical order: mteb leaves that last tie to the order of files.

    Args:
        runs: `source_name`, `model_name`, `model_revision`, `task_name`, `experiment_name`, `mteb_version` and more.
        models: `model_name` and `main_revision`, the revision that mteb registers (null = none).
    """
    main = models.select("model_name", "main_revision").unique("model_name", keep="first", maintain_order=True)
    ranked = (
        runs.with_row_index("position")
        .join(_version_ranks(runs["mteb_version"]), on="mteb_version", how="left", nulls_equal=True)
        .join(main, on="model_name", how="left")
        .sort(
            _priority(),
            "version_rank",
            "model_revision",
            "position",
            descending=[True, True, False, False],
            nulls_last=[False, True, True, False],
        )  # fmt: skip
        .unique(["source_name", "model_name", "experiment_name", "task_name"], keep="first", maintain_order=True)
    )
    return ranked.sort("position").select(runs.columns)


def _priority() -> pl.Expr:
    """Mteb's weights: the main revision outweighs a readable version, which outweighs a known revision."""
    is_main = (pl.col("model_revision") == pl.col("main_revision")).fill_null(value=False)
    has_version = pl.col("version_rank").is_not_null()
    has_revision = ~pl.col("model_revision").is_in(NO_REVISION).fill_null(value=True)
    return is_main.cast(pl.Int32) * 1000 + has_version.cast(pl.Int32) * 100 + has_revision.cast(pl.Int32) * 10


def _version_ranks(versions: pl.Series) -> pl.DataFrame:
    """One row per distinct version with its place in the order of package versions; null where it is none."""
    names = versions.unique().to_list()
    parsed = {name: _parse_version(name) for name in names}
    ordered = sorted({version for version in parsed.values() if version is not None})
    place = {version: rank for rank, version in enumerate(ordered)}
    ranks = [None if version is None else place[version] for version in parsed.values()]
    return pl.DataFrame(
        {"mteb_version": names, "version_rank": ranks}, {"mteb_version": pl.String, "version_rank": pl.Int32}
    )


def _parse_version(name: str | None) -> Version | None:
    try:
        return Version(name) if name is not None else None
    except InvalidVersion:
        return None
