"""What a prompt is made of, told from its text and its task by a rule that anyone can follow by hand.

The first line that fits decides:

1. *minimal*: one word or none.
2. *wrong task*: it has words for another kind of task (such as "cluster") and none for its own.
3. *names the topic*: it has a word for what is asked of the texts or what they are about (`TOPICS`), outside
   the title of the data set. Where topic and data set are both named, the topic counts.
4. *names the data set*: it has a name of the task or of its description, or the word "dataset".
5. *instruction-like*: it starts with a verb that tells what to do (`VERBS`; "search query" is a noun).
6. *label-like*: everything else.

A prompt file's word wins over this rule; it only fills what nobody wrote down.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from engine.schema import PromptKind

# Beginnings of words that say what is done, by the kind of task. Names of sides (query, passage) say nothing.
FAMILIES = {
    "classification": ("classif", "categor", "label", "class", "predict"),
    "retrieval": ("retriev", "search", "rerank", "relevan", "find", "answer"),
    "clustering": ("cluster", "group"),
    "similarity": ("similar", "compar", "match", "paraphras", "duplicate", "entail", "semantic"),
    "translation": ("translat", "parallel", "bitext"),
}
_FAMILY_OF_TYPE = (
    ("PairClassification", "similarity"),
    ("Classification", "classification"),
    ("Clustering", "clustering"),
    ("Retrieval", "retrieval"),
    ("Reranking", "retrieval"),
    ("STS", "similarity"),
    ("Summarization", "similarity"),
    ("BitextMining", "translation"),
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TOPICS = _words(
    """
    argument banking bias biology biomedical chemistry claims code coding controversial counterfactual emotion
    emotional fact factual fake film finance financial food fraud hate health humor intent intention intents
    irony law legal legislation math mathematics medical medicine misinformation movie movies music news
    offensive opinion physics polarity political politics product products religion sarcasm sarcastic science
    scientific sentiment sentiments spam sport sports stance topic topics toxic toxicity travel weather
    """
)
# Words of a title or a name that alone name nothing: how texts come, how tasks are called, how sentences are built.
ORDINARY = _words(
    """
    a abstract abstracts across all an analysis and answer answers article articles as at between by category
    challenge chapter claim claims classes classification clustering collection comment comments conversation
    corpus customer data dataset datasets description detection dialogue different document documents domain
    encode eng english entry evaluation following for from given hard headline headlines in information input
    instruction into is it label labels language languages message messages mining multilingual negatives of on
    one only or pair pairs paragraph passage passages post posts prediction query question questions
    representation reranking retrieval review reviews search semantic sentence sentences set sets similarity
    snippet subset summary task test text texts textual the their this title titles to train translation tweet
    tweets using version wikipedia with
    """
)
VERBS = _words(
    """
    analyze answer assess assign assigns calculate categorize choose classify cluster compare compute create
    decide detect determine embed encode estimate evaluate extract find generate give given group identify judge
    label match measure perform predict prepare rank rate recognize represent rerank retrieve score search
    select sort summarize tag translate
    """
)
_VERBS_THAT_ARE_NOUNS = frozenset({"search", "cluster", "label", "match", "score", "rank", "group", "answer"})
_NOUNS_BEHIND = frozenset({"query", "representation", "task", "input", "text", "passage", "prediction", "embedding"})
_DATA_SET = frozenset({"dataset", "datasets"})
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|\d+")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)$")


@dataclass(frozen=True)
class _Names:
    """What the data set of a task is called."""

    words: frozenset[str]
    titles: tuple[tuple[str, ...], ...]


def kind_by_rule(text: str, task_name: str, task_type: str | None, description: str = "") -> PromptKind:
    """The kind of a prompt by the rule of this module.

    Args:
        text: The prompt.
        task_name: Its task.
        task_type: The task's type; None = unknown, then no prompt is a wrong task's.
        description: What the task's metadata says about it.
    """
    words = [_fold(word) for word in _WORD.findall(text)]
    if len(words) <= 1:
        return PromptKind.MINIMAL
    if _is_for_another_task(words, task_type):
        return PromptKind.WRONG_TASK
    names = _names_of(task_name, description)
    in_title = _title_positions(words, names)
    if any(word in TOPICS for position, word in enumerate(words) if position not in in_title):
        return PromptKind.TOPIC
    if in_title or any(word in _DATA_SET or _singular(word) in names.words for word in words):
        return PromptKind.DATA_SET
    return PromptKind.INSTRUCTION if _tells_what_to_do(words) else PromptKind.LABEL


def _tells_what_to_do(words: list[str]) -> bool:
    is_noun = words[0] in _VERBS_THAT_ARE_NOUNS and words[1] in _NOUNS_BEHIND
    return words[0] in VERBS and not is_noun


def _is_for_another_task(words: list[str], task_type: str | None) -> bool:
    own = next((family for ending, family in _FAMILY_OF_TYPE if (task_type or "").endswith(ending)), None)
    if own is None:
        return False
    spoken = {family for family, stems in FAMILIES.items() if any(word.startswith(stems) for word in words)}
    return bool(spoken) and own not in spoken


@lru_cache(maxsize=4096)
def _names_of(task_name: str, description: str) -> _Names:
    """Names in a task's own name and in its description, and the titles that they stand in.

    A name is a word that is not ordinary, not a topic and not a number, and that stands in the task's name or is
    written with a capital in the description: two of them, or one where no sentence starts.
    """
    parts = _CAMEL.findall(task_name)
    plain = {_singular(_fold(word)) for word in (*parts, *_joined(parts)) if _may_name(_fold(word))}
    titles = []
    for run in _capital_runs(description):
        named = {
            _singular(_fold(word))
            for word, starts in run
            if _may_name(_fold(word)) and _is_name(word, starts, len(run))
        }
        plain |= named
        if named and len(run) > 1:
            titles.append(tuple(_fold(word) for word, _ in run))
    return _Names(frozenset(plain), tuple(titles))


def _joined(parts: list[str]) -> list[str]:
    """Neighbouring parts of a task's name written as one word: Stack, Exchange → StackExchange."""
    return [first + second for first, second in zip(parts, parts[1:], strict=False)]


