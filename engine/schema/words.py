"""The words that a column may hold, where they are a closed list."""

from __future__ import annotations

from enum import StrEnum

LIMIT_SIGN = "+limit"
"""Marks a revision of data of which only a part was used; no hub's revision holds a plus."""


class PromptType(StrEnum):
    """The side of a task that a prompt is put before."""

    QUERY = "query"
    DOCUMENT = "document"
    NONE = "none"
    """Symmetric tasks: every text is treated alike."""
    BOTH = "query+document"
    """Queries and documents were each given a prompt of the study's own."""


class PromptOrigin(StrEnum):
    """Where the string before a text came from."""

    STUDY = "study prompt"
    MODEL = "model default"
    TASK = "task default"
    CLASS = "class default"
    NONE = "none"
    NOT_RECORDED = "not recorded"


class TemplateUse(StrEnum):
    """Whether the prompt was set into the model's instruction template."""

    YES = "yes"
    NO = "no"
    NOT_RECORDED = "not recorded"


class PromptScheme(StrEnum):
    """What a model was trained to take before a text."""

    FREE = "free"
    FIXED = "fixed prefix"
    NONE = "none"


class PromptKind(StrEnum):
    """What a prompt is made of, as an author or the documented rule says."""

    LABEL = "label-like"
    INSTRUCTION = "instruction-like"
    TOPIC = "names the topic"
    DATA_SET = "names the data set"
    MINIMAL = "minimal"
    WRONG_TASK = "wrong task"
    OWN = "model's own"


class SourceKind(StrEnum):
    """How a source's files are laid out."""

    CACHE = "mteb cache"
    FRAME = "mteb frame"


class RowKind(StrEnum):
    """Which languages meet in a row; names of programming languages do not count."""

    SAME = "same language"
    ENGLISH = "with English"
    """English and at least one other language"""
    OTHER = "other languages"
    """several languages, English not among them"""


class LanguageStatus(StrEnum):
    """What a language code in a file is."""

    KNOWN = "known"
    SPELLING = "spelling"
    """another way to write a known code"""
    CODE = "programming language"
    UNKNOWN = "unknown"


class TripletRole(StrEnum):
    """What a candidate of a triplet item is."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class TripletOutcome(StrEnum):
    """What came of a triplet item under a model, by order."""

    RIGHT = "right"
    TIE = "tie"
    WRONG = "wrong"
    INVALID = "invalid"
