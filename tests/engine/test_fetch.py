"""Downloads: what is offered, what arrives is registered, and without a network there is a way out."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from engine import fetch
from engine.errors import NetworkUnavailable, SourceError, UsageError
from engine.fetch import MTEB_FRAME, MTEB_REPOSITORY, PROMPT_STUDY, offer_named
from engine.schema import SourceKind
from engine.sources import read_sources
from tests.engine.trees import Tree


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, env=quiet)


@pytest.fixture
def repository(tmp_path) -> Path:
    """A git repository laid out as the prompt study's."""
    folder = tmp_path / "repository"
    tree = Tree(folder / PROMPT_STUDY.cache)
    tree.run("a/one", "Tweets", {("test", "default"): 0.5})
    (folder / "data" / "prompts").mkdir()
    (folder / PROMPT_STUDY.prompts).write_text("[]")
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "results")
    return folder


def test_frame_is_offered_first_and_the_repository_on_request():
    assert offer_named("mteb-results", full=False) is MTEB_FRAME
    assert offer_named("mteb-results", full=True) is MTEB_REPOSITORY
    assert offer_named("prompt-study", full=False) is PROMPT_STUDY


def test_unknown_offer_names_what_is_offered():
    with pytest.raises(UsageError, match="mteb-results, prompt-study"):
        offer_named("mteb", full=False)


def test_prompt_study_is_cloned_and_registered_with_its_prompts(settings, repository):
    steps = []
    source = fetch.fetch(settings, PROMPT_STUDY, f"file://{repository}", lambda *step: steps.append(step))
    assert read_sources(settings) == (source,)
    assert (source.name, source.kind) == ("prompt-study", SourceKind.CACHE)
    assert source.path == settings.downloads / "prompt-study" / PROMPT_STUDY.cache
    assert source.prompts and source.prompts.is_file()
    assert steps and all(0 <= done <= total for _, done, total, *_ in steps)


def test_second_fetch_brings_what_is_new(settings, repository):
    fetch.fetch(settings, PROMPT_STUDY, f"file://{repository}")
    Tree.run(_tree_of(repository), "b/two", "Tweets", {("test", "default"): 0.5})
    git(repository, "add", "-A")
    git(repository, "commit", "--quiet", "-m", "more")
    source = fetch.fetch(settings, PROMPT_STUDY, f"file://{repository}")
    assert sorted(path.name for path in (source.path / "results").iterdir()) == ["a__one", "b__two"]


def _tree_of(repository: Path) -> Tree:
    tree = Tree.__new__(Tree)
    tree.folder = repository / PROMPT_STUDY.cache
    return tree


def test_results_repository_is_registered_at_its_root(settings, tmp_path):
    tree = Tree(tmp_path / "results-repository")
    tree.run("a/one", "Tweets", {("test", "default"): 0.5})
    git(tree.folder, "init", "--quiet")
    git(tree.folder, "add", "-A")
    git(tree.folder, "commit", "--quiet", "-m", "results")
    source = fetch.fetch(settings, MTEB_REPOSITORY, f"file://{tree.folder}")
    assert source.path == settings.downloads / "mteb-repository"


@pytest.mark.parametrize("offer", [PROMPT_STUDY, MTEB_REPOSITORY])
def test_repository_that_cannot_be_reached_says_what_to_do_instead(settings, offer):
    with pytest.raises(NetworkUnavailable, match=f"engine add PATH --name {offer.source_name}"):
        fetch.fetch(settings, offer, "file:///nowhere")
    assert list(settings.downloads.iterdir()) == []
    assert read_sources(settings) == ()


def test_repository_without_the_results_is_refused(settings, repository):
    moved = replace(PROMPT_STUDY, cache="elsewhere")
    with pytest.raises(SourceError, match="engine add FOLDER"):
        fetch.fetch(settings, moved, f"file://{repository}")


def frame_of(*rows) -> pl.DataFrame:
    columns = ["model_name", "model_revision", "task_name", "split", "subset", "experiments", "score"]
    told = pl.DataFrame(list(rows), schema=columns, orient="row", strict=False).with_columns(
        pl.col("score").cast(pl.Float64)
    )
    return told.with_columns(language=pl.lit(["eng-Latn"]), __benchmark__=pl.lit("B"))


def test_frame_is_exported_without_padding_and_repeats_and_registered(settings, tmp_path):
    row = ("m", "r", "T", "test", "default", None, 0.5)
    frame_of(row, row, ("m", "r", "T", "test", "de", None, None)).write_parquet(tmp_path / "frame.parquet")
    source = fetch.fetch(settings, MTEB_FRAME, str(tmp_path / "frame.parquet"))
    assert source.kind is SourceKind.FRAME
    assert pl.read_parquet(source.path).select("model_name", "subset", "score").rows() == [("m", "default", 0.5)]


def test_frame_without_a_network_says_what_to_do_instead(settings, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NetworkUnavailable, match="engine add PATH --name mteb-results"):
        fetch.fetch(settings, MTEB_FRAME, "nobody/nothing")
    assert read_sources(settings) == ()
