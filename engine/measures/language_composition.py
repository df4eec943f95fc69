"""Measures of language scores: what they stand on, what moves them, and what models declare."""

from engine.measures.describe import Display, Measure

_PAGE = "language_composition"
_MTEB = "mteb 2.26, `_create_per_language_table_from_benchmark_results`; rule 9"
_RULE_9 = "rule 9"
_RULE_10 = "rule 10"
_NO_TIES = "do not arise"
_NO_ROW = "null where the model has no row of the language"
_KENDALL = "Kendall 1945; jackknife over models, Arvesen 1969"
_SPEARMAN = "Spearman 1904"


def _measure(
    key: str,
    title: str,
    gloss: str,
    formula: str,
    *,
    unit: str,
    display: Display,
    source: str = _RULE_9,
    ties: str = _NO_TIES,
    missing: str = _NO_ROW,
) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties=ties,
        missing=missing,
        unit=unit,
        display=display,
        source=source,
        question=_PAGE,
    )


def _points(
    key: str, title: str, gloss: str, formula: str, *, missing: str = _NO_ROW, source: str = _RULE_9
) -> Measure:
    return _measure(key, title, gloss, formula, unit="fraction", display=Display.POINTS, missing=missing, source=source)


def _share(key: str, title: str, gloss: str, formula: str, *, missing: str = _NO_ROW, source: str = _RULE_9) -> Measure:
    return _measure(
        key, title, gloss, formula, unit="fraction", display=Display.PERCENT, missing=missing, source=source
    )


def _count(
    key: str, title: str, gloss: str, formula: str, unit: str, *, missing: str, source: str = _RULE_9
) -> Measure:
    return _measure(key, title, gloss, formula, unit=unit, display=Display.COUNT, missing=missing, source=source)


