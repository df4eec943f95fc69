"""A sweep to be killed: `python -m tests.prove.sweeper DATA STUDY [SHARD]` runs a study, and says when it begins."""

import sys
from pathlib import Path

from engine.settings import Settings
from engine.signals import ended_by_signals
from engine.study.file import read_study
from engine.study.resolve import resolve
from engine.study.run import run_study
from engine.study.shards import parse_shard


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def main(data: Path, study: Path, shard: str = "1/1") -> None:
    settings, part = Settings(data), parse_shard(shard)
    resolved = resolve(settings, read_study(study), part)
    say("begin")
    swept = run_study(settings, resolved, ("cpu",), lambda _: None, part)
    say(f"end {swept.board.failed}")


if __name__ == "__main__":
    with ended_by_signals():
        main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
