"""Every measure that Scorelens computes and every rule it keeps to, as data.

The Methods page, column help and tooltips read them here; one module a question holds the definitions.
"""

from engine.measures.completeness import COMPLETENESS_MEASURES
from engine.measures.describe import Display, Measure, Rule
from engine.measures.language_composition import LANGUAGE_MEASURES
from engine.measures.prompts import PROMPT_MEASURES
from engine.measures.ranking import RANKING_MEASURES
from engine.measures.rules import RULES
from engine.measures.spread import SPREAD_MEASURES
from engine.measures.triplets import TRIPLET_MEASURES

MEASURES: tuple[Measure, ...] = (
    *COMPLETENESS_MEASURES,
    *SPREAD_MEASURES,
    *PROMPT_MEASURES,
    *RANKING_MEASURES,
    *LANGUAGE_MEASURES,
    *TRIPLET_MEASURES,
)

MEASURES_BY_KEY: dict[str, Measure] = {measure.key: measure for measure in MEASURES}

__all__ = ["MEASURES", "MEASURES_BY_KEY", "RULES", "Display", "Measure", "Rule"]
