"""Small result trees in MTEB's cache layout, written by hand: hostile texts and a broken file included."""

import json
from pathlib import Path

REVISIONS = {"acme/tiny-embed": "a" * 40, "acme/wide-embed": "b" * 40}
TASKS = {"ImdbClassification": "Classification", "STS14": "STS"}

PLAIN_PROMPTS = ("Classify: ", "Sort the text: ", "Label:", "Label: ", "What is this about?")
HOSTILE_PROMPTS = (
    "Find {title} | {{x}}",
    "a\nb",
    "<b>x</b><br>%{y}",
    "costs $5 to $9",
    "family 👨\u200d👩\u200d👧",
    "ابحث عن query بالعربية",
    "None",
    "long " * 1000,
    "<script>alert(1)</script>",
    "*bold* _it_ [link](http://example.invalid) `code` :red[x]",
)


def write_tree(
    folder: Path, *, prompts: tuple[str, ...] = PLAIN_PROMPTS + HOSTILE_PROMPTS, broken: bool = True
) -> Path:
    """A cache folder with default runs and one experiment per prompt, for two models and two tasks."""
    for model_number, (model, revision) in enumerate(REVISIONS.items()):
        place = folder / "results" / model.replace("/", "__") / revision
        _write_meta(place, model, revision, {})
        for task_number, task in enumerate(TASKS):
            _write_result(place / f"{task}.json", task, 0.8 - model_number / 10)
            for number, prompt in enumerate(prompts):
                experiment = place / "experiments" / f"exp_{task_number}_{number:03d}"
                _write_meta(experiment, model, revision, {task: prompt})
                _write_result(experiment / f"{task}.json", task, 0.4 + ((number * 7 + model_number * 3) % 11) / 20)
    if broken:
        first, revision = next(iter(REVISIONS.items()))
        place = folder / "results" / first.replace("/", "__") / revision
        (place / "Truncated.json").write_text('{"task_name": "Truncated", "scores": {"te', "utf-8")
    return folder


def _write_meta(place: Path, model: str, revision: str, prompts: dict[str, str]) -> None:
    place.mkdir(parents=True, exist_ok=True)
    meta = {"name": model, "revision": revision, "n_parameters": 1_000_000, "embed_dim": 8, "max_tokens": 512.0}
    if prompts:
        meta["experiment_kwargs"] = {"prompts": prompts}
    (place / "model_meta.json").write_text(json.dumps(meta, ensure_ascii=False), "utf-8")


def _write_result(path: Path, task: str, score: float) -> None:
    row = {"main_score": round(score, 6), "hf_subset": "default", "languages": ["eng-Latn"]}
    result = {
        "dataset_revision": "c" * 40,
        "task_name": task,
        "mteb_version": "2.12.16",
        "scores": {"test": [row]},
        "evaluation_time": 1.5,
    }
    path.write_text(json.dumps(result), "utf-8")
