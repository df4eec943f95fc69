"""Writing: items are edited in place, checked as one types, saved without overwriting anybody, and run at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.errors import EngineError
from ui import blocks
from ui.blocks import Quoted, Strong
from ui.formats import counted
from ui.reads import triplets
from ui.reads.triplets import StoredSet
from ui.selectors import pick_one
from ui.triplet_draft import Draft, draft_of, drop_draft, keep_draft, kept_draft, unsaved, was_seen
from ui.triplet_exchange import show_export, show_import
from ui.triplet_form import forget_fields, show_form
from ui.triplet_run import show_run
from ui.triplet_second import show_second_speaker
from ui.triplet_selection import SET

NEW = "new item"
EDIT = "edit"
_DIGESTS, _SAID, _AUTHOR = "_triplet_digests", "_triplet_said", "_triplet_author"
LEVELS = {"error": "mend this: ", "warning": "look again: ", "hint": "note: "}


def show_write(finding: DeltaGenerator) -> tuple[str, ...]:
    """Draws the editor of a set; returns the command that runs it."""
    name, is_draft_of_visitor = _pick_set()
    if not name:
        with finding:
            blocks.show_finding("Give yourself a name to write drafts of your own, or a set a name to begin it.")
        return ()
    stored = triplets.stored_set(name)
    _show_rejects(stored)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=330):
            left_over = [each for each in unsaved(name) if each != NEW and each not in stored.ids]
            key = pick_one("Item", [NEW, *stored.ids, *left_over], parameter=EDIT)
        buttons = st.container(horizontal=True, gap="small", width="content")
    begun = draft_of(stored.items[stored.ids.index(key)]) if key in stored.ids else _empty(stored)
    if key in left_over:
        blocks.show_note(
            Quoted(key), " is no longer in the file; what you wrote is still here, and saving adds it anew."
        )
    draft = show_form(name, key, begun)
    with finding:
        blocks.show_finding(*_finding(stored))
    digest = _digest(stored, key, has_changes=draft != begun)
    can_save = _show_checks(draft, stored, key)
    _show_buttons(buttons, stored, key, draft, digest)
    _show_save(stored, key, draft, digest, can_save=can_save and draft != begun)
    if not is_draft_of_visitor:
        show_run(name, draft.item_id if draft == begun and key != NEW else None)
    with st.expander("Bring items: CSV, TSV or JSON Lines"):
        show_import(stored)
    with st.expander("Take items along"):
        show_export(stored)
    with st.expander("Ask a second speaker"):
        show_second_speaker(stored)
    return () if is_draft_of_visitor else (f"python -m engine show triplet-tests --set {name}",)


def _pick_set() -> tuple[str, bool]:
    """The set to write in: for visitors of a read-only dashboard their own drafts, under a name."""
    if triplets.is_readonly():
        blocks.show_note("This dashboard is read-only: what you write goes into a file of your own drafts.")
        visitor = st.text_input("Your name", key="visitor", placeholder="letters, digits and hyphens")
        return (triplets.visitors_set(visitor), True) if visitor else ("", True)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=260):
            names = triplets.set_names()
            name = pick_one("Set", names, parameter=SET) if names else ""
        with st.container(width="content"), st.popover("New set", icon=":material/add:", width="content"):
            begun = st.text_input("Name of the new set", key="new-set", placeholder="my-items")
            st.button("Begin it", key="begin-set", disabled=not begun, on_click=_begin_set, args=(begun,))
    _show_said()
    return name, False


def _begin_set(name: str) -> None:
    try:
        triplets.begin_set(name)
    except EngineError as error:
        st.session_state[_SAID] = ("error", str(error))
    else:
        st.session_state[SET], st.session_state[EDIT] = name, NEW


def _show_said() -> None:
    """Draws once what came of the last click."""
    kind, words = st.session_state.pop(_SAID, ("", ""))
    if kind == "error":
        blocks.show_error(words)
    elif words:
        st.toast(words, icon=":material/check:")


def _finding(stored: StoredSet) -> blocks.Sentence:
    drafts = sum(item.get("status") == "draft" for item in stored.items)
    open_drafts = unsaved(stored.name)
    said: list[blocks.Part] = [
        Quoted(stored.name), " has ", Strong(counted(len(stored.items), "item")), f", {drafts} of them drafts that a "
        "speaker has not confirmed",
    ]  # fmt: skip
    if open_drafts:
        said += ["; not saved yet: ", Quoted(", ".join(open_drafts))]
    return [*said, "."]


def _show_rejects(stored: StoredSet) -> None:
    for line, reason in stored.rejects:
        blocks.show_note(f"Line {line} of the file is left as it is: ", Quoted(reason))


def _empty(stored: StoredSet) -> Draft:
    """A new item, in the language of the last one, by whoever has written one here before."""
    last = stored.items[-1] if stored.items else {}
    return Draft(language=str(last.get("language", "")), author=st.session_state.get(_AUTHOR, ""))


def _digest(stored: StoredSet, key: str, *, has_changes: bool) -> str:
    """The file's digest when writing this item began; the present one while nothing is written."""
    digests: dict[tuple[str, str], str] = st.session_state.setdefault(_DIGESTS, {})
    if not has_changes:
        digests.pop((stored.name, key), None)
        return stored.digest
    return digests.setdefault((stored.name, key), stored.digest)


