"""Made-up leaderboards, small enough to check by hand or to enumerate."""

import itertools

import numpy as np
import polars as pl

from engine.analysis.prompt_selection import PromptCube
from engine.analysis.ranking import ScoreMatrix

NONE = float("nan")


def cube_of(default, scores, task_types=None) -> PromptCube:
    """A cube from nested lists: default models × tasks, scores models × tasks × prompts; NaN = not run."""
    default, scores = np.asarray(default, dtype=float), np.asarray(scores, dtype=float)
    n_models, n_tasks, n_prompts = scores.shape
    tasks = tuple(f"t{task}" for task in range(n_tasks))
    ids = tuple(tuple(f"{task}-p{prompt}" for prompt in range(n_prompts)) for task in tasks)
    types = tuple(task_types or ["STS"] * n_tasks)
    return PromptCube(tuple(f"m{model}" for model in range(n_models)), tasks, types, ids, default, scores)


def random_cube(seed, n_models=5, n_tasks=4, n_prompts=3, decimals=1, missing=0.0) -> PromptCube:
    """A cube of rounded numbers, so that ties occur; a share of the prompt runs is missing."""
    stream = np.random.default_rng(seed)
    scores = stream.random((n_models, n_tasks, n_prompts)).round(decimals)
    scores[stream.random(scores.shape) < missing] = NONE
    return cube_of(stream.random((n_models, n_tasks)).round(decimals), scores)


def matrix_of(values, task_types=None, is_partial=None) -> ScoreMatrix:
    """A matrix from nested lists, models × tasks."""
    values = np.asarray(values, dtype=float)
    partial = np.zeros(values.shape, dtype=bool) if is_partial is None else np.asarray(is_partial)
    types = tuple(task_types or ["STS"] * values.shape[1])
    names = tuple(f"m{model}" for model in range(len(values)))
    return ScoreMatrix(names, tuple(f"t{task}" for task in range(values.shape[1])), types, values, partial)


def by_model(frame: pl.DataFrame, column: str) -> dict:
    """One column of a frame with one row a model."""
    return dict(frame.select("model_name", column).iter_rows())


def every_draw(cube: PromptCube):
    """Every board that can be drawn when each model draws its own prompt on each task, models × tasks."""
    n_models, n_tasks, _ = cube.scores.shape
    options = [cube.scores[m, t][~np.isnan(cube.scores[m, t])] for m in range(n_models) for t in range(n_tasks)]
    for values in itertools.product(*options):
        yield np.array(values).reshape(n_models, n_tasks)
