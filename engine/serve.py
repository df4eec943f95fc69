"""Worker and dashboard started together and stopped together: what `make run` ends in.

Each child leads a process group of its own, so that whatever it starts ends with it, and is on a leash, so that it
ends where this process is killed.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from engine.errors import EngineError, UsageError
from engine.leash import start_leashed
from engine.settings import PROJECT, Settings
from engine.signals import ended_by_signals
from engine.sources import read_sources
from engine.store import open_usable_snapshot

_START_SECONDS = 60.0
_STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Dashboard:
    """A dashboard that answers at its address."""

    address: str
    process: subprocess.Popen[bytes]

    def wait(self) -> int:
        """The dashboard's exit code, once it has ended."""
        return self.process.wait()


def fill_store(settings: Settings) -> bool:
    """Make sure that there is something to see: build what is registered, or else run the demo.

    A process of its own does it, so that the gigabyte that torch takes goes with it. Does nothing where a snapshot can
    be read already. False where that process failed; it has said why.
    """
    if settings.readonly or open_usable_snapshot(settings):
        return True
    command = "build" if read_sources(settings) else "demo"
    environment = {**os.environ, "SCORELENS_DATA": str(settings.data)}
    return subprocess.run([sys.executable, "-m", "engine", command], cwd=PROJECT, env=environment).returncode == 0


@contextmanager
def running(settings: Settings) -> Iterator[Dashboard]:
    """A worker and a dashboard that run as long as the block does; SIGTERM or Ctrl-C ends it.

    Raises:
        UsageError: The port is taken.
        EngineError: The dashboard does not come up.
    """
    _expect_free_port(settings)
    with ExitStack() as children:
        children.enter_context(ended_by_signals())
        if not settings.readonly:
            children.enter_context(_child(settings, "engine", "worker"))
        dashboard = children.enter_context(_child(settings, *_dashboard_command(settings)))
        host = "localhost" if settings.address in ("0.0.0.0", "::") else settings.address
        address = f"http://{host}:{settings.port}"
        _wait_until_up(address, dashboard)
        yield Dashboard(address, dashboard)


def _dashboard_command(settings: Settings) -> list[str]:
    options = {
        "server.address": settings.address,
        "server.port": str(settings.port),
        "server.headless": "true",
        "logger.level": "warning",
    }
    return [
        *("streamlit", "run", str(PROJECT / "app.py")),
        *(word for name, value in options.items() for word in (f"--{name}", value)),
    ]


def _expect_free_port(settings: Settings) -> None:
    try:
        socket.create_server((settings.address, settings.port)).close()
    except OSError as error:
        raise UsageError(
            f"Port {settings.port} of {settings.address} cannot be used ({error.strerror}); expected a free port of an "
            "address of this machine (SCORELENS_ADDRESS). Stop what uses it, or choose another: "
            f"SCORELENS_PORT={settings.port % 65535 + 1}."
        ) from error


@contextmanager
def _child(settings: Settings, module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = start_leashed(settings, module, *arguments, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a child and all of its group: asked first, then told."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _wait_until_up(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise EngineError(
        f"The dashboard did not answer at {address} (exit code {process.poll()}); expected it within "
        f"{_START_SECONDS:.0f} s. Its own words are above."
    )
