"""The processes that answer requests for the worker: one a request, and one that stays and keeps models loaded.

torch leaves with its process, a process that the system kills for memory is named, and the worker goes on.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from engine.inbox import OPEN_STATES, Request, RequestKind, status_of
from engine.leash import start_leashed, start_listener, stop
from engine.settings import PROJECT, Settings

_STOP_SECONDS = 8.0
_RESIDENT_STOP_SECONDS = 2.0
"""Shorter: all that is lost is one small answer and the loaded models."""
_RESIDENT = (RequestKind.PREVIEW, RequestKind.TRIPLETS, RequestKind.TOKENIZE)


class Job(Protocol):
    """A request being answered."""

    def poll(self) -> int | None:
        """The exit code once it is over; None while it is not."""

    def stop(self) -> None:
        """Ask it to end; it is ended if it does not."""


def is_resident(kind: RequestKind) -> bool:
    """A small question to a model, which the process that keeps models loaded answers."""
    return kind in _RESIDENT


class Workforce:
    """Starts processes and ends those that are left; use it in a `with` block."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._resident: subprocess.Popen[bytes] | None = None
        self._n_gpus: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._resident:
            stop(self._resident, _STOP_SECONDS)

    def launch(self, settings: Settings, request: Request) -> Job:
        """Begin to answer a request."""
        if not is_resident(request.kind):
            return ChildJob(start_leashed(settings, "engine.handlers", request.request_id))
        if self._resident is None or self._resident.poll() is not None:
            self._resident = start_listener(settings, "engine.study.resident")
        return ResidentJob(settings, request.request_id, self._resident)

    def devices_of(self, request: Request) -> frozenset[str]:
        """The devices that a sweep takes for itself."""
        study = request.options.get("study")
        asked = str(study.get("device", "auto")) if isinstance(study, dict) else "cpu"
        if asked == "cpu" or self._gpus() == 0:
            return frozenset({"cpu"})
        if asked == "all":
            return frozenset(f"cuda:{number}" for number in range(self._gpus()))
        return frozenset({"cuda:0" if asked in ("auto", "cuda") else asked})

    def _gpus(self) -> int:
        """How many GPUs there are; torch is asked, in a process of its own, where there may be any."""
        if self._n_gpus is None:
            self._n_gpus = 0
            if shutil.which("nvidia-smi") or Path("/dev/kfd").exists():
                command = [sys.executable, "-m", "engine.sweep.devices"]
                said = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False).stdout.strip()
                self._n_gpus = int(said) if said.isdecimal() else 0
        return self._n_gpus


class ChildJob:
    """A request that has a process of its own."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self._deadline: float | None = None

    def poll(self) -> int | None:
        """The exit code once it is over; None while it is not."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._child.kill()
        code = self._child.poll()
        if code is not None and self._child.stdin:
            self._child.stdin.close()
        return code

    def stop(self) -> None:
        """Ask the process to end; it is killed if it has not ended some seconds later."""
        if self._deadline is None:
            self._deadline = time.monotonic() + _STOP_SECONDS
            self._child.terminate()


class ResidentJob:
    """A request in the hands of the process that keeps models loaded."""

    def __init__(self, settings: Settings, request_id: str, child: subprocess.Popen[bytes]) -> None:
        self._settings = settings
        self._request_id = request_id
        self._child = child
        self._deadline: float | None = None
        # A process that has just ended hears nothing: then its exit code is what `poll` finds.
        with suppress(BrokenPipeError):
            if child.stdin:
                child.stdin.write(f"{request_id}\n".encode())
                child.stdin.flush()

    def poll(self) -> int | None:
        """0 once the request is answered, the exit code where the process died over it; None while it is at work."""
        if status_of(self._settings, self._request_id).state not in OPEN_STATES:
            return 0
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._child.kill()
        return self._child.poll()

    def stop(self) -> None:
        """Give the process some seconds to notice that nobody wants the answer; then it goes, with its models."""
        if self._deadline is None:
            self._deadline = time.monotonic() + _RESIDENT_STOP_SECONDS
