"""Weights are the pinned ones, or nothing runs."""

from hashlib import sha256

import pytest

from engine.demo import weights
from engine.demo.weights import check_weights, package_folder
from engine.errors import WeightsError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"weights")
    return tmp_path


GOOD = sha256(b"weights").hexdigest()
BAD = sha256(b"swapped").hexdigest()


def test_pinned_weights_pass(folder):
    check_weights(folder, {"model.bin": GOOD}, folder / "verdicts.json")


def test_other_weights_are_refused_with_both_hashes(folder):
    with pytest.raises(WeightsError) as error:
        check_weights(folder, {"model.bin": BAD}, folder / "verdicts.json")
    assert GOOD in str(error.value)
    assert f"expected {BAD}" in str(error.value)


def test_missing_weights_are_named_with_the_command_that_brings_them(folder):
    with pytest.raises(WeightsError, match=r"other\.bin is missing.*requirements-demo\.txt"):
        check_weights(folder, {"other.bin": GOOD}, folder / "verdicts.json")


def test_bytes_are_read_once(folder, monkeypatch):
    check_weights(folder, {"model.bin": GOOD}, folder / "verdicts.json")
    monkeypatch.setattr(weights, "digest_of", lambda path: pytest.fail("read again"))
    check_weights(folder, {"model.bin": GOOD}, folder / "verdicts.json")


def test_changed_file_is_read_again(folder):
    check_weights(folder, {"model.bin": GOOD}, folder / "verdicts.json")
    (folder / "model.bin").write_bytes(b"swapped")
    with pytest.raises(WeightsError, match=BAD):
        check_weights(folder, {"model.bin": GOOD}, folder / "verdicts.json")


def test_package_that_is_not_installed_is_named():
    with pytest.raises(WeightsError, match="'no_such_package' is not installed"):
        package_folder("no_such_package")
