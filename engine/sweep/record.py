"""What our own runs leave on disk: where each file lies, and the sidecar for all that MTEB does not keep.

A sweep folder is an MTEB cache tree with three additions: a record beside each result, `tasks.json`
for tasks that mteb does not know, and `prompts.jsonl` with the kinds of the prompts that ran.

    results/<model>/<revision>/[experiments/<experiment>/]<Task>.json           MTEB's result
    results/<model>/<revision>/[experiments/<experiment>/]<Task>.record.jsonl   the record: one JSON line
    results/<model>/<revision>/[experiments/<experiment>/]model_meta.json, run_settings.jsonl

The record does not end in `.json`, since mteb's cache takes every `*.json` there for a result.
Ingest reads records through this module, so it imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import SourceError
from engine.schema import PromptOrigin, PromptType, TemplateUse

TASKS_FILE = "tasks.json"
PROMPTS_FILE = "prompts.jsonl"


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What ran: the exact string per side, where it came from, and under which conditions."""

    task_name: str
    prompt_id: str | None
    """The study's prompt; null for a run with default settings."""
    strings: dict[PromptType, str | None]
    """Each side that the task has, and what stood before its texts. Null = nothing was asked for, "" = a prompt of
    no characters."""
    origins: dict[PromptType, PromptOrigin]
    template_used: TemplateUse
    versions: dict[str, str | None]
    device: str
    dtype: str
    seconds: float
    texts: int
    """Texts that mteb asked for, repeats included."""
    texts_encoded: int
    """Distinct strings that had to be encoded for this run; the others were there from earlier runs."""
    tokens: int
    """Tokens of those strings, as they entered the model."""
    seed: int
    prompts: dict[str, str] | None = None
    """The study's prompt by mteb's keys. `model_meta.json` has those of all tasks in its folder, but where two machines
    ran one prompt on different tasks, the copy that came last replaced it. Null for default settings, and in older
    records."""


def model_folder_name(model_name: str) -> str:
    """A model's name as mteb writes it into a path."""
    return model_name.replace("/", "__").replace(" ", "_")


def result_path(folder: Path, model_name: str, revision: str, experiment_name: str, task_name: str) -> Path:
    """Where the result of a run lies in a sweep folder; an empty experiment name means default settings."""
    below = folder / "results" / model_folder_name(model_name) / revision
    if experiment_name:
        below = below / "experiments" / experiment_name
    return below / f"{task_name}.json"


def record_path(result: Path) -> Path:
    """Where the record of a result lies: beside it."""
    return result.with_name(f"{result.stem}.record.jsonl")


def experiment_name_of(prompt_id: str) -> str:
    """The experiment folder of a prompt. A hash, since texts that differ may give the same file name."""
    return f"prompt_{prompt_id[:16]}"


def encode_record(record: RunRecord) -> str:
    """One JSON line."""
    return msgspec.json.encode(record).decode("utf-8") + "\n"


def read_record(path: Path) -> RunRecord:
    """The record in a file.

    Raises:
        SourceError: The file is not one line that holds a complete record.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunRecord)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{path} is not a run's record ({error}); expected one JSON object with the fields of RunRecord. "
            "Delete it and its result, and run the sweep again."
        ) from error
