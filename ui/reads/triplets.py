"""Triplet items as they lie in files, what models made of them, and what the engine is asked about them.

Whoever writes sees the files as they are now; whoever reads results sees a snapshot, as on every page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
import streamlit as st

from engine import inbox
from engine.analysis import tokenization as tokenization_analysis
from engine.analysis.triplet_cutoffs import calibrate
from engine.analysis.triplet_tests import TripletTests
from engine.answers import tokenization
from engine.answers import triplet_tests as answers
from engine.answers.triplet_tests import TripletQuestion
from engine.errors import UsageError
from engine.inbox import Request, RequestKind
from engine.ingest.triplets import triplet_states
from engine.settings import Settings
from engine.store import Snapshot
from engine.study.resolve import prompt_sets
from engine.sweep.prompting import read_prompts
from engine.triplets import checks, exchange, files
from engine.triplets.checks import Problem
from engine.triplets.exchange import Preview
from engine.triplets.items import TripletItem, parse_item
from engine.triplets.results import is_answered
from ui.reads.snapshots import answered, settings, shown_snapshot_id, snapshot
from ui.reads.sweeps import BUNDLED_MODELS

LANGUAGE_NAMES = "SELECT language, language_name FROM languages WHERE language_name IS NOT NULL ORDER BY 2"


_LEADING_TO_A_BUILD = (RequestKind.BUILD, RequestKind.TRIPLETS, RequestKind.TOKENIZE)


@dataclass(frozen=True)
class StoredSet:
    """A set as its file holds it now."""

    name: str
    parsed: tuple[TripletItem, ...]
    digest: str
    rejects: tuple[tuple[int, str], ...] = ()
    """line and reason of what is left as it is"""

    @cached_property
    def items(self) -> tuple[Mapping[str, Any], ...]:
        """Records of the items, as the file says them."""
        return tuple(item.as_record() for item in self.parsed)

    @cached_property
    def ids(self) -> list[str]:
        """Ids in the order of the file."""
        return [item.item_id for item in self.parsed]


def is_readonly() -> bool:
    """Visitors may only look, and write drafts of their own."""
    return settings().readonly


def set_names() -> tuple[str, ...]:
    """All sets but visitors' drafts."""
    return files.set_names(settings())


def visitors_set(visitor: str) -> str:
    """The set of a visitor's own drafts.

    Raises:
        UsageError: The name cannot be a file's.
    """
    return files.visitors_set(visitor)


def stored_set(name: str) -> StoredSet:
    """A set as its file holds it now.

    Raises:
        UsageError: There is no such set.
    """
    where = settings()
    path = files.set_path(where, name)
    state = path.stat() if path.exists() else None
    version = (state.st_mtime_ns, state.st_size, state.st_ino) if state else ()
    return _stored_set(str(path), version, name, where)


@st.cache_resource(max_entries=8, show_spinner=False)
def _stored_set(path: str, version: tuple[int, ...], name: str, _where: Settings) -> StoredSet:
    found = files.read_set(_where, name)
    rejects = tuple((reject.line, reject.reason) for reject in found.rejects)
    return StoredSet(name, found.items, found.digest, rejects)


def begin_set(name: str) -> None:
    """Makes an empty set.

    Raises:
        UsageError: The name is taken or cannot be a file's, or the dashboard is read-only.
    """
    files.begin_set(settings(), name)


def save(name: str, items: Sequence[Mapping[str, Any]], digest: str) -> None:
    """Saves all items of a set.

    Raises:
        UsageError: An item is not whole, the file changed meanwhile, or the dashboard is read-only.
    """
    try:
        parsed = [parse_item(item) for item in items]
    except ValueError as error:
        raise UsageError(f"{error}. Mend it and save again.") from error
    files.save_set(settings(), name, parsed, digest)


def problems(item: Mapping[str, Any], stored: StoredSet, key: str) -> tuple[Problem, ...]:
    """What is amiss with an item, whole or not, that is to stand in a set in place of the one of that id."""
    try:
        parsed = parse_item(item)
    except ValueError as error:
        return (Problem("error", "", f"Not whole yet: {error}."),)
    return checks.problems(parsed, [other for other in stored.parsed if other.item_id != key])


def preview(content: bytes, name: str, stored: StoredSet) -> Preview:
    """What a file of items holds that may be added to a set.

    Raises:
        SourceError: It cannot be read at all.
    """
    return exchange.read_items(content, name, stored.parsed)


def exported(stored: StoredSet, form: str) -> str:
    """A set as text in one of the forms of `engine.triplets.exchange`."""
    return exchange.exported(stored.parsed, form)


def records_of(items: Sequence[TripletItem]) -> list[dict[str, Any]]:
    """Items as their file says them."""
    return [item.as_record() for item in items]


