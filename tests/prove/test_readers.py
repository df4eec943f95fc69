"""Readers and a builder together: no failed read, no wrong read, and the builder waits for nobody."""

import json
import subprocess
import sys
import time

import pytest

from engine.pipeline import build
from engine.settings import PROJECT
from engine.sources import add_source
from engine.store import drafting, open_snapshot
from tests.prove.reader import STEP, look
from tests.prove.scale import scaled

SECONDS = scaled(5, 60)
READERS = scaled(3, 8)
ROWS = {("test", f"s{number}"): 0.0 for number in range(20)}


def write_round(tree, number: int) -> None:
    """As many models as the number of the round, all with the round's score."""
    scores = dict.fromkeys(ROWS, number * STEP)
    for model in range(number):
        tree.run(f"org/model-{model}", "Tweets", scores)


@pytest.mark.prove
@pytest.mark.timeout(SECONDS * 4 + 120)
def test_readers_never_fail_while_the_engine_publishes(settings, tree, without_mteb):
    write_round(tree, 1)
    add_source(settings, tree.folder, "made-up")
    build(settings)
    command = [sys.executable, "-m", "tests.prove.reader", str(settings.data)]
    readers = [subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) for _ in range(READERS)]
    for reader in readers:
        assert reader.stdout.readline() == "ready\n"
    published = 1
    started = time.monotonic()
    while (now := time.monotonic()) < started + SECONDS or published < 4:
        published += 1
        write_round(tree, published)
        assert build(settings).is_new
        time.sleep(max(0.0, now + 1.0 - time.monotonic()))
    (settings.data / "stop").touch()
    seen = [json.loads(reader.communicate(timeout=120)[0]) for reader in readers]
    assert [(each["failed"], each["wrong"]) for each in seen] == [([], [])] * READERS
    assert {each["last"] for each in seen} == {published * STEP}
    told = [f"{each['reads']} reads of {each['snapshots']} snapshots" for each in seen]
    sys.stdout.write(f"{published} snapshots in {SECONDS} s; by reader: {'; '.join(told)}\n")


def test_reader_notices_a_snapshot_that_mixes_two(settings, tree, without_mteb):
    write_round(tree, 3)
    add_source(settings, tree.folder, "made-up")
    build(settings)
    assert look(open_snapshot(settings)) == (3 * STEP, [])
    tree.run("org/model-0", "Tweets", dict.fromkeys(ROWS, 4 * STEP))
    build(settings)
    assert look(open_snapshot(settings))[1]
    with drafting(settings) as draft:
        draft.connection.execute(f"UPDATE scores SET score = {4 * STEP}")
    assert look(open_snapshot(settings))[1]
