"""`engine prompts check`: prompts that are alike are named, and nothing is changed."""

import json

from typer.testing import CliRunner

from engine.__main__ import app


def test_check_names_prompts_that_are_alike(tmp_path):
    texts = ("Label:", "label:", "Label: ", "Other", "Other")
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps({"task_name": "T", "text": text}) + "\n" for text in texts))
    before = path.read_bytes()
    done = CliRunner().invoke(app, ["prompts", "check", str(path), "--format", "json"])
    assert done.exit_code == 0
    found = {(row["record"], row["twin_record"], row["likeness"]) for row in json.loads(done.stdout)}
    assert found == {(2, 1, "case"), (3, 1, "near"), (5, 4, "exact")}
    assert "5 prompts for 1 tasks; 3 are like another; 5 say no kind" in done.stderr
    assert path.read_bytes() == before
