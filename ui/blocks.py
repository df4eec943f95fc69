"""The pieces that pages are put together from: sentence, key, figure, table, caption, and the designed empty states.

Whatever a user, a model card or a prompt says is data: it is escaped and direction-isolated here, and never read as
Markdown, HTML or mathematics.
"""

from __future__ import annotations

import html
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from engine.analysis.sentences import Segment
from ui import state
from ui.charts.theme import GLYPHS, PALETTES, Palette, css_variables
from ui.navigation import PAGES
from ui.pictures import show_save_buttons

if TYPE_CHECKING:
    from ui.charts.theme import Figure

PAGES_FOLDER = Path(__file__).resolve().parent.parent / "pages"
ICON = Path(__file__).parent / "icon.svg"
NOTHING_PUBLISHED = ("No scores were published in this data folder yet, so there is nothing to measure.",)
STYLE = (Path(__file__).parent / "style.css").read_text("utf-8")
MarkName = Literal["dot", "band", "tick", "ring", "square", "high", "typical", "low"]


@dataclass(frozen=True)
class Strong:
    """A figure or name that carries the sentence."""

    text: str


@dataclass(frozen=True)
class Quoted:
    """Text that a user, a prompt or a model card wrote: shown as it is, its direction kept to itself."""

    text: str


Part = str | Strong | Quoted
Sentence = Sequence[Part]


def sentence_html(parts: Sentence) -> str:
    """HTML of a sentence, everything escaped."""
    return "".join(_part_html(part) for part in parts)


def _part_html(part: Part) -> str:
    match part:
        case Strong(text):
            return f"<b>{html.escape(text)}</b>"
        case Quoted(text):
            return f'<bdi class="sl-user">{html.escape(text)}</bdi>'
        case text:
            return html.escape(text)


def sentence_text(parts: Sentence) -> str:
    """The sentence as plain text, for screen readers and file descriptions."""
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def parts_of(sentence: Iterable[Segment]) -> Sentence:
    """An analysis's sentence as parts to draw."""
    return tuple(_part_of(segment) for segment in sentence)


def _part_of(segment: Segment) -> Part:
    if segment.strong:
        return Strong(segment.text)
    return Quoted(segment.text) if segment.foreign else segment.text


def palette() -> Palette:
    """The palette of the theme that the visitor sees."""
    return PALETTES["dark" if st.context.theme.type == "dark" else "light"]


def apply_style() -> None:
    """Puts the one style sheet of all pages in place, with the colours of both themes."""
    st.html(f"<style>.stApp{{{css_variables()}}}\n{STYLE}</style>")


def show_title(text: str) -> None:
    """Draws the page's title."""
    st.title(text, anchor=False)


def _show_paragraph(kind: str, parts: Sentence) -> None:
    st.html(f'<p class="sl-{kind}">{sentence_html(parts)}</p>')


def show_finding(*parts: Part) -> None:
    """Draws the one sentence that says the finding of the current selection."""
    _show_paragraph("finding", parts)


def show_text(*parts: Part) -> None:
    """Draws a paragraph that may hold foreign text."""
    _show_paragraph("prose", parts)


def show_caption(*notes: str) -> None:
    """Draws snapshot, sources and versions behind the page, and what was left out; empty notes are skipped."""
    _show_paragraph("caption", [" · ".join(note for note in notes if note)])


@dataclass(frozen=True)
class KeyEntry:
    """One mark of a picture and what it means."""

    mark: MarkName
    words: str


def show_key(*entries: KeyEntry) -> None:
    """Draws the line above a picture that says what its marks mean."""
    items = "".join(f"<span>{_mark_html(entry.mark)}{html.escape(entry.words)}</span>" for entry in entries)
    st.html(f'<div class="sl-key">{items}</div>')


def _mark_html(mark: MarkName) -> str:
    character = GLYPHS[mark].character if mark in GLYPHS else ""
    return f'<span class="sl-mark sl-mark-{mark}" aria-hidden="true">{character}</span>'


def show_heading(title: str, *explanation: Part) -> None:
    """Draws a picture's title, and below it one line that says what width, height and mark mean."""
    below = f'<p class="sl-explanation">{sentence_html(explanation)}</p>' if explanation else ""
    st.html(f'<h3 class="sl-heading">{html.escape(title)}</h3>{below}')


