"""Texts of prompts are data: no page reads them as HTML, Markdown, mathematics or a template."""

import json

import pytest

from tests.pages.result_trees import HOSTILE_PROMPTS

VIEWS = [
    ("overview", {}),
    ("methods", {"view": "Prompts"}),
    ("methods", {"view": "Default prompts"}),
    ("prompt_distributions", {"view": "Distributions"}),
    ("prompt_distributions", {"view": "Distributions", "task": "STS14"}),
    ("prompt_distributions", {"view": "Distributions", "model": "acme/tiny-embed"}),
    ("prompt_distributions", {"view": "Place of the reference"}),
    ("prompt_distributions", {"view": "Variation"}),
    ("prompt_distributions", {"view": "Kinds of prompt"}),
    ("prompt_distributions", {"search": "<b>x</b>"}),
]
RENDERED = ("<b>x</b>", "<script>alert", "<br>%{y}")
"""Pieces of the hostile prompts that must never stand unescaped where HTML is read."""
READ_AS_MARKDOWN = ("markdown", "caption", "title", "header", "subheader", "info", "warning", "error", "success")

every_view = pytest.mark.parametrize(("stem", "parameters"), VIEWS, ids=lambda value: "-".join(str(value).split()))


@every_view
def test_no_prompt_is_read_as_html(stem, parameters, hand_made_store, visitor):
    at = visitor(hand_made_store).open(stem, **parameters)
    for element in at.get("html"):
        assert not [piece for piece in RENDERED if piece in element.proto.body]


@every_view
def test_no_prompt_is_read_as_markdown_or_mathematics(stem, parameters, hand_made_store, visitor):
    at = visitor(hand_made_store).open(stem, **parameters)
    for kind in READ_AS_MARKDOWN:
        for element in at.get(kind):
            assert not [prompt for prompt in HOSTILE_PROMPTS if len(prompt) > 4 and prompt in element.value]


@every_view
def test_no_prompt_is_read_as_markup_by_a_figure(stem, parameters, hand_made_store, visitor):
    at = visitor(hand_made_store).open(stem, **parameters)
    for chart in at.get("plotly_chart"):
        drawn = json.dumps(json.loads(chart.proto.spec), ensure_ascii=False)
        assert not [piece for piece in RENDERED if piece in drawn]
