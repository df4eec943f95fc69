"""The rules of meaning: what a number stands for on every page."""

from engine.measures.describe import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        1,
        "Score of a run",
        "The unweighted mean of the main score over the rows of the view; a row is a task × split × subset. The "
        "rows of a study are those present in every run of the task in the source; a view can take a benchmark's "
        "rows instead. Scores are fractions between 0 and 1 everywhere but on screen, where they are × 100. "
        "Correlations may be negative.",
    ),
    Rule(
        2,
        "Missing stays missing",
        "NaN and Infinity in a file become missing when they are read. A run that lacks a row has no mean, and "
        "its cell says “2 of 6 rows”. Nothing is averaged over what happens to be there, except where a page says "
        "so and counts it.",
    ),
    Rule(
        3,
        "Identity",
        "A run is told apart by source, model and revision. A view shows one revision per source, model and task, "
        "picked as mteb's own code does: the main revision first, then runs with a version of mteb, then a known "
        "revision, then the latest version, then the name. The others stay reachable. Two models may share a "
        "revision hash.",
    ),
    Rule(
        4,
        "Identity of a prompt",
        "A prompt is its exact text and the side it is put before: query, document, or every text. Nothing is "
        "stripped or folded. An empty prompt, no prompt and the default prompt are three things. Shared prompts "
        "are those that every model of the source ran on that task, found before any filter.",
    ),
    Rule(
        5,
        "Reference",
        "The score whose place among the prompts is asked for, of three kinds that are never pooled: the default "
        "run of the same harness; the published score on matched rows, for which prompt scores are computed anew "
        "on the shared rows; the published score over all its rows, which may be other rows and can turn a call "
        "over. The same-harness run makes the call where it exists; a published score is a second mark, and the "
        "difference of the two is the harness gap, not inflation.",
    ),
    Rule(
        6,
        "Place and call",
        "The place is the share of prompt scores at or below the reference, and the mid-rank, where ties count "
        "half. The call is high (inflated) above the 90th percentile of the prompt scores, low (deflated) below "
        "the 10th, else typical; the thresholds can be moved. Fewer than 5 prompts give no call. Prompts on a "
        "model with fixed prefixes are off-label; calls across unlike conditions are marked and counted apart. A "
        "text is called the default prompt only where it is known to have run.",
    ),
    Rule(
        7,
        "Coefficient of variation",
        "Standard deviation (n − 1) ÷ mean; missing where the mean is zero or negative or there are fewer than "
        "two scores. Beside it stand the range in points and the interquartile range.",
    ),
    Rule(
        8,
        "Borda",
        "Ranks over tasks are mteb's Borda count by default: per task the number of models minus the average "
        "rank, nothing for a missing task, and tied models share the better final rank. Points among the models "
        "present, and complete models only, are alternatives on a switch; where they order models differently the "
        "page says so.",
    ),
    Rule(
        9,
        "Language score",
        "mteb's rule: the unweighted mean over all rows of a language; a subset that names the language twice "
        "counts twice. Where the figure over distinct rows differs, both are shown.",
    ),
    Rule(
        10,
        "Contamination",
        "Three states: declared trained on a task, declared not trained, and unknown. Unknown is never drawn as clean.",
    ),
    Rule(
        11,
        "Order, not threshold",
        "A triplet passes when the positive is strictly nearer than every negative. A tie is an outcome of its "
        "own: counted, and not a pass. Invalid items are shown and stand in no rate.",
    ),
    Rule(
        12,
        "Randomness",
        "Whatever is drawn at random takes a seed, which is kept with the result. Standard deviations divide by n "
        "− 1. A bootstrap draws 2,000 times or more, with one set of draws for all candidates.",
    ),
    Rule(
        13,
        "Mixed provenance is visible",
        "Different revisions of the data, versions of mteb or of the software that encodes raise a note wherever "
        "they meet in one comparison.",
    ),
)
