"""Measures of triplet tests and of what a script costs in tokens."""

from engine.measures.describe import Display, Measure

_PAGE = "triplet_tests"
_SPECIAL = "no ties"


def _of_tokens(key: str, title: str, gloss: str, formula: str, missing: str, unit: str, display: Display) -> Measure:
    return Measure(
        key=key,
        title=title,
        gloss=gloss,
        formula=formula,
        ties=_SPECIAL,
        missing=missing,
        unit=unit,
        display=display,
        source="counts of the model's own tokenizer",
        question=_PAGE,
    )


TRIPLET_MEASURES: tuple[Measure, ...] = (
    Measure(
        key="pass_rate",
        title="Right",
        gloss="How often the text that means the same is nearer than every look-alike.",
        formula="right ÷ (right + tie + wrong), with Wilson's interval at 95 %",
        ties="a tie is counted and is not right",
        missing="invalid items are left out; null for groups of fewer than 5 valid items",
        unit="fraction",
        display=Display.PERCENT,
        source="Wilson (1927) for the interval",
        question=_PAGE,
    ),
    Measure(
        key="margin",
        title="Margin",
        gloss="By how much the right text is ahead of the hardest look-alike; below zero it is behind.",
        formula="lowest cosine of a text that means the same − highest cosine of a look-alike",
        ties="margins within the noise of the model are ties: 3 times the most by which encoding 24 texts again in one "
        "batch of unlike lengths moved the cosine of a pair, at least 0.000005",
        missing="null where a vector is broken",
        unit="cosine",
        display=Display.DECIMAL,
        source="own",
        question=_PAGE,
    ),
    Measure(
        key="scaled_margin",
        title="Scaled margin",
        gloss="The margin in units in which models compare: raw cosines do not.",
        formula="margin ÷ sd (n − 1) of the cosines of 2,000 random pairs of the set's texts, drawn with seed 1",
        ties="as the margin's",
        missing="null for an invalid item, or where only fewer than 20 texts were ever run",
        unit="sd",
        display=Display.DECIMAL,
        source="own",
        question=_PAGE,
    ),
    Measure(
        key="p_holm",
        title="p after Holm",
        gloss="How often so uneven a split would come up by chance, all pairs of models considered.",
        formula="exact two-sided binomial test at ½ of the items that only one of both gets right, then Holm's "
        "step-down correction over all pairs",
        ties="a tie counts as not right; how many there are is shown",
        missing="items invalid for either are left out; 1 where the models never differ",
        unit="probability",
        display=Display.DECIMAL,
        source="McNemar (1947), Holm (1979)",
        question=_PAGE,
    ),
    Measure(
        key="n_needed",
        title="More items needed",
        gloss="About how many more items would tell two models apart, if they go on as so far.",
        formula="smallest number of further items, in steps of 5 %, at which the uncorrected p is below 0.05 "
        "while both shares stay as they are",
        ties="as for p",
        missing="null where the pair is told apart, neither leads, or more than 10,000 would be needed",
        unit="items",
        display=Display.COUNT,
        source="own",
        question=_PAGE,
    ),
    _of_tokens(
        "tokens_per_character", "Tokens a character", "How many tokens a character as readers see it costs.",
        "tokens, special ones included ÷ grapheme clusters", "null without a character", "tokens", Display.DECIMAL,
    ),
    _of_tokens(
        "ratio_to_english", "Tokens against English", "How many times the tokens of the same texts in English.",
        "tokens ÷ tokens of the English texts, special ones included", "null without English to every text", "ratio",
        Display.DECIMAL,
    ),
    _of_tokens(
        "unknown_share", "Unknown tokens", "Share of the text's tokens that the vocabulary has no entry for.",
        "unknown tokens ÷ tokens without special ones", "null without a token", "fraction", Display.PERCENT,
    ),
    _of_tokens(
        "broken_share", "Broken characters", "Share of the text's tokens that end inside a character.",
        "tokens whose next one begins inside the same grapheme cluster ÷ tokens without special ones",
        "null where a tokenizer does not say where its tokens lie", "fraction", Display.PERCENT,
    ),
    _of_tokens(
        "characters_per_512", "Characters a chunk", "How many characters a chunk of 512 tokens holds.",
        "512 × grapheme clusters ÷ tokens", "null without a token", "characters", Display.COUNT,
    ),
)  # fmt: skip
