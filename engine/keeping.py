"""A source that is out of reach: what the store still knows of how it describes its models, tasks and prompts."""

from __future__ import annotations

from engine.content import Reader
from engine.ingest.harvest import FRAMES, Harvest, empty_harvest

_OF_SOURCE = {
    "models": "SELECT * FROM models SEMI JOIN ran USING (model_name) WHERE described_by = 'source'",
    "tasks": "SELECT * FROM tasks SEMI JOIN ran USING (task_name) WHERE described_by = 'source'",
    "task_rows": """SELECT * EXCLUDE row_id FROM rows SEMI JOIN ran USING (task_name)
        SEMI JOIN (FROM tasks WHERE described_by = 'source') USING (task_name)""",
    "prompt_records": """SELECT * FROM prompts SEMI JOIN ran USING (prompt_id, task_name) WHERE kind_origin = 'file'""",
}


def kept_harvest(store: Reader, source_name: str) -> Harvest:
    """The descriptions of a source's last reading; no runs and no scores, since those stay where they are.

    Args:
        store: A snapshot, or a draft of the next one.
        source_name: The source.
    """
    ran = "WITH ran AS (SELECT model_name, task_name, prompt_id FROM runs WHERE source_name = ?) "
    frames = {name: store.read(ran + query, [source_name]) for name, query in _OF_SOURCE.items()}
    return empty_harvest(**{name: frame.select(list(FRAMES[name])) for name, frame in frames.items()})
