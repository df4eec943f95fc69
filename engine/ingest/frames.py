"""Reads mteb's leaderboard frame: one Parquet file with a row per model, task, split and subset."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from engine.errors import SourceError
from engine.ingest.harvest import ROW_FRAME, RUN_FRAME, RUN_KEY, SCORE_FRAME, Harvest, empty_harvest, split_languages
from engine.ingest.prompts import has_sides
from engine.ingest.scan import content_hash
from engine.ingest.score_range import LARGEST_SCORE, OUTSIDE
from engine.schema import FILES, REJECTS, PromptOrigin, TemplateUse

EXPECTED = {
    "model_name": pl.String(),
    "model_revision": pl.String(),
    "task_name": pl.String(),
    "split": pl.String(),
    "subset": pl.String(),
    "language": pl.List(pl.String()),
    "score": pl.Float64(),
}
"""Columns that are read; `experiments` too where it is there."""

NO_REVISION = "no_revision_available"
_ROWS_AT_ONCE = 2**18
_KEYS = {
    "run_index": RUN_KEY,
    "row_index": ("task_name", "split", "subset"),
    "language_index": ("languages",),
}
_SIDES = ("query", "document", "none")


def read_frame(source_name: str, path: Path, tasks: pl.DataFrame) -> Harvest:
    """The harvest of a frame; a null score is mteb's padding for a missing row and is not stored.

    A frame does not say what ran before a text: origins are not recorded, and an experiment has no prompt.

    Args:
        source_name: Name of the source.
        path: The Parquet file.
        tasks: `task_name` and `task_type` of known tasks.

    Raises:
        SourceError: The file is not Parquet, or lacks a column, or has one of another type.
    """
    scanned = scan_frame(path)
    try:
        return _read_rows(source_name, path, scanned, tasks)
    except pl.exceptions.PolarsError as error:
        reason = f"{error}; expected rows that can be read. Export the frame with mteb again."
        return empty_harvest(rejects=_reject(source_name, path, "", reason), files=_ledger_line(source_name, path))


def _read_rows(source_name: str, path: Path, scanned: pl.LazyFrame, tasks: pl.DataFrame) -> Harvest:
    named = pl.all_horizontal(pl.col("model_name", "task_name", "split", "subset").is_not_null())
    n_rows = scanned.select(pl.len()).collect().item()
    keys = {
        index: pl.DataFrame(schema={**dict.fromkeys(key, pl.String()), index: pl.Int32()})
        for index, key in _KEYS.items()
    }
    parts, n_nameless, n_outside = [SCORE_FRAME.to_frame()], 0, 0
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        part = scanned.slice(start, _ROWS_AT_ONCE).filter(pl.col("score").is_finite()).collect()
        n_nameless += len(part)
        part = part.filter(named)
        n_nameless -= len(part)
        n_outside += len(part)
        part = part.filter(pl.col("score").abs() <= LARGEST_SCORE)
        n_outside -= len(part)
        for index, key in _KEYS.items():
            keys[index] = _with_new_keys(keys[index], part, key, index)
            part = part.join(keys[index], on=key, how="left", maintain_order="left")
        parts.append(part.select(list(SCORE_FRAME)))
    scores = pl.concat(parts, rechunk=True)
    kept = scores.unique(["run_index", "row_index"], keep="first", maintain_order=True)
    return empty_harvest(
        runs=_run_rows(source_name, path, keys["run_index"], tasks),
        rows=keys["row_index"].select(list(ROW_FRAME)),
        language_lists=keys["language_index"].select(split_languages()),
        scores=kept,
        rejects=_refused_rows(source_name, path, n_nameless, len(scores) - len(kept), n_outside),
        files=_ledger_line(source_name, path),
    )


def scan_frame(path: Path) -> pl.LazyFrame:
    """The frame under our column names, languages joined to one text; nothing but its schema is read yet.

    Raises:
        SourceError: The file is not Parquet, or lacks a column, or has one of another type.
    """
    try:
        frame = pl.scan_parquet(path)
        schema = frame.collect_schema()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(
            f"{path} is not a Parquet file ({error}); expected mteb's leaderboard frame. Export it again."
        ) from error
    wrong = [
        f"{name} is {schema.get(name, 'missing')}" for name, dtype in EXPECTED.items() if schema.get(name) != dtype
    ]
    if wrong:
        wanted = ", ".join(f"{name} {dtype}" for name, dtype in EXPECTED.items())
        raise SourceError(f"{path}: {'; '.join(wrong)}; expected {wanted}. Export the frame with mteb again.")
    experiments = pl.col("experiments").cast(pl.String) if "experiments" in schema else pl.lit(None, pl.String)
    return frame.select(
        "model_name",
        pl.col("model_revision").fill_null(NO_REVISION),
        "task_name",
        experiments.fill_null("").alias("experiment_name"),
        "split",
        "subset",
        pl.col("language").list.join("\0").fill_null("").alias("languages"),
        "score",
    )


def _with_new_keys(known: pl.DataFrame, part: pl.DataFrame, key: tuple[str, ...], index: str) -> pl.DataFrame:
    """The known keys with those of a part added at the end, numbered on."""
    new = part.select(key).unique(maintain_order=True).join(known, on=key, how="anti", maintain_order="left")
    return pl.concat([known, new.with_columns((pl.int_range(pl.len()) + len(known)).cast(pl.Int32).alias(index))])


def _run_rows(source_name: str, path: Path, runs: pl.DataFrame, tasks: pl.DataFrame) -> pl.DataFrame:
    types = dict(tasks.select("task_name", "task_type").iter_rows())
    sided = [name for name in runs["task_name"].unique() if has_sides(name, types.get(name))]
    is_sided = pl.col("task_name").is_in(sided)
    not_recorded = pl.lit(str(PromptOrigin.NOT_RECORDED))
    known = {
        "source_name": pl.lit(source_name),
        "is_default": pl.col("experiment_name") == "",
        **{f"origin_{side}": pl.when(is_sided != (side == "none")).then(not_recorded) for side in _SIDES},
        "template_used": pl.lit(str(TemplateUse.NOT_RECORDED)),
        "path": pl.lit(path.name),
    }
    return runs.select(
        (known[name] if name in known else pl.col(name) if name in RUN_KEY else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in RUN_FRAME.items()
    )


def _refused_rows(source_name: str, path: Path, n_nameless: int, n_repeats: int, n_outside: int) -> pl.DataFrame:
    nameless = f"{n_nameless} rows lack a model, task, split or subset; expected all four. They are left out."
    repeats = f"{n_repeats} rows repeat a model, task, split and subset; expected one row each. The first one is kept."
    return pl.concat(
        [
            REJECTS.schema.to_frame(),
            *([_reject(source_name, path, "rows without a name", nameless)] if n_nameless else []),
            *([_reject(source_name, path, "rows", repeats)] if n_repeats else []),
            *([_reject(source_name, path, "scores", f"{n_outside} {OUTSIDE}")] if n_outside else []),
        ]
    )


def _reject(source_name: str, path: Path, place: str, reason: str) -> pl.DataFrame:
    return pl.DataFrame([(source_name, path.name, place, reason)], schema=REJECTS.schema, orient="row")


def _ledger_line(source_name: str, path: Path) -> pl.DataFrame:
    status = path.stat()
    line = (source_name, path.name, status.st_size, status.st_mtime_ns, content_hash(path))
    return pl.DataFrame([line], schema=FILES.schema, orient="row")
