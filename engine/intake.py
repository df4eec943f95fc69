"""A harvest's rows into a draft: old rows of the same files leave, names become running numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from engine.ingest.harvest import RUN_KEY, Harvest, settle_duplicates
from engine.numbering import add_numbers
from engine.schema import FILES, LANGUAGE_LISTS, LANGUAGE_SCORES, REJECTS, RUNS, SCORES
from engine.store import Draft

ROW_KEY = ("task_name", "split", "subset")
_RUN_KEY = ("source_name", *RUN_KEY)


@dataclass
class Intake:
    """Puts harvests into one draft, source by source, and counts what it did."""

    draft: Draft
    rows: pl.DataFrame = field(init=False)
    """`row_id` and its key: every row that ever got a number in this draft."""
    n_added: int = 0
    n_removed: int = 0

    def __post_init__(self) -> None:
        self.rows = self.draft.read(f"SELECT row_id, {', '.join(ROW_KEY)} FROM rows")

    def drop_source(self, source_name: str) -> None:
        """Take all rows of a source out."""
        self._drop_runs(self.draft.read("SELECT run_id FROM runs WHERE source_name = ?", [source_name])["run_id"])
        for table in (FILES, REJECTS):
            self.draft.delete(table, "source_name = ?", [source_name])

    def replace_files(self, source_name: str, paths: list[str], harvest: Harvest) -> None:
        """Put what was read in place of what the store holds of these files.

        Args:
            source_name: The source.
            paths: Files that were read again, and files that are gone.
            harvest: What was read.
        """
        known = self.draft.read(f"SELECT run_id, {', '.join(_RUN_KEY)} FROM runs")
        stored = self.draft.read("SELECT * FROM runs WHERE source_name = ?", [source_name])
        old = stored["path"].is_in(paths)
        settled = settle_duplicates(source_name, harvest, stored.filter(~old))
        gives_way = stored["path"].is_in(settled.displaced.implode())
        self._drop_runs(stored.filter(old | gives_way)["run_id"])
        self._drop_lines(source_name, paths, settled.harvest)
        self._add_runs(settled.harvest, known)
        self.draft.append(FILES, settled.harvest.files)
        self.draft.append(REJECTS, settled.harvest.rejects)

    def note_times(self, source_name: str, touched: pl.DataFrame) -> None:
        """Write the new times of files whose content stayed the same into the ledger."""
        if touched.is_empty():
            return
        self.draft.delete(
            FILES, "source_name = ? AND path IN (SELECT unnest(?))", [source_name, touched["path"].to_list()]
        )
        self.draft.append(FILES, touched.with_columns(pl.lit(source_name).alias("source_name")))

    def note_problems(self, source_name: str, noted: Mapping[str, str], problems: Mapping[str, str]) -> None:
        """Put what stands in the way of reading a source, by path, in place of what was noted before."""
        paths = [*noted, *problems]
        self.draft.delete(REJECTS, "source_name = ? AND path IN (SELECT unnest(?))", [source_name, paths])
        rows = [(source_name, path, "", reason) for path, reason in problems.items()]
        self.draft.append(REJECTS, pl.DataFrame(rows, schema=REJECTS.schema, orient="row"))

    def sort_scores(self) -> None:
        """Order scores by run again where rows have left, so that a run's scores lie together."""
        if self.n_removed:
            self.draft.sort(SCORES)

    def _drop_runs(self, run_ids: pl.Series) -> None:
        if run_ids.is_empty():
            return
        for table in (LANGUAGE_SCORES, SCORES, RUNS):
            self.draft.delete(table, "run_id IN (SELECT unnest(?))", [run_ids.to_list()])
        self.n_removed += len(run_ids)

    def _drop_lines(self, source_name: str, paths: list[str], harvest: Harvest) -> None:
        self.draft.delete(FILES, "source_name = ? AND path IN (SELECT unnest(?))", [source_name, paths])
        refused = [*paths, *harvest.rejects["path"].unique()]
        self.draft.delete(REJECTS, "source_name = ? AND path IN (SELECT unnest(?))", [source_name, refused])

    def _add_runs(self, harvest: Harvest, known: pl.DataFrame) -> None:
        runs = add_numbers(harvest.runs, known, _RUN_KEY, "run_id")
        rows = add_numbers(harvest.rows, self.rows, ROW_KEY, "row_id")
        lists = self.draft.read("SELECT * FROM language_lists")
        languages = add_numbers(harvest.language_lists, lists, ("languages",), "language_list_id")
        scores = harvest.scores.select(
            runs["run_id"].gather(harvest.scores["run_index"]),
            rows["row_id"].gather(harvest.scores["row_index"]),
            languages["language_list_id"].gather(harvest.scores["language_index"]),
            "score",
        ).sort("run_id", "row_id")
        self.rows = pl.concat([self.rows, rows.join(self.rows, on="row_id", how="anti")])
        new_lists = languages.join(lists, on="language_list_id", how="anti")
        # Lists that differ only in empty names are one list.
        self.draft.append(LANGUAGE_LISTS, new_lists.unique("language_list_id", maintain_order=True))
        self.draft.append(RUNS, runs.sort("run_id"))
        self.draft.append(SCORES, scores)
        self.n_added += len(runs)
