"""Questions about leaderboards: what are ranks worth, when models choose their prompts and tasks could be others?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from engine.analysis.dataset_revisions import Data
from engine.analysis.leaderboard_simulator import Rules, Scenario
from engine.analysis.places import STUDY_ROWS
from engine.analysis.prompt_selection import Candidates, Choice, Pool
from engine.analysis.rank_intervals import LEVEL
from engine.analysis.rank_probabilities import DRAWS, Drawing
from engine.analysis.ranking import Aggregate, Missing
from engine.analysis.resampling import RESAMPLES, Over
from engine.answers import prompt_distributions as prompts
from engine.answers.prompt_distributions import SHARED, PromptQuestion
from engine.answers.prompt_records import read_prompt_cells
from engine.answers.published_scores import covered_benchmarks
from engine.errors import UsageError, names_like
from engine.store import Snapshot


@dataclass(frozen=True)
class LeaderboardQuestion:
    """What is asked; the same names are URL parameters and options of `engine show leaderboard`.

    Attributes:
        source: Source of the scores; empty = the first with prompt experiments, or, where a benchmark is asked for,
            the first without.
        benchmark: Benchmark whose rows count. A source with prompt experiments may do without: all its rows count.
        tasks: Tasks to rank over; empty = all.
        exclude_tasks: Tasks to leave out.
        task_types: Task types to rank over; empty = all.
        models: Models to rank; empty = all.
        prompts: `shared` (run by every model), `all`, or the path of a prompt file.
        data: Which revisions of a task's data published scores are compared on.
        candidates: Whether the default counts as a candidate for best and worst.
        equal_n: Best and worst to be expected of equally many prompts for each model.
        aggregate: What models are ranked by.
        missing: What a missing task is worth in Borda.
        scenario: Who takes which prompts.
        target: Model that is promoted; empty = every model in turn.
        choices: For scenario `custom`: model and its choice.
        drawing: Who draws a prompt, where prompts are drawn.
        draws: Draws.
        resamples: Resamples of a bootstrap.
        over: What a bootstrap of a prompt study draws anew.
        level: Level of intervals (fraction).
        seed: Seed of everything random.
        published: Source of published scores for the real board; empty = the first other source that has it.
    """

    source: str = ""
    benchmark: str = ""
    tasks: tuple[str, ...] = ()
    exclude_tasks: tuple[str, ...] = ()
    task_types: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    prompts: str = SHARED
    data: Data = Data.ANY
    candidates: Candidates = Candidates.PROMPTS
    equal_n: bool = False
    aggregate: Aggregate = Aggregate.BORDA
    missing: Missing = Missing.ZERO
    scenario: Scenario = Scenario.DEFAULT
    target: str = ""
    choices: tuple[tuple[str, Choice], ...] = ()
    drawing: Drawing = Drawing.INDEPENDENT
    draws: int = DRAWS
    resamples: int = RESAMPLES
    over: Over = Over.BOTH
    level: float = LEVEL
    seed: int = 0
    published: str = ""

    @property
    def rules(self) -> Rules:
        """What models choose among and how they are ranked."""
        return Rules(Pool(self.candidates, self.equal_n), self.aggregate, self.missing)

    @property
    def prompt_question(self) -> PromptQuestion:
        """The question about prompt distributions whose scores are ranked."""
        return PromptQuestion(
            source=self.source,
            tasks=self.tasks,
            exclude_tasks=self.exclude_tasks,
            models=self.models,
            prompts=self.prompts,
            rows=self.benchmark or STUDY_ROWS,
        )

    @property
    def reading(self) -> LeaderboardQuestion:
        """The part of the question that decides which scores are read: questions that differ elsewhere share them."""
        return LeaderboardQuestion(
            source=self.source,
            benchmark=self.benchmark,
            tasks=self.tasks,
            exclude_tasks=self.exclude_tasks,
            task_types=self.task_types,
            models=self.models,
            prompts=self.prompts,
            data=self.data,
        )


@dataclass(frozen=True)
class LeaderboardOptions:
    """What a source offers to choose from, each in a fixed order.

    Attributes:
        has_prompts: The source holds prompt experiments.
        models: Models with a run.
        tasks: Tasks with a run.
        task_types: Their types.
        benchmarks: Benchmarks that can be ranked: for a study those that average any of its rows, else those of which
            at least half of the tasks are there, the most covered first.
    """

    has_prompts: bool
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    task_types: tuple[str, ...]
    benchmarks: tuple[str, ...]


def sources(snapshot: Snapshot) -> tuple[str, ...]:
    """Sources that hold a leaderboard: those with prompt experiments first, then those that cover a benchmark."""
    with_prompts = studies(snapshot)
    others = [name for name in snapshot.read("SELECT source_name FROM sources ORDER BY 1")["source_name"]]
    return (
        *with_prompts,
        *(name for name in others if name not in with_prompts and covered_benchmarks(snapshot, name)),
    )


def options(snapshot: Snapshot, source: str) -> LeaderboardOptions:
    """What a question about a source may name."""
    has_prompts = source in studies(snapshot)
    runs = snapshot.read(
        "SELECT DISTINCT r.model_name, r.task_name, t.task_type FROM runs r JOIN tasks t USING (task_name) "
        "WHERE r.source_name = ? AND (r.prompt_id IS NOT NULL OR r.is_default) ORDER BY ALL",
        [source],
    )
    return LeaderboardOptions(
        has_prompts=has_prompts,
        models=_names(runs["model_name"]),
        tasks=_names(runs["task_name"]),
        task_types=_names(runs["task_type"]),
        benchmarks=prompts.options(snapshot, source).benchmarks
        if has_prompts
        else covered_benchmarks(snapshot, source),
    )


def chosen_source(snapshot: Snapshot, question: LeaderboardQuestion) -> str:
    """The source that a question is about, found where it names none.

    Raises:
        UsageError: There is no such source, or none that holds a leaderboard.
    """
    known = sources(snapshot)
    if question.source:
        expect(question.source, known, "source that holds a leaderboard")
        return question.source
    with_prompts = studies(snapshot)
    wanted = [name for name in known if (name in with_prompts) == (not question.benchmark)] or list(known)
    if not wanted:
        raise UsageError(
            "No source of this snapshot holds a leaderboard; run `python -m engine demo`, "
            "or add one: `engine add PATH --name NAME`, then `engine build`."
        )
    return wanted[0]


def studies(snapshot: Snapshot) -> tuple[str, ...]:
    """Sources with prompt experiments, in alphabetical order."""
    return _names(read_prompt_cells(snapshot)["source_name"])


def expect(name: str, known: Iterable[str], what: str) -> None:
    """Nothing, where a name is known.

    Raises:
        UsageError: It is not; the message names those nearest to it.
    """
    names = list(known)
    if name not in names:
        raise UsageError(f"No {what} is called {name!r}; there are: {names_like(name, names)}.")


def in_words(question: LeaderboardQuestion, snapshot_id: str) -> dict[str, str]:
    """The question as it is written above a download; what plays no part is left out."""
    words = {
        "snapshot": snapshot_id,
        "source": question.source,
        "benchmark": question.benchmark,
        "task": ", ".join(question.tasks) or "all",
        "exclude-task": ", ".join(question.exclude_tasks),
        "task-type": ", ".join(question.task_types),
        "model": ", ".join(question.models) or "all",
        "prompts": question.prompts,
        "data": question.data.value if question.data is not Data.ANY else "",
        "candidates": question.candidates.value,
        "equal-n": "yes" if question.equal_n else "",
        "aggregate": question.aggregate.value,
        "missing": question.missing.value if question.aggregate is Aggregate.BORDA else "",
        "scenario": question.scenario.value,
        "target": question.target,
        "drawing": question.drawing.value,
        "seed": str(question.seed),
    }
    return {key: value for key, value in words.items() if value}


def _names(values: pl.Series) -> tuple[str, ...]:
    return tuple(values.drop_nulls().unique().sort())
