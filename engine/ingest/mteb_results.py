"""Reads MTEB cache trees: the batches of several processes become one harvest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from engine.errors import SourceError
from engine.ingest.batch import META_NAME, Batch
from engine.ingest.harvest import ROW_FRAME, Harvest, empty_harvest, split_languages
from engine.ingest.local_tasks import read_local_tasks
from engine.ingest.model_cards import read_model_cards
from engine.ingest.old_format import conversion_folder, convert_old_files
from engine.ingest.processes import read_files
from engine.ingest.prompts import PROMPT_RECORD_FRAME, read_prompt_file
from engine.ingest.runs import Reject, build_runs
from engine.ingest.scan import FoundFile, Scan, content_hash
from engine.schema import FILES, REJECTS
from engine.settings import Settings
from engine.sweep.record import PROMPTS_FILE, TASKS_FILE


def read_results(settings: Settings, source_name: str, source_path: Path, scan: Scan, tasks: pl.DataFrame) -> Harvest:
    """The harvest of a source's changed files.

    Args:
        settings: Where converted files of the old format are kept.
        source_name: Name of the source.
        source_path: Its folder.
        scan: What changed in it.
        tasks: `task_name` and `task_type` of the tasks that mteb registers.

    Raises:
        SourceError: A child process died.
    """
    rejects: list[Reject] = []
    local = read_local_tasks(source_path)
    if local.problem is not None:
        rejects.append((TASKS_FILE, "", local.problem))
    known = pl.concat([tasks.select("task_name", "task_type"), local.tasks.select("task_name", "task_type")])
    batches = _read_batches(settings, source_path, scan)
    built = build_runs(source_name, source_path, batches, dict(known.iter_rows()))
    records = _prompt_records(source_path, known, rejects)
    rejects += [*chain.from_iterable(batch.rejects for batch in batches), *built.rejects]
    return empty_harvest(
        runs=built.runs,
        prompts=built.prompts,
        **_joined_scores(batches),
        prompt_records=records,
        models=read_model_cards(source_path, _speaking_cards(scan.found)),
        tasks=local.tasks,
        task_rows=local.rows,
        rejects=_reject_frame(source_name, rejects),
        files=_ledger_lines(source_name, source_path, scan, batches),
    )


def _read_batches(settings: Settings, source_path: Path, scan: Scan) -> list[Batch]:
    """Batches of the changed files; those of the old format come in a second reading, after their conversion."""
    converted = conversion_folder(settings)
    batches = read_files(source_path, scan.found, scan.changed, converted)
    old = sorted(chain.from_iterable(batch.old_format for batch in batches))
    if not old:
        return batches
    hashes = dict(chain.from_iterable(batch.hashes for batch in batches))
    convert_old_files(settings, {hashes[path]: source_path / path for path in old})
    late = read_files(source_path, scan.found, old, converted)
    for batch in late:
        batch.rejects += [(path, "", "a result from before mteb 1.11; expected mteb installed to convert it. "
                           "Install requirements.txt and build again.") for path in batch.old_format]  # fmt: skip
    return [*batches, *late]


def _joined_scores(batches: Sequence[Batch]) -> dict[str, pl.DataFrame]:
    """The rows, language lists and scores of all batches, with positions counted over all of them."""
    row_of: dict[tuple[str, str, str], int] = {}
    language_of: dict[tuple[str, ...], int] = {}
    columns: dict[str, list[np.ndarray]] = {"run_index": [], "row_index": [], "language_index": [], "score": []}
    runs_before = 0
    for batch in batches:
        rows = np.array([row_of.setdefault(row, len(row_of)) for row in batch.rows], dtype=np.int32)
        lists = [language_of.setdefault(names, len(language_of)) for names in batch.languages]
        columns["run_index"].append(np.frombuffer(batch.run_index, np.int32) + np.int32(runs_before))
        columns["row_index"].append(rows[np.frombuffer(batch.row_index, np.int32)])
        columns["language_index"].append(np.array(lists, np.int32)[np.frombuffer(batch.language_index, np.int32)])
        columns["score"].append(np.frombuffer(batch.score, np.float64))
        runs_before += len(batch.runs)
    scores = pl.DataFrame({name: np.concatenate(parts) for name, parts in columns.items()})
    return {
        "rows": pl.DataFrame(list(row_of), schema=ROW_FRAME, orient="row"),
        "language_lists": pl.DataFrame({"languages": ["\0".join(names) for names in language_of]}).select(
            split_languages()
        ),
        "scores": scores.with_columns(pl.when(pl.col("score").is_finite()).then(pl.col("score")).alias("score")),
    }


def _prompt_records(source_path: Path, tasks: pl.DataFrame, rejects: list[Reject]) -> pl.DataFrame:
    path = source_path / PROMPTS_FILE
    if not path.is_file():
        return PROMPT_RECORD_FRAME.to_frame()
    try:
        return read_prompt_file(path, tasks)
    except SourceError as error:
        rejects.append((PROMPTS_FILE, "", str(error)))
        return PROMPT_RECORD_FRAME.to_frame()


def _speaking_cards(found: Iterable[FoundFile]) -> list[str]:
    """Paths of `model_meta.json` files, those of default runs first; of a model's many experiments one is enough."""
    cards = [file.path for file in found if file.path.endswith(f"/{META_NAME}")]
    first_of_folder: dict[str, str] = {}
    for path in cards:
        if "/experiments/" in path:
            first_of_folder.setdefault(path.partition("/experiments/")[0], path)
    return [path for path in cards if "/experiments/" not in path] + list(first_of_folder.values())


def _reject_frame(source_name: str, rejects: list[Reject]) -> pl.DataFrame:
    rows = [(source_name, *reject) for reject in rejects]
    return pl.DataFrame(rows, schema=REJECTS.schema, orient="row").unique(
        ["path", "place"], keep="first", maintain_order=True
    )


def _ledger_lines(source_name: str, source_path: Path, scan: Scan, batches: Sequence[Batch]) -> pl.DataFrame:
    """FILES rows of the changed files; a file that could not be read has an empty hash."""
    hashes = dict(chain.from_iterable(batch.hashes for batch in batches))
    changed = set(scan.changed)
    hashes.update((name, content_hash(source_path / name)) for name in (PROMPTS_FILE, TASKS_FILE) if name in changed)
    lines = [
        (source_name, file.path, file.n_bytes, file.modified_ns, hashes.get(file.path, ""))
        for file in scan.found
        if file.path in changed
    ]
    return pl.DataFrame(lines, schema=FILES.schema, orient="row")
