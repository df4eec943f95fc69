"""An engine to be killed: `python -m tests.prove.builder DATA [FUNCTION]` builds once, and says when it begins.

With the name of a function it kills itself the moment that function is called.
"""

import os
import signal
import sys
from pathlib import Path

import pytest

from engine.pipeline import build
from engine.settings import Settings
from tests.engine.trees import forget_mteb


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def main(data: Path, victim: str = "") -> None:
    with pytest.MonkeyPatch.context() as patch:
        forget_mteb(patch)
        if victim:
            patch.setattr(victim, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        say("begin")
        build(Settings(data))
        say("end")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
