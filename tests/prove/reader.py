"""A dashboard as the engine sees it: reads the newest snapshot in a loop and checks each answer.

`python -m tests.prove.reader DATA` reads until the file `stop` is there, then prints what it saw as JSON.
Every published snapshot of the proof holds one score value in all rows, as many models as the value says, and
later snapshots hold higher values; so a read that mixes two snapshots, sees half of one, or goes back in
time is noticed.
"""

import json
import os
import sys
from pathlib import Path

from engine.settings import Settings
from engine.store import Snapshot, open_snapshot
from tests.prove.builder import say

STEP = 0.001
"""Score of the n-th snapshot: n × STEP."""


def look(snapshot: Snapshot) -> tuple[float, list[str]]:
    """The score value of a snapshot, and what is wrong with it."""
    wrong = []
    values = snapshot.read("SELECT DISTINCT score FROM scores")["score"].to_list()
    if len(values) != 1:
        return 0.0, [f"{snapshot.snapshot_id}: {len(values)} values"]
    joined = snapshot.read(
        "SELECT count(*) AS n, count(DISTINCT model_name) AS models, max(score) AS highest "
        "FROM scores JOIN runs USING (run_id) JOIN rows USING (row_id) JOIN language_lists USING (language_list_id)"
    ).row(0, named=True)
    rows = snapshot.read("SELECT count(*) FROM scores").item()
    if joined["n"] != rows or joined["highest"] != values[0]:
        wrong.append(f"{snapshot.snapshot_id}: {joined} of {rows} rows at {values[0]}")
    if joined["models"] != round(values[0] / STEP):
        wrong.append(f"{snapshot.snapshot_id}: {joined['models']} models at {values[0]}")
    if snapshot.read("SELECT snapshot_id FROM snapshot").item() != snapshot.snapshot_id:
        wrong.append(f"{snapshot.snapshot_id}: signed with another name")
    return values[0], wrong


def main(data: Path) -> None:
    settings = Settings(data)
    # Readers take all the processors that the builder leaves, and no more: what is tried here is locks, not scheduling.
    os.nice(10)
    kept, kept_value = None, 0.0
    reads, seen, failed, wrong, last = 0, set(), [], [], 0.0
    say("ready")
    is_over = False
    while not is_over:
        # The file is looked for first, so that one more read follows the last snapshot.
        is_over = (data / "stop").exists()
        try:
            snapshot = open_snapshot(settings)
            value, problems = look(snapshot)
            if kept is None or reads % 20 == 0:
                if kept is not None:
                    # Its file may be gone by now; whoever has it open must not notice.
                    problems += [] if look(kept) == (kept_value, []) else [f"{kept.snapshot_id} changed while open"]
                    kept.close()
                kept, kept_value = snapshot, value
            else:
                snapshot.close()
        except Exception as error:
            failed.append(f"{type(error).__name__}: {error}")
            continue
        wrong += problems + ([f"back from {last} to {value}"] if value < last else [])
        last, reads = value, reads + 1
        seen.add(value)
    say(json.dumps({"reads": reads, "snapshots": len(seen), "last": last, "failed": failed, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
