"""Measures of ranks: what a leaderboard says, and how firmly."""

from engine.measures.describe import Display, Measure

_PAGE = "leaderboard_simulator"
_SHARE_RANK = "models with equal values share the better rank"
_BORDA = "mteb 2.26, `_create_summary_table`"
_MOGSTAD = "Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91"
_UNRANKED = "null for a model that the ranking leaves out"
_OF_DRAWS = "share of draws"


def _rank(key: str, title: str, gloss: str, formula: str, *, source: str = _BORDA, missing: str = _UNRANKED) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties=_SHARE_RANK,
        missing=missing,
        unit="places",
        display=Display.COUNT,
        source=source,
        question=_PAGE,
    )


def _count(key: str, title: str, gloss: str, formula: str, unit: str, *, source: str, ties: str = "") -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties=ties or _SHARE_RANK,
        missing=_UNRANKED,
        unit=unit,
        display=Display.COUNT,
        source=source,
        question=_PAGE,
    )


def _share(key: str, title: str, gloss: str, formula: str, *, source: str = "Scorelens") -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties=_SHARE_RANK,
        missing=_UNRANKED,
        unit="fraction",
        display=Display.PERCENT,
        source=source,
        question=_PAGE,
    )


def _mean(key: str, title: str, gloss: str, formula: str) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties="do not arise",
        missing="null for a model that lacks a row of any task, tasks that no model has whole aside",
        unit="fraction",
        display=Display.POINTS,
        source=_BORDA,
        question=_PAGE,
    )


