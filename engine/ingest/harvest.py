"""What reading a source leaves for the pipeline: frames keyed by names, never by the store's running numbers.

Scores are the only big frame, so they name their run, row and language list by position in the
small frames beside them; the pipeline replaces positions by its own numbers with three joins.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import polars as pl

from engine.ingest.prompts import PROMPT_RECORD_FRAME, PROMPT_TEXT_FRAME
from engine.schema import FILES, LANGUAGE_LISTS, MODELS, REJECTS, ROWS, RUNS, TASKS

RUN_FRAME = pl.Schema({name: dtype for name, dtype in RUNS.schema.items() if name != "run_id"})
ROW_FRAME = pl.Schema({name: ROWS.schema[name] for name in ("task_name", "split", "subset")})
TASK_ROW_FRAME = pl.Schema({name: dtype for name, dtype in ROWS.schema.items() if name != "row_id"})
LANGUAGE_FRAME = pl.Schema({"languages": LANGUAGE_LISTS.schema["languages"]})
SCORE_FRAME = pl.Schema(
    {"run_index": pl.Int32(), "row_index": pl.Int32(), "language_index": pl.Int32(), "score": pl.Float64()}
)
RUN_KEY = ("model_name", "model_revision", "task_name", "experiment_name")


@dataclass(frozen=True)
class Harvest:
    """Frames of the files that were read.

    `models`, `tasks`, `task_rows` and `prompt_records` describe the whole source, also where only some
    of its files changed; everything else belongs to the files that were read.
    """

    runs: pl.DataFrame
    """RUNS without run_id; the position of a row is its `run_index`."""
    rows: pl.DataFrame
    """One row per task × split × subset; its position is its `row_index`."""
    language_lists: pl.DataFrame
    """One row per list of languages; its position is its `language_index`."""
    scores: pl.DataFrame
    """run_index, row_index, language_index, score."""
    prompts: pl.DataFrame
    """Prompts that runs were given: prompt_id, task_name, prompt_type, prompt_text, document_text.
    `prompts.describe_prompts` adds kind, generators and note."""
    prompt_records: pl.DataFrame
    """What the source's own `prompts.jsonl` says about prompts."""
    models: pl.DataFrame
    """MODELS rows as the source's `model_meta.json` files describe them."""
    tasks: pl.DataFrame
    """TASKS rows from the source's own `tasks.json`."""
    task_rows: pl.DataFrame
    """ROWS without row_id from the source's own `tasks.json`."""
    rejects: pl.DataFrame
    """REJECTS."""
    files: pl.DataFrame
    """FILES rows of the files that were read: the ledger's new lines."""

    def without_runs(self, paths: pl.Series) -> Harvest:
        """The same harvest without the runs that came from these files, and without their scores."""
        kept = self.runs.with_row_index("run_index").filter(~pl.col("path").is_in(paths.implode()))
        renumbered = kept.select(
            pl.col("run_index").cast(pl.Int32()), pl.int_range(pl.len(), dtype=pl.Int32()).alias("new_index")
        )
        scores = self.scores.join(renumbered, on="run_index", how="inner", maintain_order="left")
        return replace(
            self,
            runs=kept.drop("run_index"),
            scores=scores.with_columns(pl.col("new_index").alias("run_index")).drop("new_index"),
        )

    def named_scores(self) -> pl.DataFrame:
        """One row per score with the names that its positions stand for: slow, for small harvests and tests."""
        positions = {"run_index": self.runs.select(RUN_KEY), "row_index": self.rows.select("split", "subset")}
        positions["language_index"] = self.language_lists
        scores = self.scores
        for index, named in positions.items():
            numbered = named.with_columns(pl.int_range(pl.len(), dtype=pl.Int32()).alias(index))
            scores = scores.join(numbered, on=index, how="left", maintain_order="left")
        return scores.select(*RUN_KEY, "split", "subset", "languages", "score")


FRAMES = {
    "runs": RUN_FRAME,
    "rows": ROW_FRAME,
    "language_lists": LANGUAGE_FRAME,
    "scores": SCORE_FRAME,
    "prompts": PROMPT_TEXT_FRAME,
    "prompt_records": PROMPT_RECORD_FRAME,
    "models": MODELS.schema,
    "tasks": TASKS.schema,
    "task_rows": TASK_ROW_FRAME,
    "rejects": REJECTS.schema,
    "files": FILES.schema,
}


def empty_harvest(**frames: pl.DataFrame) -> Harvest:
    """A harvest of these frames, every other one empty."""
    return Harvest(**{field.name: frames.get(field.name, FRAMES[field.name].to_frame()) for field in fields(Harvest)})


def split_languages() -> pl.Expr:
    """Lists of languages from texts that join them by a zero byte, faster to hand to polars than lists."""
    names = pl.col("languages").cast(pl.String).str.split("\0")
    return names.list.filter(pl.element() != "")


@dataclass(frozen=True)
class Settled:
    """A harvest in which every run stands once, also beside the runs that the store already has."""

    harvest: Harvest
    displaced: pl.Series
    """Paths of stored runs that must give way: the same result was found under a path that sorts before theirs."""


def settle_duplicates(source_name: str, harvest: Harvest, stored: pl.DataFrame) -> Settled:
    """The harvest without runs that repeat another one, each of them rejected with the path that it repeats.

    Two runs are the same when model, revision, task and experiment are the same, or when two experiments
    gave one model, revision and task the same prompt. The file whose path sorts first stays, so that the
    order of builds does not matter; nothing is averaged.

    Args:
        source_name: Source of all these runs.
        harvest: What was just read.
        stored: `model_name`, `model_revision`, `task_name`, `experiment_name`, `prompt_id`, `path` of the
            source's runs that stay in the store.
    """
    columns = [*RUN_KEY, "prompt_id", "path"]
    runs = pl.concat([stored.select(columns), harvest.runs.select(columns)]).sort("path")
    first = pl.col("path").first()
    runs = runs.with_columns(first.over(RUN_KEY).alias("same_run"))
    repeats_run = runs.filter(pl.col("path") != pl.col("same_run"))
    prompted = runs.filter(pl.col("path") == pl.col("same_run"), pl.col("prompt_id").is_not_null())
    prompt_key = ["model_name", "model_revision", "task_name", "prompt_id"]
    prompted = prompted.with_columns(first.over(prompt_key).alias("same_run"))
    repeats_prompt = prompted.filter(pl.col("path") != pl.col("same_run"))
    rejects = pl.concat(
        [
            _rejects(source_name, repeats_run, "", "same model, revision, task and experiment as"),
            _rejects(
                source_name, repeats_prompt, "experiment_kwargs.prompts", "same model, revision, task and prompt as"
            ),
        ]
    )
    losers = rejects["path"]
    return Settled(
        replace(harvest.without_runs(losers), rejects=pl.concat([harvest.rejects, rejects])),
        losers.filter(losers.is_in(stored["path"].implode())),
    )


def _rejects(source_name: str, repeats: pl.DataFrame, place: str, what: str) -> pl.DataFrame:
    return repeats.select(
        pl.lit(source_name).alias("source_name"),
        "path",
        pl.lit(place).alias("place"),
        pl.format(
            what + " {}; expected one result each, that file was kept. Remove one of the two.", pl.col("same_run")
        ).alias("reason"),
    ).cast(REJECTS.schema)
