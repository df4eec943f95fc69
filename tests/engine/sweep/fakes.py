"""Encoders that need no weights, and tasks of a few texts: what the sweep is tested with."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from engine.sweep.encoders import Identity
from engine.sweep.local_task import Labelled, LabelledText, LocalTask, Pair, Search
from engine.sweep.plan import SweepModel
from engine.sweep.prompting import PlainPrompts

WIDTH = 16


class RecordingEncoder:
    """Writes down every string that would enter the tokenizer; its vectors depend on the string alone."""

    device = "cpu"

    def __init__(self, name="test/recorder"):
        self.identity = Identity(name, "1", "float32", None, True, WIDTH)
        self.seen: list[str] = []

    def count_tokens(self, strings: Sequence[str]) -> list[int]:
        return [len(string.split()) + 2 for string in strings]

    def encode(self, strings: Sequence[str]):
        self.seen += strings
        return np.stack([vector_of(string) for string in strings])


def vector_of(string: str):
    """A vector of length 1 made from the words of a string, so that like texts are near each other."""
    total = sum(_noise(word) for word in string.lower().split() or [""])
    return (total / np.linalg.norm(total)).astype(np.float32)


def _noise(word: str):
    seed = int.from_bytes(sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(WIDTH)


def model(encoder, prompts=None, name=None) -> SweepModel:
    return SweepModel(
        name=name or encoder.identity.model_name,
        revision="1",
        style=PlainPrompts(prompts or {}),
        active_parameters=1000,
        load=lambda compute: encoder,
        describe=dict,
    )


def local_task(task_type, name=None) -> LocalTask:
    """A task of a few texts, in two subsets."""
    main_score, category, content = TINY[task_type]
    return LocalTask(
        name=name or f"Tiny{task_type}",
        task_type=task_type,
        main_score=main_score,
        category=category,
        description="A few texts.",
        languages={"one": ("eng-Latn",), "two": ("eng-Latn",)},
        content={"one": content("one"), "two": content("two")},
        domains=("Written",),
        sample_creation="created",
        annotations_creators=None,
        license="mit",
        reference="https://example.org",
    )


def _search(subset):
    return Search(
        queries={f"q{n}": f"where is animal {n} {subset}" for n in range(4)},
        documents={f"d{n}": (f"Animal {n}", f"it sleeps in hole {n}") for n in range(6)},
        relevant={f"q{n}": [f"d{n}"] for n in range(4)},
    )


def _labelled(subset):
    return Labelled(
        train=[LabelledText(f"{word} training {n} {subset}", at) for at, word in enumerate(WORDS) for n in range(6)],
        test=[LabelledText(f"{word} test {n} {subset}", at) for at, word in enumerate(WORDS) for n in range(3)],
    )


def _pairs(subset):
    return [Pair(f"{word} one {subset}", f"{other} two", int(word == other)) for word in WORDS for other in WORDS]


WORDS = ("cat", "dog", "bird")

TINY = {
    "Retrieval": ("ndcg_at_10", "t2t", _search),
    "Classification": ("accuracy", "t2c", _labelled),
    "PairClassification": ("max_ap", "t2t", _pairs),
    "BitextMining": ("f1", "t2t", _pairs),
}
