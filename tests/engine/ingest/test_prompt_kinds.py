import polars as pl
import pytest

from engine.ingest.harvest import RUN_KEY
from engine.ingest.metadata import mteb_metadata
from engine.ingest.mteb_results import read_results
from engine.ingest.prompt_kinds import kind_by_rule
from engine.ingest.prompts import PROMPT_TEXT_FRAME, describe_prompts, read_prompt_file
from engine.ingest.scan import scan_source
from engine.schema import FILES, PromptKind, SourceKind

TWEETS = ("TweetSentimentClassification", "Classification", "A multilingual Sentiment Analysis dataset of tweets.")
MOVIES = ("ImdbClassification", "Classification", "Large Movie Review Dataset")
CLAIMS = ("FEVERHardNegatives", "Retrieval", "FEVER (Fact Extraction and VERification) consists of 185,445 claims.")
TITLES = ("StackExchangeClustering.v2", "Clustering", "Clustering of titles from 121 stackexchanges.")


@pytest.mark.parametrize(
    ("text", "task", "kind"),
    [
        ("", TWEETS, PromptKind.MINIMAL),
        ("Classify:", TWEETS, PromptKind.MINIMAL),
        ("query: ", CLAIMS, PromptKind.MINIMAL),
        ("Category prediction:", TWEETS, PromptKind.LABEL),
        ("Classify this tweet in eng:", TWEETS, PromptKind.INSTRUCTION),
        ("Classify the sentiment of this tweet:", TWEETS, PromptKind.TOPIC),
        ("SENTIMENT of tweets:", TWEETS, PromptKind.TOPIC),
        ("Cluster these headlines:", TWEETS, PromptKind.WRONG_TASK),
        ("Retrieve relevant documents:", TITLES, PromptKind.WRONG_TASK),
        ("Retrieve relevant documents:", ("X", None, ""), PromptKind.INSTRUCTION),
        ("Label this movie review:", MOVIES, PromptKind.TOPIC),
        # The movie of the title alone says nothing about the topic.
        ("Classify this Large Movie Review Dataset entry:", MOVIES, PromptKind.DATA_SET),
        ("Query for FEVER retrieval:", CLAIMS, PromptKind.DATA_SET),
        ("Stackexchange title clustering input:", TITLES, PromptKind.DATA_SET),
        ("Search query:", CLAIMS, PromptKind.LABEL),
        ("Search for documents using this query:", CLAIMS, PromptKind.INSTRUCTION),
    ],
)
def test_kind_by_rule(text, task, kind):
    assert kind_by_rule(text, *task) is kind


def test_kind_by_rule_makes_the_advice_of_the_prompt_study_visible(shared, study_folder, settings):
    """Qwen3-0.6B on tweets: a CV of 14 % over all prompts, of 1 % over those that name the topic."""
    tasks = mteb_metadata(settings).tasks
    scan = scan_source(study_folder, SourceKind.CACHE, FILES.schema.to_frame())
    harvest = read_results(settings, "study", study_folder, scan, tasks)
    written = read_prompt_file(shared / "data" / "prompt_study_prompts.json", tasks)
    kinds = describe_prompts(written.select(list(PROMPT_TEXT_FRAME)), [written], tasks)
    cell = (
        harvest.named_scores()
        .join(harvest.runs.select(*RUN_KEY, "prompt_id"), on=RUN_KEY)
        .filter(pl.col("model_name") == "Qwen/Qwen3-Embedding-0.6B", pl.col("task_name") == TWEETS[0])
        .join(kinds, on=["prompt_id", "task_name"])
    )
    cv = pl.col("score").std() / pl.col("score").mean()
    assert len(kinds) == 481
    assert cell.select(cv).item() == pytest.approx(0.14, abs=0.005)
    assert cell.filter(pl.col("prompt_kind") == "names the topic").select(cv).item() == pytest.approx(0.01, abs=0.005)
