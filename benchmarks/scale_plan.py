"""The arithmetic of a sweep over MTEB(Multilingual, v2): texts, tokens, FLOPs and hours, with and without reuse.

    python benchmarks/scale_plan.py [--models 300] [--prompts 15] [--gpus 8] [--mfu 0.35]

Texts, how many are distinct and their mean length are mteb's own statistics of each task's data. Characters a token
are measured here, on the demo's texts in English, German and Malayalam with the bundled tokenizers. Models are drawn
evenly by size from the text models that mteb registers with open weights. Assumed, and printed: tokens of a prompt, the
cut at 512 tokens, the share of the peak that a GPU reaches, and how mteb samples for classification and clustering.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

import mteb  # noqa: E402
import numpy as np  # noqa: E402
from mteb.models.model_implementations import MODEL_REGISTRY  # noqa: E402

from engine.demo.models import bundled_models  # noqa: E402
from engine.demo.tasks import local_tasks  # noqa: E402
from engine.settings import Settings  # noqa: E402
from engine.sweep.encoders import Compute  # noqa: E402
from engine.sweep.scoring import texts_of  # noqa: E402

BENCHMARK = "MTEB(Multilingual, v2)"
MOST_TOKENS = 512
PROMPT_TOKENS = 15
CLUSTERED_TEXTS = 16_384
"""Texts of a row that mteb's clustering embeds at most (`max_document_to_embed`)."""
TEXTS = ("text_statistics", "text1_statistics", "text2_statistics", "sentence1_statistics", "sentence2_statistics")
"""Endings of mteb's names for statistics of texts that are embedded."""
PEAK_FLOPS = 989e12
"""An H200's dense bf16 peak, from NVIDIA's data sheet."""


@dataclass(frozen=True)
class Side:
    """The texts that one side of a task brings into the encoder for one setting."""

    asked: int
    distinct: int
    tokens_each: float
    is_prompted: bool

    def tokens(self, n_settings: int, *, reuse: bool) -> float:
        """Tokens over default settings and all prompts."""
        prompted = self.tokens_each + (PROMPT_TOKENS if self.is_prompted else 0)
        texts = self.distinct if reuse else self.asked
        return texts * prompted * (n_settings if self.is_prompted or not reuse else 1)


def sides_of(task: Any, characters_a_token: float) -> Iterator[Side]:
    """The sides of a task, from mteb's statistics of its evaluation splits."""
    statistics = task.metadata.descriptive_stats
    for split in task.metadata.eval_splits:
        for name, found in statistics.get(split, {}).items():
            if not found or not name.endswith(TEXTS):
                continue
            distinct = int(found["unique_texts"])
            asked = round(found["total_text_length"] / max(found["average_text_length"], 1e-9))
            if getattr(task, "parallel_subsets", False):
                asked = distinct  # mteb embeds each language once, however many pairs it is in
            if task.metadata.type == "Clustering":
                most = CLUSTERED_TEXTS * max(1, len(task.hf_subsets))
                asked, distinct = min(asked, most), min(distinct, most)
            tokens = min(MOST_TOKENS, found["average_text_length"] / characters_a_token + 2)
            yield Side(asked, distinct, tokens, is_prompted=not name.startswith("documents"))


def characters_a_token(settings: Settings) -> dict[str, float]:
    """Characters per token of the demo's texts, by bundled model."""
    texts = [text for task in local_tasks() for side in texts_of(task.build()).values() for text in side]
    found = {}
    for model in bundled_models(settings, quick=False):
        counts = model.load(Compute()).count_tokens(texts)
        found[model.name.rpartition("/")[2]] = sum(map(len, texts)) / (sum(counts) - 2 * len(texts))
    return found


def drawn_models(n_models: int) -> list[tuple[str, int, int]]:
    """Name, active parameters and width of so many models, evenly by size."""
    known = [
        (meta.name, meta.n_parameters - (meta.n_embedding_parameters or 0), meta.embed_dim)
        for meta in MODEL_REGISTRY.values()
        if meta.open_weights and meta.n_parameters and meta.modalities == ["text"] and isinstance(meta.embed_dim, int)
    ]
    dense = sorted((each for each in known if each[1] > 1_000_000), key=lambda each: each[1])
    return [dense[at] for at in np.linspace(0, len(dense) - 1, min(n_models, len(dense))).astype(int)]


def flops(active: int, width: int, tokens: float, mean_length: float) -> float:
    """Of a forward pass: 2 × active parameters × tokens, and attention's 4 × length × layers × width a token.

    Layers × width is taken as active ÷ (12 × width), which holds for a plain transformer.
    """
    return tokens * (2 * active + 4 * mean_length * active / (12 * width))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("models", 300), ("prompts", 15), ("gpus", 8)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--mfu", type=float, default=0.35, help="share of the peak that encoding reaches")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rates = characters_a_token(Settings(data=Path(folder)))
    print("measured characters a token:", ", ".join(f"{name} {rate:.2f}" for name, rate in rates.items()))
    rate = rates["multilingual-e5-small-q4"]
    tasks = mteb.get_benchmark(BENCHMARK).tasks
    by_task = {task.metadata.name: list(sides_of(task, rate)) for task in tasks}
    silent = [name for name, sides in by_task.items() if not sides]
    sides = [side for found in by_task.values() for side in found]
    settings = asked.prompts + 1
    distinct = sum(side.distinct for side in sides)
    print(f"{len(tasks)} tasks, {distinct:,} distinct texts; no statistics: {silent or 'none'}")
    totals = {
        "every text under every setting": sum(side.tokens(settings, reuse=False) for side in sides),
        "each string once": sum(side.tokens(settings, reuse=True) for side in sides),
        "default settings alone": sum(side.tokens(1, reuse=True) for side in sides),
    }
    models = drawn_models(asked.models)
    mean = sum(side.tokens_each * side.distinct for side in sides) / sum(side.distinct for side in sides)
    sizes = sorted(active for _, active, _ in models)
    print(
        f"{len(models)} models, active parameters: median {sizes[len(sizes) // 2] / 1e6:,.0f} M, "
        f"largest {sizes[-1] / 1e9:.1f} G, sum {sum(sizes) / 1e9:,.0f} G; mean length {mean:.0f} tokens"
    )
    for name, tokens in totals.items():
        work = sum(flops(active, width, tokens, mean) for _, active, width in models)
        hours = work / (PEAK_FLOPS * asked.mfu * asked.gpus * 3600)
        print(
            f"{name}: {tokens / 1e9:,.2f} G tokens a model, {work / 1e21:,.1f} ZFLOP in all, "
            f"{hours:,.0f} h on {asked.gpus} GPUs at {asked.mfu:.0%} of the peak"
        )
    print("largest tasks:", ", ".join(f"{name} {tokens / 1e9:.2f} G" for name, tokens in _largest(by_task, settings)))


def _largest(by_task: dict[str, list[Side]], n_settings: int) -> list[tuple[str, float]]:
    tokens = {name: sum(side.tokens(n_settings, reuse=True) for side in sides) for name, sides in by_task.items()}
    return sorted(tokens.items(), key=lambda each: -each[1])[:6]


if __name__ == "__main__":
    main()
