"""Measures of the place of a reference among prompt scores, and of the worth of a chosen prompt."""

from engine.measures.describe import Display, Measure

_PAGE = "prompt_distributions"
_NO_REFERENCE = "null without a reference, or where the reference lacks rows"


def _signed(key: str, title: str, gloss: str, formula: str, missing: str, source: str) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties="do not arise",
        missing=missing,
        unit="fraction",
        display=Display.SIGNED_POINTS,
        source=source,
        question=_PAGE,
    )


def _count(key: str, title: str, gloss: str, formula: str, *, ties: str, missing: str, source: str) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties=ties,
        missing=missing,
        unit="prompts" if key in {"n_below", "n_equal"} else "readings",
        display=Display.COUNT,
        source=source,
        question=_PAGE,
    )


PROMPT_MEASURES: tuple[Measure, ...] = (
    Measure(
        key="reference_score",
        title="reference",
        gloss="The score whose place among the prompts is asked for.",
        formula="same-harness default run on the same rows; or the published score, on matched rows or on all its rows",
        ties="do not arise",
        missing=_NO_REFERENCE,
        unit="fraction",
        display=Display.POINTS,
        source="rule 5",
        question=_PAGE,
    ),
    Measure(
        key="place_share_le",
        title="at or above",
        gloss="Share of prompts that the reference scores at least as high as.",
        formula="prompts with score ≤ reference ÷ n",
        ties="a prompt equal to the reference (within 1e-12) counts",
        missing=_NO_REFERENCE,
        unit="fraction",
        display=Display.PERCENT,
        source="rule 6",
        question=_PAGE,
    ),
    Measure(
        key="place_midrank",
        title="place",
        gloss="Where the reference stands among the prompts: 0 % below all, 100 % above all.",
        formula="(prompts below + half of those equal) ÷ n",
        ties="half",
        missing=_NO_REFERENCE,
        unit="fraction",
        display=Display.PERCENT,
        source="rule 6; mid-rank",
        question=_PAGE,
    ),
    Measure(
        key="call",
        title="call",
        gloss="high (inflated), typical, or low (deflated) among the prompts.",
        formula="high where reference > high threshold, low where reference < low threshold, else typical",
        ties="a reference equal to a threshold is typical",
        missing="none without a reference or for fewer than 5 prompts with a score",
        unit="",
        display=Display.WORD,
        source="rule 6; arXiv 2605.22544",
        question=_PAGE,
    ),
    _count(
        "n_below", "prompts below", "Prompts that score below the reference.", "number of scores < reference",
        ties="equal within 1e-12 is not below", missing=_NO_REFERENCE, source="rule 6",
    ),
    _count(
        "n_equal", "prompts level", "Prompts that score the same as the reference.", "number of scores = reference",
        ties="equal within 1e-12", missing=_NO_REFERENCE, source="rule 6",
    ),
    _signed(
        "gap_to_median", "gap to median", "How far the reference lies above the middle prompt.",
        "reference − median prompt score", _NO_REFERENCE, "rule 6",
    ),
    Measure(
        key="published_score",
        title="published",
        gloss="The published score over the rows it shares with the study.",
        formula="mean of the published main scores over the shared rows, at least one",
        ties="the revision that the prompts ran on comes first, then the one mteb's `join_revisions` picks",
        missing="null where no row is shared",
        unit="fraction",
        display=Display.POINTS,
        source="rule 5",
        question=_PAGE,
    ),
    _signed(
        "harness_gap", "harness gap", "What the published score differs by from the same run here; not inflation.",
        "published score − same-harness default run, on the same rows", "null unless both hold the rows", "rule 5",
    ),
    Measure(
        key="high_share",
        title="share high",
        gloss="Share of a model's tasks on which the reference is high.",
        formula="tasks called high ÷ tasks with a call; interval by Wilson's score method",
        ties="as for the call",
        missing="null for a model without a call; tasks without a call are left out",
        unit="fraction",
        display=Display.PERCENT,
        source="Wilson 1927",
        question=_PAGE,
    ),
    Measure(
        key="expected_share",
        title="expected",
        gloss="Share of high calls that a prompt like any other would get.",
        formula="1 − high threshold",
        ties="do not arise",
        missing="never",
        unit="fraction",
        display=Display.PERCENT,
        source="rule 6",
        question=_PAGE,
    ),
    _count(
        "n_readings", "readings", "Admissible ways to read the records.",
        "references (same-harness, published on matched rows) × sets of prompts (shared, all, by kind, by author, "
        "with 5 scores or more) × sets of rows (the study's, each benchmark's)",
        ties="readings that come to the same prompts, scores and reference are one",
        missing="0 without a reference", source="rule 5",
    ),
    _count(
        "n_same", "same call", "Readings in which the call shown holds.", "number of readings with the call shown",
        ties="as for the call", missing="null without a call", source="rule 5",
    ),
    Measure(
        key="best_score",
        title="best prompt",
        gloss="Score of the best prompt, on the scores it was picked on.",
        formula="greatest prompt score",
        ties="the prompt whose id comes first",
        missing="null without a score",
        unit="fraction",
        display=Display.POINTS,
        source="Scorelens",
        question=_PAGE,
    ),
    _signed(
        "best_gain", "gain as picked", "What the best prompt seems to gain; picked on these scores, it flatters.",
        "best prompt score − same-harness default run", "null without a default run on the same rows", "Scorelens",
    ),
    _signed(
        "held_out_gain", "held-out gain", "What picking a prompt gains on rows that played no part in the choice.",
        "each row in turn: best prompt on the other rows, its score − default run on that row; mean over rows",
        "unknown (null) for tasks of one row, or where the default run lacks a row", "leave-one-out cross-validation",
    ),
)  # fmt: skip