LANGUAGE_MEASURES: tuple[Measure, ...] = (
    _points(
        "score_distinct", "each row once", "The language score with every row counted once.",
        "mean over the distinct rows; mteb counts a row twice whose list names the language twice",
    ),
    _count(
        "rows_distinct", "distinct rows", "Rows that a language score stands on, each once.",
        "number of task × split × subset with a number", "rows", missing="0 where the model has none",
    ),
    _count(
        "rows_described", "rows described", "Rows of the language by mteb’s description, scored or not.",
        "rows of the benchmark whose list names the language, as often as it does", "rows",
        missing="0 where mteb does not describe the rows",
    ),
    _share(
        "share", "share of weight", "How much of a language score a part decides.",
        "rows of the part ÷ rows of the language, as mteb counts them",
    ),
    _points(
        "contribution", "contribution", "What a part adds to the score; contributions add up to it.",
        "share × mean of the part", missing="null for a part without a score",
    ),
    _share(
        "largest_share", "largest task", "Share of the rows that come from one task.",
        "rows of the task with most rows ÷ rows of the language",
    ),
    _share(
        "paper_share", "largest by description", "Share of the described rows that come from one task, scored or not.",
        "rows of the task with most rows ÷ rows of the language, by mteb’s description",
        missing="null where mteb does not describe the rows",
    ),
    _points(
        "score_published", "as published", "The language score over all of its rows.", "the language score, unchanged",
        source=_MTEB,
    ),
    _points(
        "score_without", "score without", "What the score would be without this part.",
        "the score over the rows that stay", missing="null where nothing stays: one part is all there is",
    ),
    _points(
        "score_before", "before", "The score as it was, normally as mteb computes it.", "the language score, unchanged",
        source=_MTEB,
    ),
    _points(
        "score_after", "after", "The score after the change.", "the language score over what stays, weighted as chosen",
        missing="null where nothing stays",
    ),
    _measure(
        "place_before", "place before", "Place of a language among those shown, before.",
        "1 + number of these languages with a higher score", unit="places", display=Display.COUNT,
        ties="equal scores share the better place",
    ),
    _measure(
        "place_after", "place after", "Place of a language among those shown, after.",
        "1 + number of these languages with a higher score", unit="places", display=Display.COUNT,
        ties="equal scores share the better place",
    ),
    _points(
        "partner_mean", "from the other side", "Mean of the same pairs as the other languages see them.",
        "mean over the other languages of their mean over the task’s rows with English",
    ),
    _share(
        "partner_share", "weight on the other side", "What the same pairs weigh in the other languages.",
        "median over the other languages of the task’s share of their rows",
    ),
    _measure(
        "effective_tasks", "weighs like", "How many equal tasks would weigh as evenly.",
        "1 ÷ Σ share² over the tasks of the language", unit="tasks", display=Display.DECIMAL,
        source="inverse of Simpson’s index, Simpson 1949", missing="null where mteb does not describe the rows",
    ),
    _measure(
        "effective_corpora", "corpora weigh like", "How many equal source corpora would weigh as evenly.",
        "1 ÷ Σ share² over the corpora of the language", unit="corpora", display=Display.DECIMAL,
        source="inverse of Simpson’s index, Simpson 1949", missing="null where mteb does not describe the rows",
    ),
    _count(
        "n_search", "search tasks", "Retrieval and reranking tasks within the language.",
        "tasks of these types with a row that names this language alone", "tasks", missing="0 where there are none",
    ),
    _count(
        "n_similarity", "similarity tasks", "Semantic similarity tasks within the language.",
        "STS tasks with a row that names this language alone", "tasks", missing="0 where there are none",
    ),
    _count(
        "n_tasks_same", "tasks within", "Tasks with rows within the language.",
        "tasks with a row that names this language alone", "tasks", missing="0 where there are none",
    ),
    _measure(
        "largest_spearman", "largest task predicts", "How well the largest task alone tells the order of models.",
        "Spearman’s ρ of the mean over its rows and the language score, over complete models", unit="correlation",
        display=Display.DECIMAL, source=_SPEARMAN, ties="average ranks",
        missing="null for one task, for fewer than three models, and where one side does not vary",
    ),
    _measure(
        "tau_b", "agreement", "How far two orders of the same models agree: 1 in full, 0 not at all.",
        "Kendall’s τ-b over pairs of models that have every row", unit="correlation", display=Display.DECIMAL,
        source=_KENDALL, ties="pairs tied on one side count in the denominator of the other",
        missing="null for fewer than two models, and where one side does not vary",
    ),
    _measure(
        "ci_low", "from", "Lower bound of the interval.", "see the measure that it bounds; level 0.95",
        unit="fraction", display=Display.POINTS, source="rule 12", missing="null where the units are too few",
    ),
    _measure(
        "ci_high", "to", "Upper bound of the interval.", "see the measure that it bounds; level 0.95",
        unit="fraction", display=Display.POINTS, source="rule 12", missing="null where the units are too few",
    ),
    _measure(
        "could_be_first", "could be first", "The tasks do not tell this model from the first.",
        "0 lies in the paired bootstrap interval, over tasks, of its distance from the first", unit="",
        display=Display.WORD, source="rule 12", missing="null for a model without a rank, and for a single task",
    ),
    _measure(
        "training", "declared", "What the model says about having been trained on these tasks.",
        "declared trained, declared not trained, or unknown; similar tasks count, by mteb’s closure", unit="",
        display=Display.WORD, source=_RULE_10, missing="unknown where the model declares nothing",
    ),
    _count(
        "n_declared", "declared tasks", "Tasks of the benchmark that the model declares to have been trained on.",
        "declared names among the tasks, with the closure chosen", "tasks", source=_RULE_10,
        missing="null = unknown: the model declares nothing",
    ),
    _share(
        "declared_share", "declared weight", "Share of a language score that stands on declared tasks.",
        "rows of declared tasks ÷ rows of the language", source=_RULE_10,
        missing="null = unknown: the model declares nothing",
    ),
    _measure(
        "spearman", "ρ", "Whether better places declare more training tasks (negative) or fewer.",
        "Spearman’s ρ of rank and number of declared tasks", unit="correlation", display=Display.DECIMAL,
        source=_SPEARMAN, ties="average ranks", missing="null for fewer than three models",
    ),
)  # fmt: skip
