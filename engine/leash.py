"""Children that end with their parent, however it ends: each holds the far end of a pipe that its parent keeps open.

A parent that is killed cannot clean up after itself. The system closes its pipes, though, so a child that reads
its standard input to the end knows. `python -m engine.leash MODULE ARGUMENTS…` runs any module so.
"""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any

from engine.settings import PROJECT, Settings

_STOP_SECONDS = 10.0


def start_leashed(settings: Settings, module: str, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """A child that runs a module on this data folder and ends with this process; `stop` ends it earlier."""
    return start_listener(settings, "engine.leash", module, *arguments, **options)


def start_listener(settings: Settings, module: str, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """A child that itself reads what it is told on its standard input, with `listen`, and ends with this process."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=PROJECT,
        env={**os.environ, "SCORELENS_DATA": str(settings.data)},
        stdin=subprocess.PIPE,
        **options,
    )


def stop(child: subprocess.Popen[bytes], seconds: float = _STOP_SECONDS) -> None:
    """End a child: asked first, then told."""
    child.terminate()
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    for stream in (child.stdin, child.stdout):
        if stream:
            stream.close()


def listen(told: Callable[[str], None]) -> None:
    """Have each line of standard input told, and this process ended with the one that holds the other end."""
    # Whatever runs here gets an empty input: what arrives on the real one is for the listener alone.
    line = os.fdopen(os.dup(0), encoding="utf-8")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)

    def hear() -> None:
        for words in line:
            told(words.strip())
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_STOP_SECONDS)
        os._exit(1)

    Thread(target=hear, daemon=True).start()


def run_leashed(arguments: Sequence[str]) -> None:
    """Run a module as `python -m` does, and end with the process that holds the other end of standard input."""
    listen(lambda _: None)
    sys.argv = list(arguments)
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    run_leashed(sys.argv[1:])