def texts_frame(items: Sequence[TripletItem]) -> pl.DataFrame:
    """One row per item of a preview, its texts beside each other."""
    rows = [
        (item.item_id, item.language, item.anchor, *(" | ".join(each.text for each in side) for side in sides))
        for item in items
        for sides in [(item.positives, item.negatives)]
    ]
    names = ("id", "language", "base", "same meaning", "something else")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()), orient="row")


def tested_sets() -> tuple[str, ...]:
    """Sets that some model was asked about, as the snapshot has them."""
    return answered("tested triplet sets", "", answers.tested_sets) if shown_snapshot_id() else ()


def tests(question: TripletQuestion) -> TripletTests:
    """What models made of a set.

    Raises:
        UsageError: There is no such set in the snapshot.
    """
    here = snapshot()
    return _tests(here.snapshot_id, question, here)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={TripletQuestion: repr})
def _tests(snapshot_id: str, question: TripletQuestion, _snapshot: Snapshot) -> TripletTests:
    return answers.answer(_snapshot, question)


def similarities(question: TripletQuestion, item_id: str) -> pl.DataFrame:
    """The cosines of one item: a row per run and candidate.

    Raises:
        UsageError: There is no such set in the snapshot.
    """
    about = f"{question!r} {item_id}"
    return answered("triplet similarities", about, lambda here: answers.similarities(here, question, item_id))


def cutoffs(question: TripletQuestion, language: str) -> pl.DataFrame:
    """The cut-off that errs least on the items of a language, per run."""
    items = tests(question).items.filter(pl.col("language") == language)
    about = f"{question!r} {language}"
    return answered("cut-offs", about, lambda here: calibrate(answers.similarities(here, question), items))


def models_of(set_name: str) -> list[str]:
    """Models that were asked about a set, as the snapshot has them."""
    return answered("triplet models", set_name, lambda here: answers.models_of(here, set_name))


def is_behind(set_name: str) -> bool:
    """Items or results of the set have changed since the snapshot was built; a build takes them up."""
    return triplet_states(settings()).get(set_name) != answered(
        "triplet state", set_name, lambda here: answers.state_of(here, set_name)
    )


def is_being_published() -> bool:
    """A run, a count or a build is waiting or under way: another snapshot will follow."""
    return any(each.is_open and each.kind in _LEADING_TO_A_BUILD for each in inbox.read_requests(settings()))


def has_outcome(set_name: str, item_id: str) -> bool:
    """Some model was asked about the item as it is written now; looked up in the files, which are ahead of a build."""
    where = settings()
    item = next((each for each in files.read_set(where, set_name).items if each.item_id == item_id), None)
    return item is not None and is_answered(where, set_name, item)


def language_names() -> dict[str, str]:
    """Names of the languages that the snapshot describes, by code."""
    if shown_snapshot_id() is None:
        return {}
    return answered("language names", "", lambda here: dict(here.read(LANGUAGE_NAMES).iter_rows()))


def known_models() -> list[str]:
    """Models to offer: the bundled ones, then those that were asked before."""
    before = [model for name in tested_sets() for model in models_of(name)]
    return list(dict.fromkeys((*BUNDLED_MODELS, *(each for each in before if not each.startswith("scorelens-demo/")))))


def prompt_set_names() -> list[str]:
    """Names of the prompt files."""
    return list(prompt_sets(settings()))


def roles_of(prompt_set: str) -> list[dict[str, str | None]]:
    """No prompt, then each wording of a prompt file, in both roles."""
    texts = dict.fromkeys(prompt.text for prompt in read_prompts(prompt_sets(settings())[prompt_set]))
    wordings: list[str | None] = [None, *texts]
    return [{"base": text, "candidate": text} for text in wordings]


def ask_triplets(options: Mapping[str, Any]) -> str:
    """The id of the request that was made.

    Raises:
        UsageError: This dashboard is read-only.
    """
    return inbox.ask(settings(), RequestKind.TRIPLETS, options).request_id


def ask_tokens(models: Sequence[str], *, texts: Sequence[str] = (), set_name: str = "") -> str:
    """The id of the request to count the tokens of texts, or of all texts of a set by language.

    Raises:
        UsageError: This dashboard is read-only.
    """
    options = {"models": list(models), "texts": list(texts), "set": set_name or None}
    return inbox.ask(settings(), RequestKind.TOKENIZE, options).request_id


def token_costs() -> pl.DataFrame:
    """What languages cost models in tokens, of all texts that were counted; empty where nothing was published."""
    if shown_snapshot_id() is None:
        return tokenization_analysis.token_costs(tokenization_analysis.COUNT_FRAME.to_frame())
    return answered("token costs", "", tokenization.answer)


def request(request_id: str) -> Request | None:
    """The request of that id; None where it is gone."""
    try:
        return inbox.request_named(settings(), request_id)
    except UsageError:
        return None


def answer_of(asked: Request) -> dict[str, Any] | None:
    """What a request found out; None while it has found nothing."""
    return inbox.read_answer(settings(), asked.request_id)
