"""A module for leashes to be tested with: says what it got, and waits to be ended."""

import sys
import time

from engine.leash import listen
from engine.settings import from_environment
from engine.signals import ended_by_signals


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    with ended_by_signals():
        if "listen" in sys.argv:
            listen(lambda line: say(f"heard {line}"))
        elif "say" in sys.argv:
            say(f"say {from_environment().data}")
        time.sleep(60)
