"""One engine process at a time, and a message that names the other one."""

import subprocess
import sys

import pytest

from engine.errors import Busy, StoreError
from engine.lock import engine_lock
from engine.settings import Settings
from engine.store import drafting

HOLD = """
import sys
from pathlib import Path
from engine.lock import engine_lock
from engine.settings import Settings
with engine_lock(Settings(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other_process(settings):
    command = [sys.executable, "-c", HOLD, str(settings.data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        yield child
        child.kill()


def test_second_builder_is_told_who_holds_the_folder(settings, other_process):
    with pytest.raises(Busy, match=str(other_process.pid)), drafting(settings):
        pass


def test_lock_is_free_once_its_holder_was_killed(settings, other_process):
    other_process.kill()
    other_process.wait()
    with engine_lock(settings):
        pass


def test_lock_may_be_taken_again_by_its_own_process(settings):
    with engine_lock(settings), engine_lock(settings):
        pass
    with engine_lock(settings):
        pass


def test_locks_of_other_names_do_not_exclude_each_other(settings, other_process):
    with engine_lock(settings, "worker"):
        pass


def test_folder_that_cannot_be_written_to_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="SCORELENS_DATA"), engine_lock(Settings(tmp_path / "file")):
        pass
