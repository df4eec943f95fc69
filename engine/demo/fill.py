"""The demo is a sweep like any other: bundled models × four local tasks × a dozen prompts each."""

from __future__ import annotations

import json
from pathlib import Path

from engine.atomic import write_atomically
from engine.demo.models import bundled_models
from engine.demo.tasks import local_tasks
from engine.settings import Settings
from engine.sweep.plan import Plan, plan_sweep
from engine.sweep.progress import Progress
from engine.sweep.prompting import encode_prompts, read_prompts
from engine.sweep.record import PROMPTS_FILE, TASKS_FILE
from engine.sweep.runner import SweepReport, run_sweep
from engine.sweep.vectors import VectorFile

DemoReport = SweepReport

SOURCE_NAME = "demo"


def demo_folder(settings: Settings) -> Path:
    """The sweep folder of the demo: a source like any other."""
    return settings.results / SOURCE_NAME


def plan_demo(settings: Settings, *, quick: bool) -> Plan:
    """What the demo would run, and what of it is there; `quick` leaves out the largest model, and nothing else."""
    tasks = [task.sweep_task() for task in local_tasks()]
    prompts = read_prompts(settings.prompts / "demo.jsonl")
    return plan_sweep(demo_folder(settings), bundled_models(settings, quick=quick), tasks, prompts)


def run_demo(settings: Settings, *, quick: bool, progress: Progress) -> DemoReport:
    """Fill the demo's folder with what it lacks: result trees, `tasks.json` and `prompts.jsonl`.

    Args:
        settings: Whose data folder.
        quick: Without multilingual-e5-small: under a minute. A full fill later adds it and keeps the rest.
        progress: Called before the first run of each model and after every run.

    Returns:
        What was done, skipped and failed. A failed run is listed with its cause; the others are there.
    """
    plan = plan_demo(settings, quick=quick)
    described = [task.described() for task in local_tasks()]
    write_atomically(plan.folder / TASKS_FILE, json.dumps(described, ensure_ascii=False, indent=1) + "\n")
    write_atomically(plan.folder / PROMPTS_FILE, encode_prompts(read_prompts(settings.prompts / "demo.jsonl")))
    with VectorFile(settings.vectors / "vectors.sqlite") as vectors:
        return run_sweep(plan, vectors, progress)
