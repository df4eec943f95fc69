"""One command starts worker and dashboard, and stops all that it started."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import urllib.request

import psutil
import pytest

from engine import jobs, serve
from engine.content import row_counts
from engine.errors import UsageError
from engine.pipeline import build
from engine.progress import silent
from engine.settings import PROJECT, Settings
from engine.sources import add_source
from engine.store import current_snapshot_id, open_snapshot


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def demo(monkeypatch) -> list[bool]:
    """Stands in for the demo; notes whether it was the quick one."""
    asked: list[bool] = []
    monkeypatch.setattr(jobs, "demonstrate", lambda settings, *, quick, progress: asked.append(quick))
    return asked


def test_empty_store_is_filled_by_the_demo(settings, demo):
    serve.fill_store(settings, silent)
    assert demo == [False]


def test_registered_sources_are_built_instead(settings, demo, tree, without_mteb):
    tree.run("a/one", "Tweets", {("test", "default"): 0.5})
    add_source(settings, tree.folder, "made-up")
    serve.fill_store(settings, silent)
    assert demo == [] and row_counts(open_snapshot(settings))["runs"] == 1


def test_store_that_can_be_read_is_left_alone(settings, demo, without_mteb):
    build(settings)
    before = current_snapshot_id(settings)
    serve.fill_store(settings, silent)
    assert demo == [] and current_snapshot_id(settings) == before


def test_read_only_dashboard_writes_nothing(settings, demo):
    serve.fill_store(Settings(settings.data, readonly=True), silent)
    assert demo == [] and not settings.snapshots.exists()


def test_taken_port_is_refused_with_another_one(settings):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        taken = Settings(settings.data, port=port)
        with pytest.raises(UsageError, match=f"SCORELENS_PORT={port + 1}"), serve.running(taken):
            pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_answers_and_stops_everything_it_started(settings, free_port, without_mteb, number):
    build(settings)
    env = {**os.environ, "SCORELENS_DATA": str(settings.data), "SCORELENS_PORT": str(free_port)}
    child = subprocess.Popen(
        [sys.executable, "-m", "engine", "serve"], env=env, cwd=PROJECT, stderr=subprocess.PIPE, text=True
    )
    started: list[psutil.Process] = []
    try:
        said = iter(child.stderr.readline, "")
        address = next(line for line in said if "Scorelens is at" in line).split()[3]
        with urllib.request.urlopen(address, timeout=10) as page:
            assert page.status == 200
        started = psutil.Process(child.pid).children(recursive=True)
        child.send_signal(number)
        assert child.wait(40) == 0
        assert address == f"http://127.0.0.1:{free_port}"
        assert len(started) >= 2
        assert not psutil.wait_procs(started, timeout=20)[1], "a child outlived the command"
    finally:
        for process in [child, *started]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        child.communicate()
