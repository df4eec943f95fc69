"""The sidecar's format, which ingest reads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.schema import PromptOrigin, PromptType, TemplateUse
from engine.settings import PROJECT
from engine.sweep.record import RunRecord, encode_record, experiment_name_of, read_record, record_path, result_path

RECORD = RunRecord(
    task_name="T",
    prompt_id="0" * 32,
    strings={PromptType.QUERY: "", PromptType.DOCUMENT: None},
    origins={PromptType.QUERY: PromptOrigin.STUDY, PromptType.DOCUMENT: PromptOrigin.NONE},
    template_used=TemplateUse.NO,
    versions={"mteb": "2", "torch": None},
    device="cpu",
    dtype="float32",
    seconds=1.5,
    texts=10,
    texts_encoded=8,
    tokens=80,
    seed=42,
)


def test_record_comes_back_as_it_was(tmp_path):
    path = tmp_path / "T.record.jsonl"
    path.write_text(encode_record(RECORD), encoding="utf-8")
    assert read_record(path) == RECORD
    assert path.read_text("utf-8").count("\n") == 1


def test_empty_prompt_and_no_prompt_stay_apart_on_disk():
    assert json.loads(encode_record(RECORD))["strings"] == {"query": "", "document": None}


@pytest.mark.parametrize(
    "text", ["", "{}", '{"task_name": "T"', encode_record(RECORD).replace('"study prompt"', '"a friend"')]
)
def test_unreadable_record_is_named(text, tmp_path):
    path = tmp_path / "T.record.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"T\.record\.jsonl is not a run's record"):
        read_record(path)


def test_files_of_a_run_lie_where_mteb_looks():
    result = result_path(Path("sweep"), "org/my model", "r1", experiment_name_of("abcdef0123456789ffff"), "Task.v2")
    assert result.as_posix() == "sweep/results/org__my_model/r1/experiments/prompt_abcdef0123456789/Task.v2.json"
    assert record_path(result).name == "Task.v2.record.jsonl"
    assert result_path(Path("s"), "o/m", "r", "", "T").as_posix() == "s/results/o__m/r/T.json"


def test_reading_records_loads_nothing_heavy():
    heavy = {"torch", "mteb", "sentence_transformers", "transformers", "datasets", "duckdb"}
    code = f"import sys, engine.sweep.record; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
