"""The form of one item: base, same meaning, look-alikes with glosses; what is typed is kept and checked at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from ui import blocks
from ui.keystrokes import show_keystrokes
from ui.reads import triplets
from ui.triplet_draft import SOURCES, Draft, Text, keep_draft, kept_draft
from ui.triplet_words import has_joiners, text_html

STATUSES = ("draft", "reviewed")
SIDES = {
    "positives": ("Same meaning", "a text that says the same"),
    "negatives": ("Looks alike, means something else", "a text that looks alike"),
}


def field_key(set_name: str, key: str, field: str) -> str:
    """The widget of a field of a draft."""
    return f"draft/{set_name}/{key}/{field}"


def forget_fields(set_name: str, key: str) -> None:
    """Empties the widgets of a draft, so that they begin anew from what is stored."""
    prefix = field_key(set_name, key, "")
    for name in [name for name in st.session_state if str(name).startswith(prefix)]:
        del st.session_state[name]


def show_form(set_name: str, key: str, begun: Draft) -> Draft:
    """Draws the form; returns what it holds now. What differs from `begun` is kept until it is saved.

    Args:
        set_name: The set that the item belongs to.
        key: The item's place in the drafts: its stored id, or the word for a new one.
        begun: What the form begins with.
    """
    shown = kept_draft(set_name, key) or begun
    with st.container(key="write-form", gap="small"):
        show_keystrokes("write-form")
        draft = _head(set_name, key, shown)
        for side in SIDES:
            draft = draft.with_side(side, _candidates(set_name, key, side, draft))
        draft = _details(set_name, key, draft)
    _show_joiners(draft)
    if draft != begun:
        keep_draft(set_name, key, draft)
    return draft


def _text(set_name: str, key: str, field: str, label: str, value: str, **more: Any) -> str:
    name = field_key(set_name, key, field)
    st.session_state.setdefault(name, value)
    return st.text_input(label, key=name, **more) or ""


def _choice(set_name: str, key: str, field: str, label: str, options: list[str], value: str, **more: Any) -> str:
    name = field_key(set_name, key, field)
    st.session_state.setdefault(name, value if value in options else None)
    chosen = st.selectbox(label, options, key=name, **more)
    return chosen or ""


def _head(set_name: str, key: str, shown: Draft) -> Draft:
    names = triplets.language_names()
    typed = st.session_state.get(field_key(set_name, key, "language")) or shown.language
    codes = list(dict.fromkeys([*([typed] if typed else []), *names]))
    with st.container(horizontal=True, gap="small"):
        with st.container(width=170):
            item_id = _text(set_name, key, "id", "Id", shown.item_id, placeholder="ml-001")
        with st.container(width=230):
            language = _choice(
                set_name, key, "language", "Language", codes, shown.language, accept_new_options=True,
                format_func=lambda code: f"{names[code]} ({code})" if code in names else code,
                placeholder="choose or type",
            )  # fmt: skip
    left, right = st.columns([3, 2])
    with left:
        anchor = _text(set_name, key, "anchor", "Base", shown.anchor, placeholder="the text to compare with")
    with right:
        gloss = _text(set_name, key, "anchor_gloss", "In other words", shown.anchor_gloss, placeholder="gloss")
    return replace(shown, item_id=item_id, language=language, anchor=anchor, anchor_gloss=gloss)


def _candidates(set_name: str, key: str, side: str, draft: Draft) -> tuple[Text, ...]:
    title, placeholder = SIDES[side]
    found = []
    for number, row in enumerate(draft.side(side)):
        hidden = "visible" if number == 0 else "collapsed"
        left, right = st.columns([3, 2])
        with left:
            text = _text(
                set_name, key, f"{side}/{number}/text", title if number == 0 else f"{title} {number + 1}", row.text,
                placeholder=placeholder, label_visibility=hidden,
            )  # fmt: skip
        with right:
            gloss = _text(
                set_name, key, f"{side}/{number}/gloss", "Gloss" if number == 0 else f"{title} {number + 1}, gloss",
                row.gloss, placeholder="gloss", label_visibility=hidden,
            )  # fmt: skip
        found.append(Text(text, gloss))
    st.button(
        "Another one", key=f"more/{side}", icon=":material/add:", type="tertiary", on_click=_add,
        args=(set_name, key, draft.with_side(side, tuple(found)), side),
    )  # fmt: skip
    return tuple(found)


def _add(set_name: str, key: str, draft: Draft, side: str) -> None:
    keep_draft(set_name, key, draft.with_more(side))


def _details(set_name: str, key: str, draft: Draft) -> Draft:
    with st.container(horizontal=True, gap="small"):
        with st.container(width=190):
            phenomenon = _text(set_name, key, "phenomenon", "Phenomenon", draft.phenomenon, placeholder="negation")
        with st.container(width=150):
            source = _choice(set_name, key, "source", "Source", list(SOURCES), draft.source)
        with st.container(width=150):
            status = _choice(set_name, key, "status", "Status", list(STATUSES), draft.status)
        with st.container(width=190):
            author = _text(set_name, key, "author", "Author", draft.author)
    note = _text(set_name, key, "note", "Note", draft.note)
    return replace(draft, phenomenon=phenomenon, source=source, status=status, author=author, note=note)


def _show_joiners(draft: Draft) -> None:
    texts = [draft.anchor, *(each.text for each in (*draft.positives, *draft.negatives))]
    if has_joiners(texts) and st.toggle("Show joiners", key="joiners-write"):
        lines = "".join(f"<p>{text_html(text, joiners=True)}</p>" for text in texts if has_joiners([text]))
        st.html(f'<div class="sl-prose">{lines}</div>')
        blocks.show_caption("ZWJ and ZWNJ are part of the writing, not mistakes")