def _capital_runs(description: str) -> list[list[tuple[str, bool]]]:
    """Longest runs of words that start with a capital or are numbers, each with whether a sentence starts there."""
    runs: list[list[tuple[str, bool]]] = [[]]
    for match in _WORD.finditer(description):
        word = match[0]
        if word[0].isupper() or word.isdigit():
            runs[-1].append((word, bool(_SENTENCE_START.search(description[: match.start()]))))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _is_name(word: str, starts_sentence: bool, run_length: int) -> bool:
    is_acronym = sum(letter.isupper() for letter in word) > 1
    return is_acronym or not starts_sentence or run_length > 1


def _may_name(word: str) -> bool:
    return len(word) > 2 and not word.isdigit() and word not in ORDINARY and word not in TOPICS


def _title_positions(words: list[str], names: _Names) -> set[int]:
    """Positions of words that repeat two or more neighbouring words of a title, one of them a name."""
    found: set[int] = set()
    for start in range(len(words)):
        for title in names.titles:
            for begin in range(len(title)):
                length = _same_length(words[start:], title[begin:])
                piece = words[start : start + length]
                if length > 1 and any(_singular(word) in names.words for word in piece):
                    found.update(range(start, start + length))
    return found


def _same_length(words: list[str], title: tuple[str, ...]) -> int:
    length = 0
    while length < min(len(words), len(title)) and words[length] == title[length]:
        length += 1
    return length


def _fold(word: str) -> str:
    """Lower case without accents."""
    return "".join(
        letter for letter in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(letter)
    )


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
