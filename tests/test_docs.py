"""What the documents say exists, and what exists is documented."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from engine.data_dictionary import data_dictionary
from engine.measures import MEASURES
from engine.schema import TABLES

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *ROOT.glob("pages/*/text.md"),
]


def commands_in(text: str) -> list[str]:
    return re.findall(r"python -m engine ([a-z][a-z-]*(?: (?:mteb-results|prompt-[a-z]+|overview|methods))?)", text)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_a_document_names_exists(document):
    runner = CliRunner()
    for command in set(commands_in(document.read_text("utf-8"))):
        words = command.split()
        help_of = [*words, "--help"] if words[0] == "show" else [words[0], "--help"]
        result = runner.invoke(app, help_of)
        assert result.exit_code == 0, f"{document.name} names `python -m engine {command}`: {result.output}"


def test_data_dictionary_is_what_the_declarations_say():
    written = (ROOT / "docs" / "data-dictionary.md").read_text("utf-8")
    assert written == data_dictionary(), "run: python -m engine dictionary > docs/data-dictionary.md"


def test_every_column_and_measure_explains_itself():
    silent = [f"{table.name}.{column.name}" for table in TABLES for column in table.columns if not column.meaning]
    silent += [
        measure.key
        for measure in MEASURES
        if not all((measure.gloss, measure.formula, measure.ties, measure.missing, measure.source))
    ]
    assert not silent


def test_measure_keys_are_unique():
    keys = [measure.key for measure in MEASURES]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_a_document_links_to_exists(document):
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", document.read_text("utf-8"))
    assert not [link for link in links if not (document.parent / link).exists()]
