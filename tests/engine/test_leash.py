"""A child on a leash ends with its parent, even where the parent is killed."""

import subprocess
import sys

import psutil
import pytest

from engine.leash import start_leashed, start_listener, stop
from engine.settings import PROJECT

PARENT = """
import sys, time
from pathlib import Path
from engine.leash import start_leashed
from engine.settings import Settings
child = start_leashed(Settings(Path(sys.argv[1])), "tests.engine.sleeper")
print(child.pid, flush=True)
time.sleep(60)
"""


def test_child_of_a_killed_parent_ends(settings):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, settings.data], cwd=PROJECT, stdout=subprocess.PIPE)
    try:
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        assert not psutil.wait_procs([child], timeout=20)[1]
    finally:
        parent.kill()
        parent.communicate()


def test_leashed_module_gets_its_arguments_and_the_data_folder(settings):
    child = start_leashed(settings, "tests.engine.sleeper", "say", stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline().decode() == f"say {settings.data}\n"
    finally:
        stop(child)


def test_stopped_child_is_asked_first(settings):
    child = start_leashed(settings, "tests.engine.sleeper", "say", stdout=subprocess.PIPE)
    child.stdout.readline()
    stop(child)
    assert child.returncode == 0


@pytest.mark.timeout(60)
def test_listener_hears_lines_and_ends_at_the_end_of_its_input(settings):
    child = start_listener(settings, "tests.engine.sleeper", "listen", stdout=subprocess.PIPE)
    child.stdin.write(b"one\ntwo\n")
    child.stdin.flush()
    assert [child.stdout.readline(), child.stdout.readline()] == [b"heard one\n", b"heard two\n"]
    child.stdin.close()
    assert child.wait(30) == 0
    child.stdout.close()
