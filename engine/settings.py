"""Where things lie: the one place that reads the environment.

| variable             | meaning                                                     | default       |
|----------------------|-------------------------------------------------------------|---------------|
| `SCORELENS_DATA`     | folder of snapshots, results, requests, vectors             | `data/`       |
| `SCORELENS_ADDRESS`  | address that the dashboard binds to                         | `127.0.0.1`   |
| `SCORELENS_PORT`     | port of the dashboard                                       | `8501`        |
| `SCORELENS_READONLY` | `1` = visitors may look, nothing may be asked of the engine | `0`           |
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from engine.errors import UsageError

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Settings:
    """Paths of one data folder and the address of its dashboard."""

    data: Path
    address: str = "127.0.0.1"
    port: int = 8501
    readonly: bool = False

    @property
    def snapshots(self) -> Path:
        """Folder of published stores and of the pointer `CURRENT`."""
        return self.data / "snapshots"

    @property
    def sources_file(self) -> Path:
        """The registry of sources: a JSON list of name, path and kind."""
        return self.data / "sources.json"

    @property
    def results(self) -> Path:
        """Result trees that our own sweeps wrote, one folder a sweep."""
        return self.data / "results"

    @property
    def requests(self) -> Path:
        """What pages asked of the engine, and how far it is."""
        return self.data / "requests"

    @property
    def heartbeat(self) -> Path:
        """Says when the worker was last alive."""
        return self.data / "worker.heartbeat"

    @property
    def vectors(self) -> Path:
        """Embeddings kept for reuse."""
        return self.data / "vectors"

    @property
    def models(self) -> Path:
        """Model folders unpacked from packages."""
        return self.data / "models"

    @property
    def metadata(self) -> Path:
        """Task, benchmark and model metadata from mteb, one folder a version of mteb."""
        return self.data / "metadata"

    @property
    def downloads(self) -> Path:
        """What `fetch` brought from elsewhere."""
        return self.data / "downloads"

    @property
    def prompts(self) -> Path:
        """Prompt files that are kept with the project, then those of this data folder."""
        return PROJECT / "data" / "prompts"

    @property
    def spellings(self) -> Path:
        """How codes of languages are spelled; kept with the project."""
        return PROJECT / "data" / "languages.jsonl"

    @property
    def corpora(self) -> Path:
        """Which tasks share a source corpus; kept with the project."""
        return PROJECT / "data" / "corpora.jsonl"

    @property
    def own_prompts(self) -> Path:
        """Prompt files of this data folder; they win over the project's."""
        return self.data / "prompts"


def from_environment() -> Settings:
    """The settings of this process, from the variables in the module's table.

    Raises:
        UsageError: `SCORELENS_PORT` is not a port number, or `SCORELENS_READONLY` neither 0 nor 1.
    """
    port = os.environ.get("SCORELENS_PORT") or "8501"
    readonly = os.environ.get("SCORELENS_READONLY") or "0"
    if readonly not in ("0", "1"):
        raise UsageError(f"SCORELENS_READONLY is {readonly!r}; expected 1 (visitors may only look) or 0.")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise UsageError(f"SCORELENS_PORT is {port!r}; expected a port from 1 to 65535. Unset it to use 8501.")
    data = Path(os.environ.get("SCORELENS_DATA") or PROJECT / "data").expanduser()
    return Settings(
        data=data.resolve(),
        address=os.environ.get("SCORELENS_ADDRESS") or "127.0.0.1",
        port=int(port),
        readonly=readonly == "1",
    )
