"""kill −9 at random moments of a sweep: after the last resume each run is there once, with the score it would have."""

import random
import sys
import time

import pytest

from tests.prove.scale import scaled
from tests.prove.sweeps import scores, start, sweep_to_the_end

KILLS = scaled(3, 50)
SEED = 20260601


def expect_undisturbed(found, expected):
    assert found.keys() == expected.keys()
    for run, rows in expected.items():
        assert found[run] == pytest.approx(rows, abs=1e-6), run


@pytest.mark.prove
@pytest.mark.timeout(KILLS * 60 + 120)
def test_sweep_survives_kills_at_random_moments(tmp_path, study, undisturbed):
    chance = random.Random(SEED)
    expected, lasts = undisturbed
    folders, unfinished = [tmp_path / "killed-0"], 0
    for _ in range(KILLS):
        child = start(folders[-1], study)
        time.sleep(chance.uniform(0, lasts))
        child.kill()
        said, _ = child.communicate(timeout=60)
        unfinished += not said
        if said:  # nothing is left to kill there
            folders.append(tmp_path / f"killed-{len(folders)}")
    sweep_to_the_end(folders[-1], study)
    for folder in folders:
        expect_undisturbed(scores(folder, study), expected)
    assert unfinished > 0
    sys.stdout.write(f"{KILLS} kills within {lasts:.1f} s of a sweep's begin, {unfinished} before its end, ")
    sys.stdout.write(f"{len(folders)} sweeps of {len(expected)} runs finished\n")
