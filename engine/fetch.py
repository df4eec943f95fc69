"""Published results from elsewhere: mteb's own frame and repository, and the prompt study.

Downloads run in child processes, mteb's in one that may import mteb. What arrives is registered as a
source; nothing else in Scorelens needs a network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.atomic import sync_folder
from engine.errors import NetworkUnavailable, SourceError, UsageError
from engine.lock import engine_lock
from engine.progress import Progress, silent
from engine.settings import PROJECT, Settings
from engine.sources import Source, add_source

_PERCENT = re.compile(r"([A-Z][a-z ]+): +(\d+)%")


@dataclass(frozen=True)
class Offer:
    """Something that can be fetched; size and time are said before it starts."""

    key: str
    """name on the command line"""
    source_name: str
    title: str
    origin: str
    """address, or name on the hub"""
    size: str
    time: str
    cache: str = "."
    """below a repository: folder that holds the results"""
    prompts: str = ""
    """below a repository: file that says more about its prompts"""


MTEB_FRAME = Offer(
    key="mteb-results",
    source_name="mteb-results",
    title="MTEB's leaderboard frame: the main score of every model on every task",
    origin="mteb/results",
    size="about 100 MB",
    time="a few minutes, with about 2 GB of memory while it is written",
)
MTEB_REPOSITORY = Offer(
    key="mteb-results",
    source_name="mteb-repository",
    title="MTEB's whole results repository, one file a result",
    origin="https://github.com/embeddings-benchmark/results",
    size="about 1 GB to load, several GB on disk",
    time="10 to 60 minutes",
)
PROMPT_STUDY = Offer(
    key="prompt-study",
    source_name="prompt-study",
    title="raw results of 'One prompt is not enough': 6 models, 12 tasks, 481 prompts",
    origin="https://github.com/centre-for-humanities-computing/instruction-sensitivity-evaluation",
    size="about 100 MB",
    time="about a minute",
    cache="data/cache_data/mteb_cache",
    prompts="data/prompts/deduplicated_prompts.json",
)


def offer_named(key: str, *, full: bool) -> Offer:
    """What can be fetched under a name: mteb's frame first, its whole repository if asked for.

    Raises:
        UsageError: Nothing of that name is offered.
    """
    offers = {(MTEB_FRAME.key, False): MTEB_FRAME, (MTEB_REPOSITORY.key, True): MTEB_REPOSITORY}
    offers[PROMPT_STUDY.key, False] = offers[PROMPT_STUDY.key, True] = PROMPT_STUDY
    if (key, full) not in offers:
        raise UsageError(f"Nothing to fetch under {key!r}; offered: {MTEB_FRAME.key}, {PROMPT_STUDY.key}.")
    return offers[key, full]


def fetch(settings: Settings, offer: Offer, origin: str = "", progress: Progress = silent) -> Source:
    """The registered source that was downloaded, or brought up to date.

    Args:
        settings: Whose data folder.
        offer: What to fetch.
        origin: Another place to take it from: an address, a folder, a name on the hub; empty = the offer's own.
        progress: Told how far it is.

    Raises:
        NetworkUnavailable: The download does not start or finish.
        SourceError: What arrived is not what was expected.
    """
    settings.downloads.mkdir(parents=True, exist_ok=True)
    with engine_lock(settings):
        if offer is MTEB_FRAME:
            return add_source(settings, _fetch_frame(settings, offer, origin, progress), offer.source_name)
        folder = settings.downloads / offer.source_name
        _fetch_repository(folder, offer, origin, progress)
        prompts = folder / offer.prompts
        if offer.cache != "." and not (folder / offer.cache).is_dir():
            raise SourceError(
                f"{folder} has no {offer.cache}; expected the results there. The repository may have changed: "
                f"run `python -m engine add FOLDER --name {offer.source_name}` with the folder that holds `results/`."
            )
        known = prompts if offer.prompts and prompts.is_file() else None
        return add_source(settings, folder / offer.cache, offer.source_name, known)


def _fetch_frame(settings: Settings, offer: Offer, origin: str, progress: Progress) -> Path:
    path = settings.downloads / f"{offer.source_name}.parquet"
    part = path.with_suffix(".part")
    progress("loading", 0, 0)
    try:
        _run([sys.executable, "-m", "engine.fetch_export", origin or offer.origin, str(part)], PROJECT, offer, progress)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(settings.downloads)
    return path


def _fetch_repository(folder: Path, offer: Offer, origin: str, progress: Progress) -> None:
    remote = origin or offer.origin
    if (folder / ".git").is_dir():
        _run(["git", "fetch", "--progress", "--depth", "1", remote, "HEAD"], folder, offer, progress)
        _run(["git", "reset", "--hard", "--quiet", "FETCH_HEAD"], folder, offer, progress)
        return
    # A clone that was cut short never gets its name, so the next one starts afresh.
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        _run(["git", "clone", "--progress", "--depth", "1", remote, str(part)], folder.parent, offer, progress)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _run(command: Sequence[str], folder: Path, offer: Offer, progress: Progress) -> None:
    """Run a download to its end; its last line is in the error where it fails."""
    quiet = {"GIT_TERMINAL_PROMPT": "0", "HF_HUB_DISABLE_TELEMETRY": "1"}
    last_words = ""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, **quiet},
    ) as child:
        try:
            for line in child.stderr or ():
                last_words = line.strip() or last_words
                if percent := _PERCENT.search(line):
                    progress(percent[1].lower(), int(percent[2]), 100)
        except BaseException:
            child.terminate()
            raise
    if child.returncode:
        raise NetworkUnavailable(
            f"{offer.origin} could not be loaded: {last_words}. Expected {offer.size} from there. "
            "Without a network, load it on another machine, copy it here, and run "
            f"`python -m engine add PATH --name {offer.source_name}` and `python -m engine build`."
        )
