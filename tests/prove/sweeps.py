"""A small real study, and what it left in a folder: scores by run, after checking that every file is whole."""

import json
import subprocess
import sys
from pathlib import Path

from engine.settings import PROJECT, Settings
from engine.study.file import read_study
from engine.study.resolve import resolve
from engine.sweep.plan import Plan
from engine.sweep.record import read_record, record_path
from tests.prove.scale import FULL

TASKS = ("ScorelensHomeCommandPairs", "ScorelensDjangoBitext")
PROMPTS = ("", "Label: ", "query: ")
MODELS = ("universal-sentence-encoder-multilingual-v3", *(["all-MiniLM-L6-v2"] if FULL else []))


def write_study(folder: Path) -> Path:
    """A study file of bundled models and demo tasks, with its prompts beside it."""
    prompts = [
        {"task_name": task, "prompt_type": "none", "text": text, "kind": "minimal"}
        for task in TASKS
        for text in PROMPTS
    ]
    (folder / "few.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    lists = "".join(f"{name} = {json.dumps(values)}\n" for name, values in (("models", MODELS), ("tasks", TASKS)))
    (folder / "few.toml").write_text(f'{lists}prompts = ["few.jsonl"]\n')
    return folder / "few.toml"


def start(data: Path, study: Path, shard: str = "1/1") -> subprocess.Popen:
    """A sweep that has just begun its runs."""
    command = [sys.executable, "-m", "tests.prove.sweeper", str(data), str(study), shard]
    child = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begin\n"
    return child


def sweep_to_the_end(data: Path, study: Path, shard: str = "1/1") -> None:
    said, _ = start(data, study, shard).communicate(timeout=300)
    assert said == "end 0\n"


def read_plan(data: Path, study: Path) -> Plan:
    """The plan of a study, all of which can be had."""
    resolved = resolve(Settings(data), read_study(study))
    assert resolved.plan.runs and not resolved.refused
    return resolved.plan


def scores(data: Path, study: Path) -> dict[tuple[str, ...], dict[str, float]]:
    """Main scores by run, as they lie in the folder."""
    plan = read_plan(data, study)
    results = {path for path in plan.folder.glob("results/**/*.json") if path.name != "model_meta.json"}
    assert results == {run.result for run in plan.runs}, "each run is there once, and nothing else"
    assert not list(plan.folder.glob("**/*.part"))
    found = {}
    for run in plan.runs:
        read_record(record_path(run.result))
        rows = json.loads(run.result.read_text())["scores"]["test"]
        key = (run.model.name, run.task.name, str(run.prompt_text))
        found[key] = {row["hf_subset"]: row["main_score"] for row in rows}
    return found
