"""The elephant item and token counts against figures that were measured independently, read from the reference."""

import re
from gettext import GNUTranslations

import pytest

from engine.analysis.triplet_outcomes import TIE, WRONG, judge
from engine.demo.models import E5, MINILM, USE
from engine.demo.weights import package_folder
from engine.sweep.tokenizing import count_text
from engine.sweep.vectors import VectorFile, VectorSource
from engine.triplets.files import read_set
from engine.triplets.results import Roles
from engine.triplets.run import measure

ELEPHANT = "ml-01"
COSINES = 2e-3
"""What the issue allows a cosine to differ by."""
ROWS = [
    ("e5-q4 `query: `", E5, "query: "),
    ("e5-q4 `passage: `", E5, "passage: "),
    ("USE-v3", USE, None),
    ("MiniLM", MINILM, None),
]
FEWEST_WORDS = 3
NO_SENTENCE = re.compile("[%\x04]")
"""Placeholders, and messages whose meaning hangs on a context."""


@pytest.fixture(scope="module")
def reference(shared) -> str:
    return (shared / "reference" / "offline-models-and-data.md").read_text("utf-8")


@pytest.fixture
def elephant(settings):
    return next(item for item in read_set(settings, "starter").items if item.item_id == ELEPHANT)


@pytest.fixture
def line(elephant, tmp_path, demo_encoders):
    """What a model says of the elephant under one prompt for both roles."""

    def ask(name, prompt):
        with VectorFile(tmp_path / "vectors.sqlite") as file:
            source = VectorSource(demo_encoders[name], file)
            (found,) = measure(source, [elephant], Roles(prompt, prompt), tmp_path / "one.jsonl", again=True)
        return found

    return ask


def expected_cosines(reference: str, row: str) -> list[float]:
    """The positive's cosine, then the negatives', as the reference's table has them."""
    (cells,) = (line.split("|")[2:4] for line in reference.splitlines() if line.startswith(f"| {row} |"))
    return [float(number) for number in re.findall(r"\d\.\d{4}", " ".join(cells))]


def test_elephant_is_written_as_the_reference_has_it(elephant, reference):
    (said,) = re.findall(r"\(base (\S+), positive ([^)]+)\)", reference)
    (negatives,) = re.findall(r"confirm them: ([^\n]+?)\.\n", reference)
    assert list(elephant.texts) == [*said, *negatives.split(" / ")]
    assert elephant.status == "draft" and "confirm" in elephant.note


@pytest.mark.parametrize(("row", "name", "prompt"), ROWS)
def test_elephant_has_the_reference_cosines_in_their_order(line, reference, row, name, prompt):
    expected, found = expected_cosines(reference, row), line(name, prompt)
    values = [*found.positives, *found.negatives]
    assert len(expected) == 5 and values == pytest.approx(expected, abs=COSINES)
    apart = [(a, b) for a in range(5) for b in range(5) if expected[a] > expected[b] + 2 * COSINES]
    assert apart and all(values[a] > values[b] for a, b in apart)
    assert judge(found.positives, found.negatives, found.noise).outcome == WRONG


def test_positive_of_the_elephant_is_last_for_e5(line):
    for prompt in ("query: ", "passage: "):
        found = line(E5, prompt)
        assert judge(found.positives, found.negatives, found.noise).place == 5


def test_minilm_ties_exactly_where_the_reference_does(line, reference):
    expected, found = expected_cosines(reference, "MiniLM"), line(MINILM, None)
    tied = [value == expected[0] for value in expected[1:]]
    judged = judge(found.positives, found.negatives, found.noise)
    assert judged.n_tied == sum(tied) == 3
    others = [value for value, is_tied in zip(found.negatives, tied, strict=True) if is_tied]
    assert judge(found.positives, others, found.noise).outcome == TIE


@pytest.fixture(scope="module")
def messages() -> list[tuple[str, str]]:
    """Django's messages of three words or more, without placeholders or contexts: English and Malayalam."""
    pairs: dict[tuple[str, str], None] = {}
    for path in sorted(package_folder("django").glob("**/locale/ml/LC_MESSAGES/*.mo"), key=str):
        with path.open("rb") as file:
            catalogue = vars(GNUTranslations(file))["_catalog"]
        for english, malayalam in catalogue.items():
            is_text = isinstance(english, str) and malayalam and not NO_SENTENCE.search(english)
            if is_text and len(english.split()) >= FEWEST_WORDS:
                pairs[" ".join(english.split()), " ".join(malayalam.split())] = None
    return list(pairs)


def counted(encoder, texts):
    counts = [count_text(encoder, text) for text in texts]
    return (
        sum(each.tokens for each in counts),
        sum(each.special for each in counts),
        sum(each.unknown for each in counts),
    )


def test_malayalam_costs_e5_what_the_reference_counted(messages, reference, demo_encoders):
    """The reference leaves out the marks of a text's ends; with them, as the encoder reads, the ratio is lower."""
    (told,) = re.findall(r"(\d+) Django messages: e5 ([\d,]+) tokens in English, ([\d,]+) in Malayalam", reference)
    n_messages, english, malayalam = (int(number.replace(",", "")) for number in told)
    assert len(messages) == pytest.approx(n_messages, abs=1), "its list of messages is not known to the last one"
    ours = [counted(demo_encoders[E5], texts) for texts in zip(*messages, strict=True)]
    plain = [tokens - special for tokens, special, _ in ours]
    assert plain == [pytest.approx(english, rel=0.002), pytest.approx(malayalam, rel=0.002)]
    assert plain[1] / plain[0] == pytest.approx(malayalam / english, abs=0.005) == pytest.approx(1.5, abs=0.005)
    with_marks = ours[1][0] / ours[0][0]
    n = 2 * len(messages)
    assert with_marks == pytest.approx((malayalam + n) / (english + n), abs=0.01)
    assert with_marks < plain[1] / plain[0]


def test_minilm_cannot_read_the_reference_share_of_malayalam(messages, reference, demo_encoders):
    """Of the tokens that stand for text; with the marks of the ends counted in, it would be a seventh less."""
    (told,) = re.findall(r"MiniLM (\d+) % `\[UNK\]` in Malayalam", reference)
    tokens, special, unknown = counted(demo_encoders[MINILM], [malayalam for _, malayalam in messages])
    assert unknown / (tokens - special) == pytest.approx(int(told) / 100, abs=0.005)
    assert special == 2 * len(messages) and unknown / tokens < int(told) / 100 - 0.1