RANKING_MEASURES: tuple[Measure, ...] = (
    _rank("rank", "rank", "Place on this leaderboard, 1 = best.", "1 + models with a higher value"),
    _rank("rank_borda", "rank (Borda)", "Place by Borda points, as MTEB ranks.", "1 + models with more Borda points"),
    Measure(
        key="borda_points",
        title="Borda points",
        gloss="On each task a point for every model beaten, half a point for a tie.",
        formula="Σ over tasks of (models − average rank on the task)",
        ties="equal scores share their average rank",
        missing="a missing task earns 0, and who has it is ahead (zero); or counts among those who have it (present); "
        "or only models with every task are ranked (complete)",
        unit="points",
        display=Display.NUMBER,
        source=_BORDA,
        question=_PAGE,
    ),
    _mean("mean_task", "mean (task)", "Average over tasks.", "unweighted mean of the task scores"),
    _mean(
        "mean_task_type",
        "mean (task type)",
        "Average over task types, so that a type with many tasks weighs no more.",
        "unweighted mean over types of the mean over the type's tasks",
    ),
    _count(
        "models_sharing_rank", "sharing the rank", "Models with this rank, this one included.",
        "models with the same value", "models", source=_BORDA,
    ),
    _rank("rank_default", "default rank", "Place when every model uses its default prompts.", "as rank"),
    _count(
        "ranks_gained", "ranks gained", "Places won against the default leaderboard; negative = lost.",
        "default rank − rank", "places", source="Scorelens",
    ),
    Measure(
        key="default_score",
        title="default",
        gloss="Score with the default prompt, on the rows that the prompts were scored on.",
        formula="as the score of a run",
        ties="do not arise",
        missing="null without a default run on those rows",
        unit="fraction",
        display=Display.POINTS,
        source="rule 5",
        question=_PAGE,
    ),
    Measure(
        key="change",
        title="change",
        gloss="What the prompts taken instead of the default are worth on the task.",
        formula="score − default",
        ties="do not arise",
        missing="null where either is",
        unit="fraction",
        display=Display.SIGNED_POINTS,
        source="Scorelens",
        question=_PAGE,
    ),
    _rank("rank_present", "rank (present)", "Place by Borda points among the models that have each task.", "as rank"),
    _rank("rank_complete", "rank (complete)", "Place among the models that have every task.", "as rank"),
    _share(
        "probability", "probability", "How often a model takes this rank when prompts are drawn at random.",
        f"{_OF_DRAWS} with this rank; 20,000 seeded draws of one prompt a task",
    ),
    _share(
        "standard_error", "standard error", "How far a sampled probability may be off by chance.",
        "√(p (1 − p) ÷ draws)",
    ),
    _share(
        "p_first", "first", "How often a model comes first when prompts are drawn at random.",
        f"{_OF_DRAWS} at rank 1",
    ),
    Measure(
        key="borda_points_expected",
        title="expected points",
        gloss="Borda points that a model can expect when prompts are drawn at random.",
        formula="Σ over tasks and rivals of P(above) + ½ P(equal); exact, not sampled",
        ties="half a point",
        missing="as Borda points",
        unit="points",
        display=Display.NUMBER,
        source="Scorelens",
        question=_PAGE,
    ),
    _rank(
        "rank_median", "rank by median prompt", "Place when every model stands for its median prompt.", "as rank",
        source="Scorelens",
    ),
    _rank(
        "rank_q_low", "rank by 10th percentile", "Place when every model has an unlucky prompt.",
        "as rank, by the 10th percentile of each cell", source="Scorelens",
    ),
    _rank(
        "rank_mean", "rank by mean prompt", "Place by the mean over prompts.", "as rank", source="Scorelens",
    ),
    _rank(
        "rank_attainable", "best attainable rank",
        "The best place that a model's own prompts can bring it, the others at their default.",
        "rank with the better of default and best prompt on every task", source="Scorelens",
    ),
    _count(
        "fewest_switches", "fewest switches",
        "On how few tasks a model must leave its default prompt to reach its best attainable rank.",
        "size of the smallest set of tasks that suffices: all sets are tried for up to 16 tasks that help, else greedy",
        "tasks", source="Scorelens", ties="a draw with a rival suffices",
    ),
    _count(
        "at_least", "at least", "Lower bound of the fewest switches.",
        "most tasks that overtaking any single rival takes", "tasks", source="Scorelens",
    ),
    _count(
        "n_sets", "smallest sets", "Different smallest sets of tasks that suffice.", "number of such sets", "sets",
        source="Scorelens",
    ),
    _rank(
        "rank_low", "best plausible rank",
        "The best place that the model could have on other tasks of the kind, all models considered at once.",
        "1 + models surely above it; simultaneous bounds for all pairwise differences, paired bootstrap over tasks",
        source=_MOGSTAD,
    ),
    _rank(
        "rank_high", "worst plausible rank",
        "The worst place that the model could have on other tasks of the kind, all models considered at once.",
        "models − models surely below it; bounds as before", source=_MOGSTAD,
    ),
    _rank(
        "rank_low_alone", "best plausible rank, alone", "The same, where only this model is asked about.",
        "1 + models surely above it; bounds for this model's differences only", source=_MOGSTAD,
    ),
    _rank(
        "rank_high_alone", "worst plausible rank, alone", "The same, where only this model is asked about.",
        "models − models surely below it; bounds for this model's differences only", source=_MOGSTAD,
    ),
    _share(
        "p_best", "first in resamples", "How often the model comes first on resampled tasks.",
        "share of resamples at rank 1",
    ),
    _count(
        "n_not_separated", "cannot be told from", "Other models whose order with this one is not sure.",
        "models neither surely above nor surely below", "models", source=_MOGSTAD,
    ),
    _share(
        "share_first", "same first place", "How often a ranking by so few prompts has the first place of all prompts.",
        f"{_OF_DRAWS} in which exactly the same models are at rank 1",
    ),
    _share(
        "share_first_or_tied", "first or tied", "The same, where another model may share the first place.",
        f"{_OF_DRAWS} in which the models first by all prompts are at rank 1",
    ),
    _share(
        "share_order", "same order", "How often a ranking by so few prompts is that of all prompts.",
        f"{_OF_DRAWS} in which every model has the same rank",
    ),
    Measure(
        key="median_error",
        title="error of the median",
        gloss="How far a median of so few prompts is from that of all, on average.",
        formula="mean over draws and cells of |median of k prompts − median of all|",
        ties="do not arise",
        missing="cells without prompts do not count",
        unit="fraction",
        display=Display.POINTS,
        source="Scorelens",
        question=_PAGE,
    ),
    Measure(
        key="median_error_high",
        title="error in 95 %",
        gloss="The error of the median that 95 % of draws and cells stay below.",
        formula="95th percentile over draws and cells of |median of k prompts − median of all|",
        ties="do not arise",
        missing="cells without prompts do not count",
        unit="fraction",
        display=Display.POINTS,
        source="Scorelens",
        question=_PAGE,
    ),
)  # fmt: skip
