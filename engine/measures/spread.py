"""Measures of location and spread over prompts."""

from engine.measures.describe import Display, Measure

_LINEAR = "linear quantile (type 7 of Hyndman and Fan 1996; numpy's default)"
_STANDARD = "standard statistic"
_NO_SCORE = "null without a score"
_PAGE = "prompt_distributions"


def _of_scores(key: str, title: str, gloss: str, formula: str, source: str = _STANDARD) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties="equal scores each count",
        missing=_NO_SCORE,
        unit="fraction",
        display=Display.POINTS,
        source=source,
        question=_PAGE,
    )


def _needs_two(key: str, title: str, gloss: str, formula: str, missing: str) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties="equal scores each count",
        missing=missing,
        unit="fraction",
        display=Display.POINTS,
        source="one-way analysis of variance",
        question=_PAGE,
    )


def _share(key: str, title: str, gloss: str, formula: str, missing: str, source: str) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties="equal scores each count",
        missing=missing,
        unit="fraction",
        display=Display.PERCENT,
        source=source,
        question=_PAGE,
    )


_NO_CV = "null for fewer than two scores, and where the mean is zero or negative: a ratio to it would say nothing"

SPREAD_MEASURES: tuple[Measure, ...] = (
    _of_scores("mean", "mean", "Average over prompts.", "sum of the prompt scores ÷ n"),
    _of_scores("median", "median", "The middle prompt: half score lower, half higher.", f"0.5 quantile, {_LINEAR}"),
    _of_scores("min", "worst", "Score of the worst prompt.", "least prompt score"),
    _of_scores("max", "best", "Score of the best prompt.", "greatest prompt score"),
    _of_scores("score_range", "range", "From the worst prompt to the best.", "greatest − least prompt score"),
    _of_scores("iqr", "IQR", "Width of the middle half of the prompts.", f"0.75 − 0.25 quantile, {_LINEAR}"),
    _of_scores("q_low", "low threshold", "Below this a reference is called low.", f"low quantile (0.1), {_LINEAR}"),
    _of_scores("q_high", "high threshold", "Above this a reference is called high.", f"high quantile (0.9), {_LINEAR}"),
    _needs_two(
        "sd",
        "sd",
        "Typical distance of a prompt's score from the mean.",
        "√(Σ (score − mean)² ÷ (n − 1))",
        "null for fewer than two scores",
    ),
    _share("cv", "CV", "Spread over prompts relative to the mean.", "sd (n − 1) ÷ mean", _NO_CV, "rule 7"),
    _share("cv_median", "median CV", "Half of a model's tasks vary less.", "median CV of its tasks", _NO_CV, "rule 7"),
    _share("cv_max", "largest CV", "Where prompts matter most.", "greatest CV over tasks", _NO_CV, "rule 7"),
    _needs_two(
        "sd_between",
        "sd between kinds",
        "How far the kinds of prompt lie apart.",
        "sd of the kinds' mean scores (number of kinds − 1)",
        "null for one kind",
    ),
    _needs_two(
        "sd_within",
        "sd within kinds",
        "How much scores still move once the kind is chosen.",
        "√(Σ (n − 1) sd² ÷ Σ (n − 1)) over kinds",
        "null where every kind has a single prompt",
    ),
    _share(
        "between_share",
        "explained by kind",
        "Share of the spread that the kind of prompt accounts for.",
        "Σ n (mean of the kind − mean)² ÷ Σ (score − mean)², known as η²",
        "null for one kind, and where all scores are equal",
        "one-way analysis of variance",
    ),
    Measure(
        key="from_median",
        title="from median",
        gloss="How far a prompt, or a kind of prompt, lies from the median prompt of the same model and task.",
        formula="score (or mean of the kind) − median prompt score; over tasks the unweighted mean",
        ties="do not arise",
        missing="null without a score",
        unit="fraction",
        display=Display.SIGNED_POINTS,
        source="Scorelens",
        question=_PAGE,
    ),
)
