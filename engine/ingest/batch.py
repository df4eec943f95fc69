"""A batch of result folders, read and decoded in one process.

Runs in the parent and, as `python -m engine.ingest.batch`, in its children: a fresh interpreter that
imports msgspec and nothing heavy, takes one job on stdin and leaves one batch on stdout.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from pathlib import Path
from typing import Any

import msgspec

from engine.ingest.json_tokens import decode_with_nan
from engine.ingest.result_file import ResultFile, ScoreRow, decode_converted, decode_result
from engine.ingest.score_range import LARGEST_SCORE, outside_reason

META_NAME = "model_meta.json"
SETTINGS_NAME = "run_settings.jsonl"
RECORD_SUFFIX = ".record.jsonl"


def is_context(name: str) -> bool:
    """Whether a file says something about the runs of its folder, rather than being a result."""
    return name in (META_NAME, SETTINGS_NAME) or name.endswith(RECORD_SUFFIX)


class FolderJob(msgspec.Struct):
    """Files to read of one `<model>/<revision>` or `…/experiments/<name>` folder."""

    path: str
    results: list[str]
    """result files to read; a large folder may be split over several jobs"""
    context: list[str]
    """its model_meta.json, run settings and sidecars"""


class Job(msgspec.Struct):
    """Folders for one process."""

    source_path: str
    folders: list[FolderJob]
    converted_path: str
    """Where old files lie in the new format, named by the hash of the old one's bytes."""


class FolderFacts(msgspec.Struct):
    """What a folder's name and context files say about every run in it."""

    path: str
    model_name: str
    model_revision: str
    experiment_name: str
    prompts: dict[str, Any] | None = None
    versions: dict[str, str] = {}
    """versions of the encoder's software by task, as JSON"""
    records: dict[str, str] = {}
    """paths of sidecars of our own sweeps, by task"""


class RunFacts(msgspec.Struct, array_like=True):
    """What a result file says about its run."""

    folder: int
    path: str
    task_name: str
    dataset_revision: str | None
    mteb_version: str | None
    evaluation_time: float | None


class Batch(msgspec.Struct):
    """What one process read. Scores lie in four parallel columns of machine numbers."""

    folders: list[FolderFacts] = []
    runs: list[RunFacts] = []
    rows: list[tuple[str, str, str]] = []
    languages: list[tuple[str, ...]] = []
    run_index: bytes = b""
    row_index: bytes = b""
    language_index: bytes = b""
    score: bytes = b""
    """NaN where the file holds no valid number"""
    hashes: list[tuple[str, str]] = []
    rejects: list[tuple[str, str, str]] = []
    old_format: list[str] = []
    """files of the old format that nobody converted yet"""


class _ModelMeta(msgspec.Struct, gc=False):
    name: str | None = None
    revision: str | None = None
    experiment_kwargs: dict[str, Any] | None = None


class _RunSetting(msgspec.Struct, gc=False):
    task: str
    version: dict[str, str | None] = {}


_META = msgspec.json.Decoder(_ModelMeta)
_SETTING = msgspec.json.Decoder(_RunSetting)
NAN = float("nan")


def read_batch(job: Job) -> Batch:
    """Everything in a job's folders: runs, scores and what was refused."""
    reader = _BatchReader(job.source_path, Path(job.converted_path))
    for folder in job.folders:
        reader.read_folder(folder)
    return reader.finished()