def _show_checks(draft: Draft, stored: StoredSet, key: str) -> bool:
    """Draws what is amiss; True where nothing forbids saving."""
    if draft == _empty(stored):
        return False
    problems = triplets.problems(draft.as_item(), stored, key)
    for problem in problems:
        blocks.show_note(Strong(LEVELS[problem.level]), Quoted(problem.words))
    if not problems:
        blocks.show_caption("No check complains")
    return not any(problem.level == "error" for problem in problems)


def _show_buttons(place: DeltaGenerator, stored: StoredSet, key: str, draft: Draft, digest: str) -> None:
    is_new = key not in stored.ids
    with place:
        st.button("Copy", key="copy-item", disabled=is_new, on_click=_copy, args=(stored.name, draft))
        with st.popover("Delete", disabled=is_new, width="content"):
            blocks.show_text("Delete ", Quoted(key), " from ", Quoted(stored.name), "?")
            st.button("Yes, delete it", key="delete-item", on_click=_delete, args=(stored, key, digest))


def _copy(set_name: str, draft: Draft) -> None:
    forget_fields(set_name, NEW)
    copied = replace(draft, item_id=f"{draft.item_id}-copy", kept=None, status="draft")
    keep_draft(set_name, NEW, copied)
    st.session_state[EDIT] = NEW


def _delete(stored: StoredSet, key: str, digest: str) -> None:
    items = [item for item in stored.items if item["id"] != key]
    if _saved(stored, items, digest, f"{key} is deleted"):
        _forget(stored.name, key)
        st.session_state[EDIT] = NEW


def _show_save(stored: StoredSet, key: str, draft: Draft, digest: str, *, can_save: bool) -> None:
    if digest != stored.digest:
        blocks.show_note(
            "The file was changed meanwhile by somebody else; nothing is overwritten, and what you wrote is still here."
        )
        st.button("Take over the new file and keep my text", key="rebase", on_click=_rebase, args=(stored.name, key))
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Save", key="save-item", type="primary", disabled=not can_save, on_click=_save,
            args=(stored, key, draft, digest),
        )  # fmt: skip
        has_changes = kept_draft(stored.name, key) is not None
        st.button("Throw away", key="drop-item", disabled=not has_changes, on_click=_forget, args=(stored.name, key))


def _rebase(set_name: str, key: str) -> None:
    st.session_state[_DIGESTS].pop((set_name, key), None)


def _save(stored: StoredSet, key: str, draft: Draft, digest: str) -> None:
    item = draft.as_item()
    seen = key != NEW and (was_seen(stored.name, key) or triplets.has_outcome(stored.name, key))
    written = "after" if seen or item.get("written") == "after" else "before"
    items = with_item(stored.items, key, {**item, "written": written})
    if _saved(stored, items, digest, f"{item['id']} is saved"):
        _forget(stored.name, key)
        st.session_state[EDIT] = item["id"]
        if key == NEW:
            st.session_state[_AUTHOR] = draft.author


def with_item(items: Sequence[Mapping[str, Any]], key: str, item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items with one in its old place, or at the end where it is new or its place is gone."""
    if all(each["id"] != key for each in items):
        return [*items, item]
    return [item if each["id"] == key else each for each in items]


def _saved(stored: StoredSet, items: Sequence[Mapping[str, Any]], digest: str, words: str) -> bool:
    try:
        triplets.save(stored.name, items, digest)
    except EngineError as error:
        st.session_state[_SAID] = ("error", str(error))
        return False
    st.session_state[_SAID] = ("done", words)
    return True


def _forget(set_name: str, key: str) -> None:
    drop_draft(set_name, key)
    forget_fields(set_name, key)
    st.session_state.get(_DIGESTS, {}).pop((set_name, key), None)
