"""The command line as a script sees it: what lands on stdout, and the exit code."""

import csv
import io
import json
import shutil
import subprocess
import sys

import pytest

from engine.commands.show import PromptTable, ProvenanceTable
from engine.content import row_counts
from engine.pipeline import build
from engine.schema import SCORES
from engine.settings import Settings
from engine.sources import add_source
from engine.store import drafting, open_snapshot
from tests.engine.trees import Tree, forget_mteb

TEST = ("test", "default")
PROMPTS = ["Classify: ", "Classify:", "a\nb [bold]x[/bold]", "", "Sort:"]


@pytest.fixture
def run(settings, monkeypatch, command_line):
    """Runs a command on a data folder of one's own."""
    monkeypatch.setenv("SCORELENS_DATA", str(settings.data))
    return command_line


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Settings:
    """A store that all tests of this file start from."""
    folder = tmp_path_factory.mktemp("built")
    tree, settings = Tree(folder / "tree"), Settings(folder / "data")
    for model in ("a/one", "b/two"):
        tree.run(model, "Tweets", {TEST: 0.55})
        for number, prompt in enumerate(PROMPTS):
            tree.run(model, "Tweets", {TEST: 0.1 * (number + 1)}, prompt=prompt, name=f"e{number}")
    add_source(settings, tree.folder, "made-up")
    with pytest.MonkeyPatch.context() as patch:
        forget_mteb(patch)
        build(settings)
    return settings


@pytest.fixture
def filled(settings, built, without_mteb) -> Settings:
    """That store in a data folder of one's own."""
    shutil.copytree(built.data, settings.data, dirs_exist_ok=True)
    return settings


def test_add_and_build_fill_the_store(run, settings, tree, without_mteb):
    tree.run("a/one", "Tweets", {TEST: 0.5})
    assert run("add", str(tree.folder), "--name", "made-up")[0] == 0
    code, out, err = run("build")
    assert (code, out) == (0, "") and "1 runs in" in err
    assert row_counts(open_snapshot(settings))["runs"] == 1


def test_build_again_says_that_nothing_changed(run, filled):
    assert "Nothing changed" in run("build")[2]


def test_removed_source_is_gone_after_the_next_build(run, filled):
    assert run("remove", "made-up")[0] == 0
    run("build")
    assert row_counts(open_snapshot(filled))["runs"] == 0


def test_status_counts_by_source(run, filled):
    rows = json.loads(run("status", "--format", "json")[1])
    assert [(row["source_name"], row["models"], row["runs"], row["rejects"]) for row in rows] == [("made-up", 2, 12, 0)]


def test_status_without_a_snapshot_says_what_to_do(run, settings, tree):
    add_source(settings, tree.folder, "made-up")
    code, out, err = run("status", "--format", "json")
    assert (code, json.loads(out)) == (0, [{"source_name": "made-up", "in_store": "no"}])
    assert "engine build" in err


def test_check_of_a_true_store_leaves_with_zero(run, filled):
    code, _, err = run("check")
    assert code == 0 and "agrees" in err


def test_show_prompt_distributions_prints_cells_unrounded(run, filled):
    code, out, _ = run("show", "prompt-distributions", "--format", "json")
    cells = json.loads(out)
    assert code == 0 and [cell["model_name"] for cell in cells] == ["a/one", "b/two"]
    assert cells[0]["n"] == 5 and cells[0]["median"] == 0.1 * 3
    assert cells[0]["call"] == "high"


def test_show_csv_carries_hostile_prompts_unchanged(run, filled):
    out = run("show", "prompt-distributions", "--what", "prompts", "--format", "csv")[1]
    assert sorted(row["prompt_text"] for row in csv.DictReader(io.StringIO(out, newline=""))) == sorted(PROMPTS)


def test_table_shows_markup_and_line_breaks_as_text(run, filled):
    out = run("show", "prompt-distributions", "--what", "prompts")[1]
    assert r"a\nb [bold]x[/bold]" in out


@pytest.mark.parametrize("what", list(PromptTable))
def test_every_table_of_the_page_can_be_printed(run, filled, what):
    code, out, _ = run("show", "prompt-distributions", "--what", what, "--format", "json")
    assert code == 0 and isinstance(json.loads(out), list)


def test_options_reach_the_question(run, filled):
    words = ["--model", "b/two", "--search", "Classify", "--prompts", "all", "--high", "0.8", "--low", "0.2"]
    cells = json.loads(run("show", "prompt-distributions", *words, "--format", "json")[1])
    assert [(cell["model_name"], cell["n"]) for cell in cells] == [("b/two", 2)]


def test_show_overview_prints_sources_and_rejects(run, filled):
    sources = json.loads(run("show", "overview", "--format", "json")[1])
    assert sources[0]["source_name"] == "made-up"
    assert json.loads(run("show", "overview", "--what", "rejects", "--format", "json")[1]) == []