class _BatchReader:
    """Collects a batch folder by folder."""

    def __init__(self, source_path: str, converted_path: Path) -> None:
        self.source_path = source_path
        self.converted_path = converted_path
        self.batch = Batch()
        self.subsets_of: dict[tuple[str, str], dict[str, int]] = {}
        self.last_run_of_row: list[int] = []
        self.language_of: dict[tuple[str, ...], int] = {}
        self.run_index, self.row_index, self.language_index = array("i"), array("i"), array("i")
        self.score = array("d")

    def finished(self) -> Batch:
        """The batch with its columns and keys."""
        batch = self.batch
        numbered = [
            (row, (task_name, split, subset))
            for (task_name, split), subsets in self.subsets_of.items()
            for subset, row in subsets.items()
        ]
        batch.rows = [key for _, key in sorted(numbered)]
        batch.languages = list(self.language_of)
        batch.run_index, batch.row_index = self.run_index.tobytes(), self.row_index.tobytes()
        batch.language_index, batch.score = self.language_index.tobytes(), self.score.tobytes()
        return batch

    def read_folder(self, job: FolderJob) -> None:
        """Adds one folder's runs."""
        facts = self._folder_facts(job)
        self.batch.folders.append(facts)
        for name in job.results:
            path = f"{job.path}/{name}"
            text = self._read(path)
            if text is not None:
                self._add_result(path, text)

    def _read(self, path: str) -> bytes | None:
        """A file's bytes, its hash noted; None and a reject where it cannot be read."""
        try:
            with open(f"{self.source_path}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - half the time of a Path
                text = file.read()
        except OSError as error:
            self._reject(path, "", f"{error.strerror}; expected a readable file. Check its permissions.")
            self.batch.hashes.append((path, ""))
            return None
        self.batch.hashes.append((path, hashlib.sha256(text).hexdigest()))
        return text

    def _reject(self, path: str, place: str, reason: str) -> None:
        self.batch.rejects.append((path, place, reason))

    def _add_result(self, path: str, text: bytes) -> None:
        result, problems = decode_result(text)
        if result is not None and result.scores is None and result.mteb_dataset_name is not None:
            converted = self.converted_path / f"{self.batch.hashes[-1][1]}.json"
            if not converted.exists():
                self.batch.old_format.append(path)
                return
            result, problems = decode_converted(converted.read_bytes())
        for place, reason in problems:
            self._reject(path, place, reason)
        if result is not None:
            self._add_run(path, result)

    def _add_run(self, path: str, result: ResultFile) -> None:
        task_name = result.task_name or path.rpartition("/")[2].removesuffix(".json")
        before = len(self.score)
        for split, rows in (result.scores or {}).items():
            self._add_scores(path, task_name, split, rows)
        if len(self.score) == before:
            self._reject(
                path, "", "no row with a main score; expected scores.<split>[…].main_score. Run the task again."
            )
            return
        self.run_index.extend([len(self.batch.runs)] * (len(self.score) - before))
        self.batch.runs.append(
            RunFacts(
                folder=len(self.batch.folders) - 1,
                path=path,
                task_name=task_name,
                dataset_revision=result.dataset_revision,
                mteb_version=result.mteb_version,
                evaluation_time=result.evaluation_time,
            )
        )

    def _add_scores(self, path: str, task_name: str, split: str, rows: list[ScoreRow]) -> None:
        """Adds one split's rows to the columns; this is the loop that every score passes through."""
        run, last_run, language_of = len(self.batch.runs), self.last_run_of_row, self.language_of
        add_row, add_language, add_score = self.row_index.append, self.language_index.append, self.score.append
        subsets = self.subsets_of.setdefault((task_name, split), {})
        for position, row in enumerate(rows):
            index = subsets.get(row.hf_subset)
            if index is None:
                index = subsets[row.hf_subset] = len(last_run)
                last_run.append(-1)
            if last_run[index] == run:
                reason = f"a second row for subset {row.hf_subset!r}; expected one. The first one is kept."
                self._reject(path, f"scores.{split}[{position}]", reason)
                continue
            last_run[index] = run
            score = row.main_score
            if score is not None and (score > LARGEST_SCORE or score < -LARGEST_SCORE):
                self._reject(path, f"scores.{split}[{position}].main_score", outside_reason(score))
                score = None
            add_row(index)
            add_language(language_of.setdefault(row.languages, len(language_of)))
            add_score(NAN if score is None else score)

    def _folder_facts(self, job: FolderJob) -> FolderFacts:
        parts = job.path.split("/")
        experiment_name = parts.pop() if len(parts) > 3 and parts[-2] == "experiments" else ""
        if experiment_name:
            parts.pop()
        facts = FolderFacts(job.path, parts[-2].replace("__", "/"), parts[-1], experiment_name)
        if experiment_name and META_NAME not in job.context:
            reason = "missing; expected the experiment's settings. Its runs are kept without a prompt."
            self._reject(f"{job.path}/{META_NAME}", "", reason)
        for name in job.context:
            path = f"{job.path}/{name}"
            text = self._read(path)
            if text is None:
                continue
            if name == META_NAME:
                self._add_meta(facts, path, text)
            elif name == SETTINGS_NAME:
                self._add_settings(facts, path, text)
            else:
                facts.records[name.removesuffix(RECORD_SUFFIX)] = path
        return facts

    def _add_meta(self, facts: FolderFacts, path: str, text: bytes) -> None:
        try:
            meta = decode_with_nan(_META, text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = f"{error}; expected a model's metadata. Model and revision are taken from the folder's name."
            if facts.experiment_name:
                reason += " Its runs are kept without a prompt."
            self._reject(path, "", reason)
            return
        facts.model_name = meta.name or facts.model_name
        facts.model_revision = meta.revision or facts.model_revision
        prompts = (meta.experiment_kwargs or {}).get("prompts")
        if not facts.experiment_name or prompts is None:
            return
        if isinstance(prompts, dict):
            facts.prompts = prompts
        else:
            reason = (
                f"{type(prompts).__name__}; expected an object of prompts by key. Its runs are kept without a prompt."
            )
            self._reject(path, "experiment_kwargs.prompts", reason)

    def _add_settings(self, facts: FolderFacts, path: str, text: bytes) -> None:
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                setting = decode_with_nan(_SETTING, line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                self._reject(path, f"line {number}", f"{error}; expected task and versions. The line is left out.")
                continue
            known = {name: version for name, version in sorted(setting.version.items()) if version and name != "mteb"}
            if known:
                facts.versions[setting.task] = msgspec.json.encode(known).decode()


def serve() -> None:
    """Reads a job from stdin and writes its batch to stdout."""
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Job)
    sys.stdout.buffer.write(msgspec.msgpack.encode(read_batch(job)))


if __name__ == "__main__":
    serve()
