"""Strings as the numbers of their tokens, made once: the same ones say how long a text is, and enter the model.

On a fast device, cutting texts into tokens takes as long as embedding them; sentence-transformers would do it again for
every batch. Whether our numbers are those that it would have made is tried when a model is loaded; where they are not
(texts set into a chat template, static embeddings), it makes its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Row = NDArray[np.int32]

PROBES = ("", " a  Text, with spaces\nand a second line ", "one two three four five six seven")
"""Texts on which both ways are compared, beside one that is too long for the model."""
LONGEST_PROBE = 10_000
"""Words of that one, at most."""
PREPARED_AT_ONCE = 256
"""Texts that sentence-transformers prepares together where only it knows how: it pads all to the longest."""
OF_EACH_MODEL = {"input_ids", "attention_mask", "token_type_ids", "modality"}
"""What may be prepared for a model whose tokens are all that it is given."""


class TokenIds:
    """The token numbers of strings for one model; those of the strings counted last are kept.

    Args:
        model: The loaded model.
    """

    def __init__(self, model: SentenceTransformer) -> None:
        self._model = model
        self._tokenizer: Any = model.tokenizer
        self._kept: dict[str, Row] = {}
        self.serve = self._agree()
        """whether `batch` gives what the model itself would prepare"""

    def count(self, strings: Sequence[str]) -> list[int]:
        """Tokens of each string, those that mark its ends included, after truncation."""
        if self.serve:
            self._kept = dict(zip(strings, self._rows(strings), strict=True))
            return [len(self._kept[string]) for string in strings]
        starts = range(0, len(strings), PREPARED_AT_ONCE)
        return [n for start in starts for n in _counted(self._prepared(strings[start : start + PREPARED_AT_ONCE]))]

    def batch(self, strings: Sequence[str]) -> dict[str, Any]:
        """The tensors that the model takes for these strings, padded on its side to the longest of them."""
        import torch

        unknown = [string for string in strings if string not in self._kept]
        made = dict(zip(unknown, self._rows(unknown), strict=True)) if unknown else {}
        rows = [made[string] if string in made else self._kept[string] for string in strings]
        width = max(map(len, rows))
        ids = np.full((len(rows), width), self._tokenizer.pad_token_id or 0, np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(rows):
            place = slice(width - len(row), width) if self._tokenizer.padding_side == "left" else slice(0, len(row))
            ids[at, place], mask[at, place] = row, 1
        return {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask), "modality": "text"}

    def _rows(self, strings: Sequence[str]) -> list[Row]:
        found = self._tokenizer(
            list(strings),
            truncation=True,
            max_length=self._model.max_seq_length,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        return [np.asarray(row, np.int32) for row in found["input_ids"]]

    def _prepared(self, strings: Sequence[str]) -> Mapping[str, Any]:
        return dict(self._model.preprocess(list(strings)))

    def _agree(self) -> bool:
        """Whether the model prepares the probes as `batch` does."""
        from transformers import PreTrainedTokenizerBase

        if not isinstance(self._tokenizer, PreTrainedTokenizerBase):
            return False
        words = min(self._model.max_seq_length or LONGEST_PROBE, LONGEST_PROBE) + 2
        probes = [*PROBES, "word " * words]
        theirs, ours = self._prepared(probes), self.batch(probes)
        if not theirs.keys() <= OF_EACH_MODEL or theirs.get("modality") != "text":
            return False
        types = theirs.get("token_type_ids")
        return (types is None or not bool(types.any())) and all(
            theirs[name].shape == ours[name].shape and bool((theirs[name] == ours[name]).all())
            for name in ("input_ids", "attention_mask")
        )


def _counted(prepared: Mapping[str, Any]) -> list[int]:
    """Tokens of each text in what was prepared: by its mask, or by where each text begins in one long row."""
    if "attention_mask" in prepared:
        return [int(n) for n in prepared["attention_mask"].sum(dim=1)]
    ends = [*prepared["offsets"].tolist()[1:], len(prepared["input_ids"])]
    return [int(end - start) for start, end in zip(prepared["offsets"].tolist(), ends, strict=True)]
