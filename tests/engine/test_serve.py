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

from engine import serve
from engine.errors import UsageError
from engine.pipeline import build
from engine.settings import PROJECT, Settings
from engine.sources import add_source


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def commands(monkeypatch) -> list[str]:
    """Stands in for the process that fills a store; notes what it was told to do."""
    told: list[str] = []

    def run(command, *, cwd, env):
        told.append(command[-1])
        return subprocess.CompletedProcess(command, 9 if env["SCORELENS_DATA"].endswith("busy") else 0)

    monkeypatch.setattr(subprocess, "run", run)
    return told


def test_empty_store_is_filled_by_the_demo(settings, commands):
    assert serve.fill_store(settings)
    assert commands == ["demo"]


def test_registered_sources_are_built_instead(settings, commands, tree):
    add_source(settings, tree.folder, "made-up")
    assert serve.fill_store(settings)
    assert commands == ["build"]


def test_store_that_can_be_read_is_left_alone(settings, commands, without_mteb):
    build(settings)
    assert serve.fill_store(settings)
    assert commands == []


def test_read_only_dashboard_writes_nothing(settings, commands):
    assert serve.fill_store(Settings(settings.data, readonly=True))
    assert commands == [] and not settings.snapshots.exists()


def test_failed_filling_is_told(tmp_path, commands):
    assert not serve.fill_store(Settings(tmp_path / "busy"))


def test_taken_port_is_refused_with_another_one(settings):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        taken = Settings(settings.data, port=port)
        with pytest.raises(UsageError, match=f"SCORELENS_PORT={port + 1}"), serve.running(taken):
            pass


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -9)])
def test_serve_answers_and_leaves_nothing_that_it_started(settings, free_port, without_mteb, number, code):
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
        assert child.wait(40) == code
        assert address == f"http://127.0.0.1:{free_port}"
        assert len(started) >= 2
        assert not psutil.wait_procs(started, timeout=20)[1], "a child outlived the command"
    finally:
        for process in [child, *started]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        child.communicate()