def show_figure(
    figure: Figure,
    *,
    name: str,
    alt: Sentence,
    settings: Mapping[str, str],
    selectable: bool = False,
    on_select: Any = "rerun",
) -> Any:
    """Draws a Plotly figure with its buttons for SVG and PNG; returns the selection where `selectable`.

    Args:
        figure: what to draw; colours of marks only, the theme fills in the rest.
        name: stem of the files and of the container's key; unique on the page.
        alt: the finding sentence, which screen readers get in place of the picture.
        settings: what was chosen, with the snapshot; goes into the files.
        selectable: clicks on points come back; put ids into `customdata`.
        on_select: what a click does where `selectable`: a rerun, or a callback.
    """
    container_key = f"picture-{name}"
    with st.container(key=container_key, gap="xxsmall"):
        state = st.plotly_chart(
            figure,
            key=f"figure-{name}",
            theme="streamlit",
            alt=sentence_text(alt),
            config={"displayModeBar": False},
            on_select=on_select if selectable else "ignore",
            selection_mode="points",
        )
        show_picture_downloads(container_key, name=name, alt=alt, settings=settings)
    return state if selectable else None


def show_picture_downloads(container_key: str, *, name: str, alt: Sentence, settings: Mapping[str, str]) -> None:
    """Draws the buttons that save the picture in a keyed container; call it inside that container."""
    described = "; ".join(f"{key}: {value}" for key, value in settings.items())
    show_save_buttons(container_key, name=f"scorelens-{name}", title=sentence_text(alt), description=described)


def engine_command(analysis: str, options: Mapping[str, str | Sequence[str]], *flags: str) -> str:
    """The `engine show` line that remakes a page's numbers, quoted for a shell; what is empty is left out."""
    words = ["python", "-m", "engine", "show", analysis]
    for option, value in options.items():
        for each in [value] if isinstance(value, str) else value:
            if each:
                words += [f"--{option}", each]
    words += [f"--{flag}" for flag in flags if flag]
    return shlex.join(words)


def show_engine_line(*commands: str) -> None:
    """Draws the commands that give the same numbers in a terminal, one a line."""
    st.code("\n".join(commands), language=None, wrap_lines=True)


def show_reading(stem: str, section: str = "reading") -> None:
    """Draws “How to read this” from the page's `text.md`, closed."""
    with st.expander("How to read this"):
        st.markdown(prose(stem)[section])


def prose(stem: str) -> dict[str, str]:
    """The sections of a page's `text.md` by their heading, in small letters."""
    written = (PAGES_FOLDER / stem / "text.md").read_text("utf-8")
    sections = (block.partition("\n") for block in ("\n" + written).split("\n## ")[1:])
    return {heading.strip().lower(): body.strip() for heading, _, body in sections}


def show_empty(title: str, *explanation: Part, command: str = "") -> None:
    """Draws a designed empty state: what is not there, why, and the command that brings it."""
    with st.container(border=True):
        show_heading(title, *explanation)
        if command:
            show_engine_line(command)


def show_note(*parts: Part) -> None:
    """Draws a remark that the reader must not miss, such as mixed versions or a value that is gone."""
    st.html(f'<p class="sl-note" role="note">{sentence_html(parts)}</p>')


def show_error(message: str) -> None:
    """Draws an engine's message as an error box; no traceback, nothing in it is rendered."""
    st.html(f'<p class="sl-note sl-error" role="alert">{html.escape(message)}</p>')


def not_measured(what: str, *, how: str) -> tuple[Part, ...]:
    """The sentence for a figure that nobody has measured yet, with the way to get it."""
    return (Strong(f"{what}: not measured yet. "), how)


def show_no_snapshot() -> None:
    """Draws, below a page's title, that there is nothing to read, and the way to data."""
    show_finding(*NOTHING_PUBLISHED)
    show_text("The demo measures bundled models on small local tasks; it needs neither a network nor a model hub.")
    show_engine_line("python -m engine demo")
    st.page_link(PAGES[0].path, label="The overview has the other ways to get data")


def show_remembered_notes(current_snapshot: str | None) -> None:
    """Draws, above the page, values of the address that do not exist here, and that newer data took over."""
    for note in state.unknown_values():
        why = "is gone" if note.parameter == state.SNAPSHOT_PARAMETER else "is no choice here"
        show_note(Quoted(f"{note.parameter}={note.value}"), f" {why}; showing ", Quoted(note.instead), " instead.")
    before = state.moved_from(current_snapshot)
    if current_snapshot and before is not None:
        was = f"it was {before}" if before else "nothing was published"
        show_note(f"New results since you last looked: this is snapshot {current_snapshot}; before, {was}.")
