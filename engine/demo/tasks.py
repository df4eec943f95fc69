"""The demo's four tasks, two rows each, made of texts that arrive with Python and with installed packages."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

from engine.demo.django_messages import messages
from engine.demo.home_assistant import Group, commands
from engine.demo.python_help import help_topics, questions
from engine.sweep.local_task import TRAINING_TEXTS, Labelled, LabelledText, LocalTask, Pair, Search

COMMAND_LABELS: tuple[Group, ...] = (
    ("HassTurnOn", "light"),
    ("HassTurnOff", "light"),
    ("HassTurnOn", "fan"),
    ("HassTurnOff", "fan"),
    ("HassClimateGetTemperature", ""),
    ("HassTimerStatus", ""),
)
"""The intents of which English and Malayalam have enough commands."""
TEST_TEXTS = 6

RIVALS: tuple[tuple[Group, Group], ...] = (
    (("HassMediaNext", ""), ("HassMediaPrevious", "")),
    (("HassPauseTimer", ""), ("HassUnpauseTimer", "")),
    (("HassMediaPlayerMute", ""), ("HassMediaPlayerUnmute", "")),
    (("HassLawnMowerStartMowing", ""), ("HassLawnMowerDock", "")),
    (("HassGetCurrentDate", ""), ("HassGetCurrentTime", "")),
    (("HassTurnOn", "light"), ("HassTurnOff", "light")),
    (("HassClimateGetTemperature", ""), ("HassGetWeather", "")),
)
"""Intents that are close to each other and must not be mixed up."""
COMMANDS_PER_INTENT = 3

BITEXT_MESSAGES = 32

HOME_ASSISTANT = "https://github.com/OHF-Voice/intents"


@cache
def local_tasks() -> tuple[LocalTask, ...]:
    """The four tasks."""
    return (python_help(), home_commands(), home_pairs(), django_bitext())


def python_help() -> LocalTask:
    """Retrieval: beginners' questions, and Python's own help."""
    subsets = tuple(dict.fromkeys(question.subset for question in questions()))
    return LocalTask(
        name="ScorelensPythonHelpRetrieval",
        task_type="Retrieval",
        main_score="ndcg_at_10",
        category="t2t",
        description="Find the help topic of Python that answers a beginner's question. Questions were written for this "
        "task and avoid the topics' words; documents are the first 600 characters of CPython's help topics.",
        languages={subset: ("eng-Latn",) for subset in subsets},
        content={subset: _search(subset) for subset in subsets},
        domains=("Programming", "Written"),
        sample_creation="created",
        annotations_creators=None,
        license="https://docs.python.org/3/license.html",
        reference="https://docs.python.org/3/reference/",
    )


def _search(subset: str) -> Search:
    asked = {f"{subset}-{n}": q for n, q in enumerate(q for q in questions() if q.subset == subset)}
    return Search(
        queries={name: question.question for name, question in asked.items()},
        documents={name: (topic.title, topic.text) for name, topic in help_topics().items()},
        relevant={name: question.topics for name, question in asked.items()},
    )


def home_commands() -> LocalTask:
    """Classification: what a spoken command wants."""
    languages = {"en": ("eng-Latn",), "ml": ("mal-Mlym",)}
    return LocalTask(
        name="ScorelensHomeCommandClassification",
        task_type="Classification",
        main_score="accuracy",
        category="t2c",
        description="Tell what a command to a smart home asks for: one of six intents. Commands are drawn from "
        "sentence templates that Home Assistant's contributors wrote.",
        languages=languages,
        content={language: _labelled(language) for language in languages},
        domains=("Spoken", "Constructed"),
        sample_creation="created",
        annotations_creators="derived",
        license="apache-2.0",
        reference=HOME_ASSISTANT,
    )


def _labelled(language: str) -> Labelled:
    drawn = commands(language, COMMAND_LABELS)
    texts = [(text, label) for label, group in enumerate(COMMAND_LABELS) for text in enumerate(drawn[group])]
    return Labelled(
        train=[LabelledText(text, label) for (at, text), label in texts if at < TRAINING_TEXTS],
        test=[LabelledText(text, label) for (at, text), label in texts if 0 <= at - TRAINING_TEXTS < TEST_TEXTS],
    )


def home_pairs() -> LocalTask:
    """Pair classification: two ways to say the same, or two things that are close."""
    languages = {"en": ("eng-Latn",), "de": ("deu-Latn",)}
    return LocalTask(
        name="ScorelensHomeCommandPairs",
        task_type="PairClassification",
        main_score="max_ap",
        category="t2t",
        description="Tell whether two commands to a smart home want the same. Pairs that do not are close: on and off, "
        "next and previous, mute and unmute. Commands are drawn from Home Assistant's sentence templates.",
        languages=languages,
        content={language: _pairs(language) for language in languages},
        domains=("Spoken", "Constructed"),
        sample_creation="created",
        annotations_creators="derived",
        license="apache-2.0",
        reference=HOME_ASSISTANT,
    )


def _pairs(language: str) -> list[Pair]:
    drawn = commands(language, tuple(group for rivals in RIVALS for group in rivals))
    pairs = []
    for one, other in RIVALS:
        some, others = drawn[one][:COMMANDS_PER_INTENT], drawn[other][:COMMANDS_PER_INTENT]
        pairs += [Pair(*same, label=1) for texts in (some, others) for same in combinations(texts, 2)]
        pairs += [Pair(*apart, label=0) for apart in product(some, others)]
    return pairs


def django_bitext() -> LocalTask:
    """Bitext mining: a message and its translation."""
    languages = {"de": "deu-Latn", "ml": "mal-Mlym"}
    rows = messages(tuple(languages), BITEXT_MESSAGES)
    return LocalTask(
        name="ScorelensDjangoBitext",
        task_type="BitextMining",
        main_score="f1",
        category="t2t",
        description="Find the translation of a message of Django's web framework among thirty-two, from English into "
        "German and Malayalam. Translations are by Django's contributors.",
        languages={f"en-{language}": ("eng-Latn", code) for language, code in languages.items()},
        content={
            f"en-{language}": [Pair(row[0], row[place], label=1) for row in rows]
            for place, language in enumerate(languages, start=1)
        },
        domains=("Web", "Written"),
        sample_creation="human-translated",
        annotations_creators="derived",
        license="bsd-3-clause",
        reference="https://github.com/django/django",
    )
