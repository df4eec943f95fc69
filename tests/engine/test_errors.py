"""An error says what there is instead, and leaves with a code of its own."""

import pytest

from engine import errors
from engine.errors import EngineError, names_like

MANY = [f"LongRetrieval{number}" for number in range(50)] + ["STS22.v2", "STS14", "AmazonReviewsClassification"]


@pytest.mark.parametrize(
    ("name", "known", "offered"),
    [
        ("x", [], "none"),
        ("x", ["a", "b"], "a, b"),
        ("sts22", MANY, "STS22.v2, STS14 and 51 others"),
        ("Reviews", MANY, "AmazonReviewsClassification and 52 others"),
        (
            "",
            MANY[:20],
            ", ".join(MANY[:12]) + " and 8 others",
        ),
    ],
)
def test_names_most_like_the_wrong_one_are_offered(name, known, offered):
    assert names_like(name, known) == offered


def test_every_kind_of_error_has_an_exit_code_of_its_own_kind():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, EngineError)]
    codes = {kind.__name__: kind.exit_code for kind in kinds}
    assert codes.pop("SnapshotMissing") == codes["StoreError"]
    assert sorted(codes.values()) == list(range(1, 12))
