"""Models kept loaded between requests, so that a small question is answered in the time that its texts take."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from engine.settings import Settings
from engine.study.file import ModelEntry
from engine.study.resolve import find_model
from engine.study.run import devices_of
from engine.sweep.devices import compute_on
from engine.sweep.encoders import Encoder
from engine.sweep.plan import SweepModel
from engine.sweep.vectors import VectorFile, VectorSource

MOST_MODELS = 3
"""Models in memory at a time: the one that was not asked for longest goes first."""

Encoders = Callable[[str], VectorSource]
"""From a model's name to its vectors."""


class WarmModels:
    """Loaded models by name, on one device, over the file of vectors; use it in a `with` block."""

    def __init__(self, settings: Settings, *, device: str = "auto", most: int = MOST_MODELS) -> None:
        self._settings = settings
        self._device = device
        self._most = most
        self._loaded: dict[tuple[str, str], Encoder] = {}
        self._file: VectorFile | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()

    def __call__(self, model_name: str) -> VectorSource:
        """The vectors of a model; what it remembers in memory is of this call alone.

        Raises:
            ModelUnavailable: There is no such model here.
        """
        if self._file is None:
            self._file = VectorFile(self._settings.vectors / "vectors.sqlite")
        return VectorSource(self.encoder(self.model(model_name)), self._file)

    def model(self, model_name: str) -> SweepModel:
        """The model of that name.

        Raises:
            ModelUnavailable: There is no such model here.
        """
        return find_model(self._settings, ModelEntry(model_name))

    def encoder(self, model: SweepModel) -> Encoder:
        """The loaded model."""
        key = model.name, model.revision
        encoder = self._loaded.pop(key, None) or model.load(compute_on(devices_of(self._device)[0], "auto"))
        while len(self._loaded) >= self._most:
            del self._loaded[next(iter(self._loaded))]
        self._loaded[key] = encoder
        return encoder
