"""The one sentence that says what a scenario does to its target, and whose doing it is."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from engine.analysis import sentences as say
from engine.analysis.leaderboard_simulator import Scenario, ScenarioLeaderboard, Step
from engine.analysis.ranking import Aggregate
from engine.analysis.sentences import Sentence, said, strong


@dataclass(frozen=True)
class _Walk:
    """The target's way through the three leaderboards of a movement."""

    ranks: tuple[int, int, int]
    worths: tuple[float, float, float]
    n_ranked: int
    aggregate: Aggregate

    def worth(self, step: int) -> str:
        """Points or mean at one of the steps, with its unit."""
        return worth_words(self.worths[step], self.aggregate)

    def bare(self, step: int) -> str:
        """The same without its unit."""
        return (
            say.points(self.worths[step]) if self.aggregate is not Aggregate.BORDA else points_words(self.worths[step])
        )

    def gained(self, step: int) -> float:
        """What the target gained from one step to the next."""
        return self.worths[step + 1] - self.worths[step]


_WHEN = {
    Scenario.DEFAULT_VS_WORST: " when the others get their worst prompts and it keeps its default",
    Scenario.BEST_VS_DEFAULT: " when it alone picks its best prompts",
    Scenario.BEST_VS_WORST: " when the others get their worst prompts and it picks its best",
    Scenario.CUSTOM: " with the prompts chosen for each model",
}


def worth_words(value: float, aggregate: Aggregate) -> str:
    """`46 points`, `13.5 points`, `1 point`; for means the score × 100."""
    if aggregate is not Aggregate.BORDA:
        return f"a mean of {say.points(value)}"
    written = points_words(value)
    return f"{written} point{'' if written == '1' else 's'}"


def points_words(value: float) -> str:
    """`46`, `13.5`."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def ordinal(rank: int) -> str:
    """`1st`, `2nd`, `11th`, `21st`."""
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending}"


def find_movement(leaderboard: ScenarioLeaderboard) -> Sentence:
    """Where the scenario takes the target, and how much of that is the rivals' handicap, how much its own choice."""
    target = say.model(leaderboard.target_model_name)
    walk = _walk(leaderboard)
    if walk is None:
        return (target, said(" is not ranked: it lacks a task that this ranking asks for."))
    if leaderboard.scenario is Scenario.DEFAULT:
        return _standing(leaderboard, walk)
    first, _, last = walk.ranks
    moved = (said(" goes from "), strong(f"{ordinal(first)} to {ordinal(last)}")) if first != last else (
        said(" stays "), strong(ordinal(first)))  # fmt: skip
    when = said(f" of {walk.n_ranked:,}{_WHEN[leaderboard.scenario]}")
    return (target, *moved, when, *_causes(leaderboard, walk))


def _causes(leaderboard: ScenarioLeaderboard, walk: _Walk) -> Sentence:
    first, middle, last = walk.ranks
    if leaderboard.scenario is Scenario.DEFAULT_VS_WORST:
        return _handicap(walk)
    if leaderboard.scenario is Scenario.BEST_VS_DEFAULT:
        return (said(". "), *_own_choice(walk))
    if middle == last and first != middle:
        return (said(". "), *_handicap_alone(walk))
    if middle == last:
        handicap, choice = _change(walk, 0), _change(walk, 1)
        return (said(f". Neither the rivals’ handicap ({handicap}) nor its own choice ({choice}) moves it."),)
    if first == middle:
        return (said(". All of it is its own choice: the rivals’ handicap alone moves nothing. "), *_own_choice(walk))
    return (
        said(". The rivals’ handicap takes it to "),
        strong(ordinal(middle)),
        said(f" ({_change(walk, 0)}), its own choice to "),
        strong(ordinal(last)),
        said(f" ({_change(walk, 1)})."),
    )


def _handicap(walk: _Walk) -> Sentence:
    """A target that keeps its default: whatever moves it is the others' doing."""
    moved = walk.ranks[0] != walk.ranks[-1]
    points = f" ({_change(walk, 0)})" if walk.aggregate is Aggregate.BORDA else ""
    return (
        said(f". It changed nothing itself: all of this is the rivals’ handicap{points}." if moved else f"{points}."),
    )


def _own_choice(walk: _Walk) -> Sentence:
    """What a target's own prompts bring beside what its default brings, all else equal."""
    default, own = walk.bare(1), walk.worth(2)
    if walk.gained(1) < 0:
        return (said(f"Its best prompts bring {own}, "), strong("less"), said(f" than its default ({default})."))
    return (said(f"Its prompts bring {own}, its default {default}."),)


def _handicap_alone(walk: _Walk) -> Sentence:
    reached = ordinal(walk.ranks[1])
    if walk.gained(1) > 0:
        return (
            said(f"It is {reached} already with its default ({walk.worth(1)}): its own prompts add "),
            said(f"{_amount(walk, 1)} and "),
            strong("no rank"),
            said("."),
        )
    own = "either way" if walk.gained(1) == 0 else f"against {walk.bare(2)}"
    return (
        said("Its own prompts did "),
        strong("nothing"),
        said(f" for it: with its default it is {reached} too, with {walk.worth(1)} {own}."),
    )


def _standing(leaderboard: ScenarioLeaderboard, walk: _Walk) -> Sentence:
    target = leaderboard.target_model_name
    ranked = leaderboard.ranks.filter(pl.col("rank").is_not_null())
    column = leaderboard.rules.aggregate.column
    own = (say.model(target), said(" is "), strong(f"{ordinal(walk.ranks[0])} of {walk.n_ranked:,}"))
    opening = (*own, said(f" with every model at its default prompt, with {walk.worth(0)}"))
    others = ranked.filter(pl.col("model_name") != target)
    if others.is_empty():
        return (*opening, said("."))
    ahead = others.filter(pl.col(column) > walk.worths[0])
    nearest = (ahead.tail(1) if len(ahead) else others.head(1)).row(0, named=True)
    gap = abs(nearest[column] - walk.worths[0])
    if gap == 0:
        return (*opening, said(", level with "), say.model(nearest["model_name"]), said("."))
    where = " behind " if len(ahead) else " ahead of "
    distance = (
        f"{say.points(gap)} points" if walk.aggregate is not Aggregate.BORDA else worth_words(gap, walk.aggregate)
    )
    return (*opening, said(f", {distance}{where}"), say.model(nearest["model_name"]), said("."))


def _change(walk: _Walk, step: int) -> str:
    gained = walk.gained(step)
    sign = "+" if gained > 0 else "−" if gained < 0 else "±"
    return f"{sign}{_amount(walk, step)}"


def _amount(walk: _Walk, step: int) -> str:
    gained = abs(walk.gained(step))
    return worth_words(gained, walk.aggregate) if walk.aggregate is Aggregate.BORDA else f"{say.points(gained)} points"


def _walk(leaderboard: ScenarioLeaderboard) -> _Walk | None:
    own = leaderboard.movement.filter(pl.col("model_name") == leaderboard.target_model_name)
    steps = {row["step"]: row for row in own.iter_rows(named=True)}
    first, middle, last = (steps[step.value] for step in Step)
    ranks = (first["rank"], middle["rank"], last["rank"])
    if None in ranks:
        return None
    aggregate = leaderboard.rules.aggregate
    column = aggregate.column
    n_ranked = leaderboard.ranks["rank"].count()
    return _Walk(ranks, (first[column], middle[column], last[column]), n_ranked, aggregate)
