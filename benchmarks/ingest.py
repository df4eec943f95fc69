"""Ingest and publish of an MTEB results folder, against mteb loading the same files into its frame.

`python benchmarks/ingest.py FOLDER [--rounds 3]`. Each measurement is a fresh process; the two alternate, the disk is
warm, imports are not counted. mteb's metadata export and its conversion of old files happen once per version of mteb
and are timed apart. Memory is the sum of the peaks of all processes: an upper bound, since they need not coincide.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def measure_mteb(folder: Path) -> dict[str, Any]:
    """Seconds and memory that mteb takes from the files to its long frame."""
    import logging
    import warnings

    import mteb

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    cache = mteb.ResultCache(cache_path=folder)
    return _timed(lambda: {"rows": len(cache.load_results()._to_results_df())})


def measure_build(folder: Path, data: Path) -> dict[str, Any]:
    """Seconds and memory that Scorelens takes from the files to a published snapshot."""
    from engine.pipeline import build
    from engine.settings import Settings
    from engine.sources import add_source, read_sources
    from engine.store import open_snapshot

    settings = Settings(data=data)
    if not read_sources(settings):
        add_source(settings, folder, "benchmark")

    def run() -> dict[str, Any]:
        report = build(settings)
        return {"is_new": report.is_new}

    measured = _timed(run)
    return {**measured, "rows": open_snapshot(settings).read("SELECT count(*) FROM scores").item()}


def measure_metadata(folder: Path, data: Path) -> dict[str, Any]:
    """Seconds of what is done once per version of mteb: the metadata export, and a first reading with conversions."""
    from engine.ingest.metadata import mteb_metadata
    from engine.ingest.mteb_results import read_results
    from engine.ingest.scan import scan_source
    from engine.schema import FILES, SourceKind
    from engine.settings import Settings

    settings = Settings(data=data)
    started = time.perf_counter()
    tasks = mteb_metadata(settings).tasks
    exported = time.perf_counter()
    read_results(settings, "once", folder, scan_source(folder, SourceKind.CACHE, FILES.schema.to_frame()), tasks)
    return {"export": exported - started, "first_reading": time.perf_counter() - exported}


def _timed(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    before = _cpu_seconds()
    started = time.perf_counter()
    found = run()
    seconds = time.perf_counter() - started
    return {**found, "seconds": seconds, "cpu": _cpu_seconds() - before, "peak_mb": _processes_peak()}


def _cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended: on a busy machine it says more."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _processes_peak() -> float:
    """Peak memory in MB: this process, and as many times the largest child as there may have been children at once."""
    import os

    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + child * max(1, len(os.sched_getaffinity(0)) - 1)) / 1024


def _in_fresh_process(what: str, folder: Path, data: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, str(folder), "--measure", what, "--data", str(data)]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=_environment(), stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**measured, "process_seconds": time.perf_counter() - started}


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}


def compare(folder: Path, rounds: int) -> None:
    """Prints the measurements and their ratio."""
    with tempfile.TemporaryDirectory(prefix="scorelens-benchmark-") as kept:
        data = Path(kept)
        n_bytes = sum(len(path.read_bytes()) for path in folder.rglob("*") if path.is_file())
        print(f"{folder}: {n_bytes / 1e6:.0f} MB, read once to warm the disk")
        once = _in_fresh_process("metadata", folder, data)
        print(f"once per mteb version: metadata export {once['export']:.1f} s")
        print(f"once per file: first reading {once['first_reading']:.1f} s, conversion of old files by mteb included")
        theirs, ours, rebuilds = [], [], []
        for number in range(1, rounds + 1):
            theirs.append(_in_fresh_process("mteb", folder, data))
            for left in ("snapshots", "sources.json"):
                _remove(data / left)
            ours.append(_in_fresh_process("build", folder, data))
            rebuilds.append(_in_fresh_process("build", folder, data))
            _print_round(number, theirs[-1], ours[-1], rebuilds[-1])
        _print_summary(theirs, ours, rebuilds)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _print_round(number: int, theirs: dict[str, Any], ours: dict[str, Any], rebuild: dict[str, Any]) -> None:
    print(
        f"round {number}: mteb {_shown(theirs)}, Scorelens {_shown(ours)}, "
        f"ratio {theirs['seconds'] / ours['seconds']:.1f}; nothing changed: {rebuild['seconds']:.2f} s "
        f"({rebuild['process_seconds']:.2f} s with start and imports)"
    )


def _shown(measured: dict[str, Any]) -> str:
    return (
        f"{measured['seconds']:.2f} s ({measured['cpu']:.2f} s of processors, "
        f"{measured['peak_mb']:.0f} MB, {measured['rows']:,} rows)"
    )


def _print_summary(theirs: list[dict[str, Any]], ours: list[dict[str, Any]], rebuilds: list[dict[str, Any]]) -> None:
    median = {
        name: statistics.median(each["seconds"] for each in measured)
        for name, measured in (("mteb", theirs), ("Scorelens", ours), ("rebuild", rebuilds))
    }
    print(
        f"median: mteb {median['mteb']:.2f} s, Scorelens {median['Scorelens']:.2f} s, "
        f"{median['mteb'] / median['Scorelens']:.1f} times faster; rebuild {median['rebuild']:.2f} s; "
        f"peak of all processes {max(each['peak_mb'] for each in ours):.0f} MB"
    )


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder that holds results/ or remote/results/")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=["mteb", "build", "metadata"], help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure == "mteb":
        print(json.dumps(measure_mteb(asked.folder)))
    elif asked.measure == "build":
        print(json.dumps(measure_build(asked.folder, asked.data)))
    elif asked.measure == "metadata":
        print(json.dumps(measure_metadata(asked.folder, asked.data)))
    else:
        compare(asked.folder.resolve(), asked.rounds)


if __name__ == "__main__":
    main()
