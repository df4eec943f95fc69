"""The one window from the app to the engine, and the only place that caches.

A cache is keyed on the snapshot's id and small frozen questions, never on frames; what comes back is shared by all
visitors and must not be changed in place. An argument that begins with `_` takes no part in the key.
"""

from __future__ import annotations

from engine.inbox import Request
from ui.reads.leaderboard import (
    board,
    leaderboard,
    leaderboard_options,
    leaderboard_sources,
    prompt_freedom,
    published_boards,
)
from ui.reads.prompts import (
    best_prompts,
    chosen_prompts,
    prompt_distributions,
    prompt_limit,
    prompt_options,
    prompt_readings,
    prompt_sources,
)
from ui.reads.requests import ask, offer, requests, why_nothing_can_be_asked
from ui.reads.snapshots import (
    answered,
    kept_snapshots,
    model_names,
    overview,
    provenance,
    settings,
    shown_snapshot_id,
    snapshot,
)

__all__ = [
    "Request",
    "answered",
    "ask",
    "best_prompts",
    "board",
    "chosen_prompts",
    "kept_snapshots",
    "leaderboard",
    "leaderboard_options",
    "leaderboard_sources",
    "model_names",
    "offer",
    "overview",
    "prompt_distributions",
    "prompt_freedom",
    "prompt_limit",
    "prompt_options",
    "prompt_readings",
    "prompt_sources",
    "provenance",
    "published_boards",
    "requests",
    "settings",
    "shown_snapshot_id",
    "snapshot",
    "why_nothing_can_be_asked",
]