@pytest.mark.parametrize("what", list(ProvenanceTable))
def test_every_table_of_the_methods_page_can_be_printed(run, filled, what):
    code, out, _ = run("show", "methods", "--what", what, "--format", "json")
    assert code == 0 and json.loads(out)


def test_sql_prints_no_more_rows_than_asked_for(run, filled):
    code, out, err = run("sql", "SELECT task_name FROM runs", "--limit", "2", "--format", "json")
    assert (code, json.loads(out)) == (0, [{"task_name": "Tweets"}] * 2)
    assert "first 2 rows" in err


def test_values_that_json_has_no_word_for_are_printed_all_the_same(run, filled):
    query = "SELECT 'nan'::DOUBLE AS x, ['inf'::DOUBLE] AS many, 'a'::BLOB AS bytes, DATE '2020-01-02' AS day"
    assert json.loads(run("sql", query, "--format", "json")[1]) == [
        {"x": None, "many": [None], "bytes": "61", "day": "2020-01-02"}
    ]
    assert run("sql", query, "--format", "csv")[1].splitlines()[1] == "NaN,[null],61,2020-01-02"


def test_source_out_of_reach_is_said_by_build_status_and_check(run, settings, tree, without_mteb):
    run("add", str(tree.folder), "--name", "mine")
    run("build")
    shutil.rmtree(tree.folder)
    for words, code in ((["build"], 0), (["status"], 0), (["check"], 5)):
        left, _, err = run(*words)
        assert left == code and f"{tree.folder} does not exist" in err


def test_snapshots_can_be_listed_and_pinned(run, filled):
    rows = json.loads(run("snapshots", "list", "--format", "json")[1])
    assert [(row["current"], row["pinned"]) for row in rows] == [(True, False)]
    assert run("snapshots", "pin", rows[0]["snapshot_id"])[0] == 0
    assert json.loads(run("snapshots", "list", "--format", "json")[1])[0]["pinned"]
    assert run("snapshots", "unpin", rows[0]["snapshot_id"])[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["remove", "made-upp"], 2, "made-up"),
        (["show", "prompt-distributions", "--task", "Tweet"], 2, "Tweets"),
        (["show", "prompt-distributions", "--model", "a/on"], 2, "a/one"),
        (["show", "prompt-distributions", "--source", "x"], 2, "made-up"),
        (["show", "prompt-distributions", "--reference", "x"], 2, "same-harness"),
        (["show", "prompt-distributions", "--low", "0.9", "--high", "0.1"], 2, "low"),
        (["show", "prompt-distributions", "--snapshot", "9-9"], 4, "gone"),
        (["show", "prompt-distributions", "--generator", "nobody"], 2, "not recorded"),
        (["show", "prompt-distributions", "--exclude-prompt", "beef"], 2, "'beef'"),
        (["sql", ""], 2, "0 queries"),
        (["sql", "SELECT 1; SELECT 2"], 2, "2 queries"),
        (["sql", "SELECT INTERVAL 1 DAY"], 2, "CAST"),
        (["sql", "SELECT nothing FROM runs"], 2, "does not run"),
        (["sql", "SELECT * FROM read_text('/etc/hostname')"], 2, "does not run"),
        (["snapshots", "pin", "0009-aaaa"], 2, "0001-"),
        (["add", "/nowhere", "--name", "x"], 3, "does not exist"),
        (["fetch", "everything"], 2, "prompt-study"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_wrong_names_and_values_say_what_there_is(run, filled, words, code, says):
    left, out, err = run(*words)
    assert (left, out) == (code, "")
    assert says in err and "Traceback" not in err


def test_show_without_a_snapshot_leaves_with_four(run):
    code, out, err = run("show", "prompt-distributions")
    assert (code, out) == (4, "") and "engine demo" in err


def test_check_that_fails_leaves_with_five_and_names_the_table(run, filled):
    with drafting(filled) as draft:
        draft.delete(SCORES, "run_id = 0")
    code, _, err = run("check")
    assert code == 5 and "scores" in err


def test_every_command_has_help(run):
    listing = run("--help")[1]
    names = [
        line.split()[0] for line in listing.split("Commands:")[1].split("Exit codes")[0].splitlines() if line.strip()
    ]
    words = [name for name in names if len(name) > 2 and name.islower()]
    assert {"add", "build", "show", "sql", "serve"} <= set(words)
    for name in {"add", "remove", "fetch", "build", "status", "check", "demo", "worker", "serve", "show", "sql"}:
        assert run(name, "--help")[0] == 0


def test_command_line_starts_without_heavy_packages():
    code = (
        "import sys; import engine.__main__; "
        "print([name for name in ('torch', 'mteb', 'duckdb', 'streamlit') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
