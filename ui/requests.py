"""What a page may ask of the engine: a button that says size and time first, and how far the answer is.

A request is a file that a background process picks up; the page only watches, and may be closed at any time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from ui import blocks, formats, reads
from ui.reads import Request

WATCH_EVERY_SECONDS = 2.0
MOST_SHOWN = 3


@dataclass(frozen=True)
class Proposal:
    """One thing that visitors can ask for: what it brings, what it costs, and the command that does the same."""

    kind: str
    title: str
    brings: str
    costs: str
    """size and time, said before anything starts"""
    command: str
    options: Mapping[str, str] = field(default_factory=dict)


DEMO = Proposal(
    "demo",
    "Run the demo",
    "Scores bundled models on small local tasks under about a dozen prompts each.",
    "Nothing to download · under 4 minutes on 2 cores · resumes where it was",
    "python -m engine demo",
)
BUILD = Proposal(
    "build",
    "Rebuild",
    "Reads what changed in the sources and publishes a new snapshot.",
    "Nothing to download · seconds to a minute",
    "python -m engine build",
)


def _fetch(what: str, *, full: bool = False) -> Proposal:
    offer = reads.offer(what, full=full)
    return Proposal(
        "fetch",
        f"Fetch {offer.source_name}",
        f"{offer.title[:1].upper()}{offer.title[1:]}.",
        f"{offer.size} · {offer.time} · from {offer.origin}",
        f"python -m engine fetch {what}{' --full' if full else ''}",
        {"what": what, "full": "yes"} if full else {"what": what},
    )


def proposals() -> list[Proposal]:
    """All that can be asked for, the nearest at hand first."""
    return [DEMO, _fetch("prompt-study"), _fetch("mteb-results"), _fetch("mteb-results", full=True), BUILD]


def show_proposals() -> None:
    """Draws all proposals as cards; their buttons are off, with the reason, where nobody can answer."""
    _show_cards(proposals())


def show_rebuild() -> None:
    """Draws the one proposal that helps where a snapshot cannot be read."""
    _show_cards([BUILD])


def _show_cards(shown: Sequence[Proposal]) -> None:
    obstacle = reads.why_nothing_can_be_asked()
    if obstacle:
        blocks.show_note(obstacle)
    with st.container(key="cards-proposals"):
        for proposal in shown:
            _show_proposal(proposal, is_off=bool(obstacle))


def _show_proposal(proposal: Proposal, *, is_off: bool) -> None:
    with st.container(border=True, key=f"card-{proposal.title}"):
        blocks.show_heading(proposal.title, proposal.brings)
        blocks.show_caption(proposal.costs)
        blocks.show_engine_line(proposal.command)
        if st.button("Start", key=f"ask-{proposal.title}", disabled=is_off):
            reads.ask(proposal.kind, proposal.options)
            st.rerun()


def show_progress() -> None:
    """Draws open and freshly finished requests, and keeps itself up to date while one is open."""
    is_open = any(request.is_open for request in reads.requests())
    st.fragment(_show_requests, run_every=WATCH_EVERY_SECONDS if is_open else None)(is_open)


def _show_requests(was_open: bool) -> None:
    requests = reads.requests()
    for request in requests[-MOST_SHOWN:]:
        _show_request(request)
    if was_open and not any(request.is_open for request in requests):
        # The answer may be a new snapshot: the whole page reads it.
        st.rerun(scope="app")


def _show_request(request: Request) -> None:
    status = request.status
    said = [
        str(each["name"]) if isinstance(each, dict) and "name" in each else each for each in request.options.values()
    ]
    subject = " ".join([request.kind.value, *(word for word in said if isinstance(word, str))])
    words = [f"{subject}: {status.state.value}", status.stage]
    if request.is_open and status.total:
        words.append(formats.of(status.done, status.total))
        words.append(f"about {formats.seconds(status.seconds_left)} left" if status.seconds_left else "")
    words.append(status.message)
    blocks.show_note(blocks.Quoted(" · ".join(word for word in words if word)))
    if request.is_open and status.total:
        st.progress(min(status.done / status.total, 1.0))
