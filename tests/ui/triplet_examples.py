"""Made-up answers of triplet tests: any number of items and models, cosines drawn by seed, judged by the engine."""

import numpy as np
import polars as pl

from engine.analysis.triplet_outcomes import judge_all
from engine.analysis.triplet_pairs import RUN
from engine.analysis.triplet_shortcuts import shortcut_outcomes
from engine.analysis.triplet_tests import TripletTests, build_tests

ELEPHANT = ("ആനപ്പുറത്ത്", "ആനയുടെ പുറത്ത്", ("ആന അപ്പുറത്ത്", "ആന ഇപ്പുറത്ത്", "ആന പുറത്ത്", "അപ്പുറത്ത്"))
ARABIC = ("لم يصل القطار", "القطار لم يأتِ", ("وصل القطار", "لم يصل المطار"))
HINDI = ("वह कल आया था", "वह कल पहुँचा", ("वह कल आएगा", "वह कल आई थी"))
TEXTS = {"mal-Mlym": ELEPHANT, "ara-Arab": ARABIC, "hin-Deva": HINDI}
PHENOMENA = ("negation", "compound", "number", "gemination")


def example_items(n_items: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items and candidates, languages in turn."""
    items, candidates = [], []
    for number in range(n_items):
        code = list(TEXTS)[number % 3]
        base, right, wrong = TEXTS[code]
        item = f"{code[:3]}-{number:03}"
        items.append({
            "item_id": item, "language": code, "anchor": base, "anchor_gloss": "on top of the elephant <b>",
            "phenomenon": PHENOMENA[number % 7 % 4], "note": "", "author": "me", "source": "native",
            "status": "draft", "written": "before",
        })  # fmt: skip
        candidates.append((item, "positive", 0, right, "the same"))
        candidates += [(item, "negative", place, text, f"other {place}") for place, text in enumerate(wrong)]
    columns = ["item_id", "role", "position", "text", "gloss"]
    return pl.DataFrame(items), pl.DataFrame(candidates, schema=columns, orient="row")


def example(n_items: int = 48, n_models: int = 5, seed: int = 0) -> TripletTests:
    """What `example_similarities` gives when the engine judges it."""
    items, candidates = example_items(n_items)
    outcomes = judge_all(example_similarities(n_items, n_models, seed), ("item_id", *RUN))
    return build_tests(items, candidates, outcomes, shortcut_outcomes(items, candidates), {"set": "starter"})


def example_similarities(n_items: int = 48, n_models: int = 5, seed: int = 0) -> pl.DataFrame:
    """Models that get worse one after the other, each second one under a prompt; ties and broken vectors occur."""
    rng = np.random.default_rng(seed)
    items, candidates = example_items(n_items)
    hard = dict(zip(items["item_id"], rng.normal(size=n_items), strict=True))
    rows = []
    for number in range(n_models):
        prompt = "query: " if number % 2 else None
        run = (f"org/model-{number // 2}", "r1", prompt, prompt)
        for (item,), some in candidates.group_by("item_id", maintain_order=True):
            ease = hard[item] * 2 + rng.normal() * 0.5 - number * 0.3
            values = 0.9 + rng.random(some.height) * 0.05
            values[0] = values[1:].max() + (0.0 if 0 < ease < 0.2 else ease / 100)
            broken = rng.random() < 0.01
            rows += [
                (item, *run, role, place, None if broken else float(value), 0.05, "broken" if broken else None)
                for role, place, value in zip(some["role"], some["position"], values, strict=True)
            ]
    columns = ["item_id", *RUN, "role", "position", "similarity", "spread", "reason"]
    numbers = {"position": pl.Int64(), **dict.fromkeys(("similarity", "spread"), pl.Float64())}
    similarities = pl.DataFrame(rows, schema={name: numbers.get(name, pl.String()) for name in columns}, orient="row")
    return similarities.with_columns(pl.lit(None, dtype=pl.Float64).alias("noise"))
