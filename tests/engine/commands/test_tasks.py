"""`engine tasks check`: what a file holds as a task, and every row that it loses."""

import json

from typer.testing import CliRunner

from engine.__main__ import app


def test_check_lists_every_row_that_is_set_aside(tmp_path):
    path = tmp_path / "my pairs.csv"
    path.write_text("sentence1;sentence2;label\n" + "a;b;1\nc;;0\nd;e;x\nf;g;0\n", encoding="utf-16")
    done = CliRunner().invoke(app, ["tasks", "check", str(path), "--format", "json"])
    assert done.exit_code == 0
    assert [row["line"] for row in json.loads(done.stdout)] == [3, 4]
    assert "read as utf-16, semicolon" in done.stderr
    assert "OwnMyPairsPairClassification (PairClassification): 2 samples; language und-Zyyy; 2 rows set aside" in (
        done.stderr
    )
