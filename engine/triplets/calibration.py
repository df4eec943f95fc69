"""What a model's cosines are worth: how far encoding again moves them, and how far those of random pairs lie apart.

Both are measured on the texts of a run and kept beside its results, so that an item asked alone is judged by what was
measured on its set.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.atomic import write_atomically
from engine.sweep.encoders import Encoder, batch_size, is_out_of_memory, tokens_per_batch

Vector = NDArray[np.float32]

SAMPLE = 24
"""Texts that are encoded again, unlike in length in one batch: company and padding are what moves a vector."""
MULTIPLE = 3
"""Two cosines are compared, and each may move; and the largest move among 24 texts is two thirds of the largest among
200 to 400 texts in four orders of batches (medians of 25 samples, MiniLM and e5; in bfloat16 0.0022 and 0.0034)."""
FLOOR = 5e-6
"""Twice the most that encoding again ever moved a cosine of the bundled models in float32: 2.2e-6, one text of 417,
which a sample rarely holds; all others moved by less than 5e-7."""
SPREAD_PAIRS, SPREAD_SEED = 2000, 1
FEWEST_TEXTS = 20
"""Below this many texts the spread of random pairs says nothing."""
GROWN = 2
"""A set that holds this many times the texts that were measured on is measured on anew."""


@dataclass(frozen=True)
class Calibration:
    """What was measured on the texts of one run of a model under one pair of prompts."""

    noise: float
    """cosines that are nearer than this are equal"""
    spread: float | None
    """standard deviation (n − 1) of the cosines of random pairs; None where there were too few texts"""
    texts: int
    """texts that it was measured on"""
    dtype: str
    """numbers that the model ran in"""

    def serves(self, texts: int, dtype: str) -> bool:
        """Whether it still serves so many texts, asked in these numbers."""
        return self.dtype == dtype and texts < GROWN * self.texts


def calibration_file(results: Path) -> Path:
    """The file beside one of results; its ending keeps it apart from them."""
    return results.with_suffix(".calibration.json")


def read_calibration(path: Path) -> Calibration | None:
    """What is kept; None where nothing is, or nothing that can be used: it is then measured anew."""
    try:
        return Calibration(**json.loads(path.read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def keep_calibration(path: Path, calibration: Calibration) -> None:
    """Puts a calibration into a file."""
    write_atomically(path, json.dumps(asdict(calibration)) + "\n")


def calibrate(encoder: Encoder, vectors: Mapping[str, Vector]) -> Calibration:
    """The calibration by the vectors of a run's strings; the order that they come in plays no part.

    Args:
        encoder: The model: `SAMPLE` of the strings are encoded again, past all stores of vectors.
        vectors: By string.
    """
    strings = sorted(vectors, key=lambda string: sha256(string.encode("utf-8", "surrogatepass")).digest())
    return Calibration(
        noise=_noise(encoder, {string: vectors[string] for string in strings[:SAMPLE]}),
        spread=_spread([vectors[string] for string in strings]),
        texts=len(strings),
        dtype=encoder.identity.dtype,
    )


def _noise(encoder: Encoder, vectors: Mapping[str, Vector]) -> float:
    """`MULTIPLE` times the most that encoding again moves the cosine of a pair, at least `FLOOR`."""
    if len(vectors) < 2:
        return FLOOR
    strings = list(vectors)
    size = batch_size(max(encoder.count_tokens(strings)), tokens_per_batch(encoder.device))
    starts = range(0, len(strings), size)
    again = [row for start in starts for row in _encode_again(encoder, strings[start : start + size])]
    moved = np.abs(_cosines(list(vectors.values())) - _cosines(again))
    return max(FLOOR, MULTIPLE * float(moved.max()))


def _encode_again(encoder: Encoder, strings: Sequence[str]) -> Sequence[Vector]:
    """One row per string; in halves where memory runs out."""
    try:
        return list(encoder.encode(strings))
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error) or len(strings) == 1:
            raise
    middle = len(strings) // 2
    return [*_encode_again(encoder, strings[:middle]), *_encode_again(encoder, strings[middle:])]


def _cosines(vectors: Sequence[Vector]) -> NDArray[np.float64]:
    block = np.asarray(vectors, dtype=np.float64)
    block /= np.linalg.norm(block, axis=1, keepdims=True)
    return block @ block.T


def _spread(vectors: Sequence[Vector]) -> float | None:
    if len(vectors) < FEWEST_TEXTS:
        return None
    block = np.asarray(vectors, dtype=np.float64)
    block /= np.linalg.norm(block, axis=1, keepdims=True)
    first, second = np.random.default_rng(SPREAD_SEED).integers(len(block), size=(SPREAD_PAIRS, 2)).T
    apart = first != second
    return float(np.std(np.einsum("ij,ij->i", block[first[apart]], block[second[apart]]), ddof=1))
