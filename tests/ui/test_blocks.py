import shlex

import pytest
from streamlit.testing.v1 import AppTest

from ui import blocks
from ui.blocks import Quoted, Strong

HOSTILE = "<b>x</b><br>%{y} costs $5 to $9 *a* [l](u) `c` \u0639\u0631\u0628\u064a a\nb"


def test_sentence_escapes_all_parts_and_isolates_quoted_ones():
    written = blocks.sentence_html(["a < b ", Strong("<1>"), Quoted(HOSTILE)])
    assert written.startswith("a &lt; b <b>&lt;1&gt;</b>")
    assert '<bdi class="sl-user">&lt;b&gt;x&lt;/b&gt;&lt;br&gt;%{y} costs $5' in written


def test_sentence_text_is_what_a_screen_reader_says():
    assert blocks.sentence_text(["In ", Strong("47 of 66"), " cells of ", Quoted("<b>")]) == "In 47 of 66 cells of <b>"


def test_engine_command_survives_a_shell():
    options = {"source": "prompt study", "task": ["a'b", "$(rm)"], "model": "", "reference": "same-harness"}
    words = shlex.split(blocks.engine_command("prompt-distributions", options))
    assert words[:5] == ["python", "-m", "engine", "show", "prompt-distributions"]
    assert words[5:] == ["--source", "prompt study", "--task", "a'b", "--task", "$(rm)", "--reference", "same-harness"]


@pytest.mark.parametrize("stem", ["overview", "methods"])
def test_prose_has_the_section_that_tells_how_to_read_the_page(stem):
    assert blocks.prose(stem)["reading"]


def _page():
    from ui import blocks
    from ui.blocks import KeyEntry, Quoted, Strong

    hostile = "<b>x</b><br>%{y} costs $5 to $9 *a*"
    blocks.show_finding("Prompt ", Quoted(hostile), " scores ", Strong("57.6"), ".")
    blocks.show_key(KeyEntry("high", "above the 90th: high <inflated>"), KeyEntry("band", "10th to 90th"))
    blocks.show_empty("No prompts", "Nothing ran with ", Quoted(hostile), command="python -m engine demo")
    blocks.show_error(f"Seen {hostile}; expected a name.")
    blocks.show_caption("Snapshot 0001", "", "3 runs left out")


def test_blocks_draw_foreign_text_as_text():
    at = AppTest.from_function(_page).run()
    assert not at.exception
    finding, key, empty, error, caption = (element.proto.body for element in at.get("html"))
    for drawn in (finding, empty, error):
        assert "&lt;b&gt;x&lt;/b&gt;&lt;br&gt;%{y} costs $5 to $9 *a*" in drawn and "<b>x" not in drawn
    assert "high &lt;inflated&gt;" in key and "▲" in key
    assert 'role="alert"' in error
    assert caption.endswith("Snapshot 0001 · 3 runs left out</p>")
    assert at.code[0].value == "python -m engine demo"
