"""Triplet items as they lie in files, what models made of them, and what the engine is asked about them.

Items and results are files, read as they are now; answers are kept under the state of those files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from engine import inbox
from engine.analysis.triplet_cutoffs import calibrate
from engine.analysis.triplet_tests import TripletTests
from engine.answers import tokenization
from engine.answers import triplet_tests as answers
from engine.answers.triplet_tests import TripletQuestion
from engine.errors import UsageError
from engine.inbox import Request, RequestKind
from engine.study.resolve import prompt_sets
from engine.sweep.prompting import read_prompts
from engine.triplets import checks, exchange, files
from engine.triplets.checks import Problem
from engine.triplets.exchange import Preview
from engine.triplets.items import TripletItem, parse_item
from engine.triplets.results import results_state
from ui.reads.snapshots import answered, kept, settings, shown_snapshot_id
from ui.reads.sweeps import BUNDLED_MODELS

LANGUAGE_NAMES = "SELECT language, language_name FROM languages WHERE language_name IS NOT NULL ORDER BY 2"

LANGUAGE_SCORES = """
SELECT model_name, language, sum(score_sum) / sum(rows) AS score
FROM language_scores JOIN runs USING (run_id) JOIN language_cells USING (language_cell_id)
GROUP BY ALL HAVING sum(rows) > 0
"""


@dataclass(frozen=True)
class StoredSet:
    """A set as its file holds it now."""

    name: str
    items: tuple[Mapping[str, Any], ...]
    digest: str
    rejects: tuple[tuple[int, str], ...] = ()
    """line and reason of what is left as it is"""

    @property
    def ids(self) -> list[str]:
        """Ids in the order of the file."""
        return [str(item["id"]) for item in self.items]


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
    found = files.read_set(settings(), name)
    rejects = tuple((reject.line, reject.reason) for reject in found.rejects)
    return StoredSet(name, tuple(item.as_record() for item in found.items), found.digest, rejects)


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


def problems(item: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """What is amiss with an item, whole or not; `others` are those of the same set."""
    try:
        parsed = parse_item(item)
    except ValueError as error:
        return (Problem("error", "", f"Not whole yet: {error}."),)
    return checks.problems(parsed, [parse_item(other) for other in others])


def preview(content: bytes, name: str, present: Sequence[Mapping[str, Any]]) -> Preview:
    """What a file of items holds.

    Raises:
        SourceError: It cannot be read at all.
    """
    return exchange.read_items(content, name, [parse_item(item) for item in present])


def exported(items: Sequence[Mapping[str, Any]], form: str) -> str:
    """Items as text in one of the forms of `engine.triplets.exchange`."""
    return exchange.exported([parse_item(item) for item in items], form)


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
    """Sets that some model was asked about."""
    return answers.tested_sets(settings())


def tests(question: TripletQuestion) -> TripletTests:
    """What models made of a set, as items and results are now.

    Raises:
        UsageError: There is no such set.
    """
    found: TripletTests = kept(
        _state(question.set_name), "triplet tests", repr(question), lambda: answers.answer(settings(), question)
    )
    return found


def _state(set_name: str) -> str:
    where = settings()
    return f"{where.data} {files.read_set(where, set_name).digest} {results_state(where, set_name)}"


def cutoffs(question: TripletQuestion) -> pl.DataFrame:
    """The cut-off that errs least, per run and language."""
    found = tests(question)
    frame: pl.DataFrame = kept(
        _state(question.set_name), "cut-offs", repr(question), lambda: calibrate(found.similarities, found.items)
    )
    return frame


def models_of(set_name: str) -> list[str]:
    """Models that were asked about a set."""
    names: list[str] = tests(TripletQuestion(set_name)).outcomes["model_name"].unique().sort().to_list()
    return names


def has_outcome(set_name: str, item_id: str) -> bool:
    """Some model was asked about the item as it is written now."""
    return item_id in tests(TripletQuestion(set_name)).outcomes["item_id"]


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
    """What languages cost models in tokens, of all texts that were counted.

    Raises:
        SourceError: A file of counts cannot be read.
    """
    return tokenization.answer(settings())


def published_language_scores() -> pl.DataFrame:
    """`model_name`, `language` and mteb's language score, over all default runs of the snapshot."""
    if shown_snapshot_id() is None:
        return pl.DataFrame(schema={"model_name": pl.String(), "language": pl.String(), "score": pl.Float64()})
    found: pl.DataFrame = answered("published language scores", "", lambda here: here.read(LANGUAGE_SCORES))
    return found


def request(request_id: str) -> Request | None:
    """The request of that id; None where it is gone."""
    try:
        return inbox.request_named(settings(), request_id)
    except UsageError:
        return None


def answer_of(asked: Request) -> dict[str, Any] | None:
    """What a request found out; None while it has found nothing."""
    return inbox.read_answer(settings(), asked.request_id)
