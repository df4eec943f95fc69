"""Shares a folder tree out over processes: the parent takes a share and starts an interpreter for each other one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from engine.errors import SourceError
from engine.ingest.batch import Batch, FolderJob, Job, is_context, read_batch
from engine.ingest.scan import FoundFile
from engine.settings import PROJECT

# Below this a further process costs more than it saves: measured, 60 ms to start, 250 MB/s to read.
_BYTES_WORTH_A_PROCESS = 20 * 2**20
# What opening a file costs, in bytes of reading.
_FILE_COST = 15_000
_MOST_PROCESSES = 16
_CHILD = ("-m", "engine.ingest.batch")
_BYTES_A_JOB = 8 * 2**20


def read_files(source_path: Path, found: Sequence[FoundFile], wanted: Collection[str], converted: Path) -> list[Batch]:
    """Batches of the wanted result files, each read with the context files of its folder.

    Args:
        source_path: The source's folder.
        found: Every file of the source.
        wanted: Paths to read; context files among them are read with their folder.
        converted: Where files of the old format lie in the new one.

    Raises:
        SourceError: A child process died.
    """
    folders = _folder_jobs(found, set(wanted))
    cost = sum(weight for _, weight in folders)
    processes = max(1, min(len(os.sched_getaffinity(0)), _MOST_PROCESSES, cost // _BYTES_WORTH_A_PROCESS))
    jobs = [Job(str(source_path), share, str(converted)) for share in _shares(folders, processes)]
    children = [_start(job) for job in jobs[1:]]
    try:
        own = read_batch(jobs[0])
        return [own, *(_finish(job, child) for job, child in zip(jobs[1:], children, strict=True))]
    finally:
        for child in children:
            child.kill()
            child.wait()


def _folder_jobs(found: Sequence[FoundFile], wanted: set[str]) -> list[tuple[FolderJob, int]]:
    """Folders with wanted files and what each costs to read; a big one is cut in pieces."""
    results: dict[str, list[FoundFile]] = defaultdict(list)
    context: dict[str, list[str]] = defaultdict(list)
    for file in found:
        folder, _, name = file.path.rpartition("/")
        if is_context(name):
            context[folder].append(name)
            if file.path in wanted:
                results.setdefault(folder, [])
        elif folder and file.path in wanted:
            results[folder].append(file)
    jobs = []
    for folder, files in results.items():
        weight, names = 0, list[str]()
        for file in files:
            names.append(file.path.rpartition("/")[2])
            weight += file.n_bytes + _FILE_COST
            if weight > _BYTES_A_JOB:
                jobs.append((FolderJob(folder, names, context[folder]), weight))
                weight, names = 0, []
        if names or not files:
            jobs.append((FolderJob(folder, names, context[folder]), weight + _FILE_COST))
    return jobs


def _shares(folders: list[tuple[FolderJob, int]], processes: int) -> list[list[FolderJob]]:
    """One list of folders a process, about equally heavy: each folder, heaviest first, goes to the lightest list."""
    shares: list[list[FolderJob]] = [[] for _ in range(processes)]
    weights = [0] * processes
    for folder, weight in sorted(folders, key=lambda item: -item[1]):
        lightest = weights.index(min(weights))
        shares[lightest].append(folder)
        weights[lightest] += weight
    return shares


def _start(job: Job) -> subprocess.Popen[bytes]:
    """A child at work; its job comes from a file, so that a child that dies early breaks no pipe."""
    with TemporaryFile() as request:
        request.write(msgspec.msgpack.encode(job))
        request.seek(0)
        return subprocess.Popen(
            [sys.executable, *_CHILD], cwd=PROJECT, stdin=request, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


def _finish(job: Job, child: subprocess.Popen[bytes]) -> Batch:
    output, complaint = child.communicate()
    if child.returncode != 0:
        last = complaint.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise SourceError(
            f"Reading {job.source_path} stopped: a child process left with code {child.returncode} {last}; "
            "expected 0. Build again; with too little memory, close other programs first."
        )
    return msgspec.msgpack.decode(output, type=Batch)
