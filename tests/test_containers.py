"""The containers as they are declared: app and worker apart, GPUs reserved for the one service that is asked for."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def services() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]


def test_plain_up_starts_app_and_worker_without_a_gpu(services):
    started = {name for name, service in services.items() if not service.get("profiles")}
    assert started == {"app", "worker"}
    assert not [name for name in started if "deploy" in services[name]]


def test_worker_with_gpus_is_the_same_worker_with_a_reservation(services):
    (device,) = services["worker-gpu"]["deploy"]["resources"]["reservations"]["devices"]
    assert (device["driver"], device["count"], device["capabilities"]) == ("nvidia", "all", ["gpu"])
    shared = ("build", "volumes", "restart", "stop_grace_period")
    assert {key: services["worker-gpu"][key] for key in shared} == {key: services["worker"][key] for key in shared}


def test_every_target_is_a_stage_of_the_dockerfile(services):
    text = (ROOT / "Dockerfile").read_text("utf-8")
    stages = set(re.findall(r"^FROM \S+ AS (\w+)$", text, re.MULTILINE))
    assert {service["build"]["target"] for service in services.values()} == stages


def test_app_stage_installs_no_torch():
    stage = (ROOT / "Dockerfile").read_text("utf-8").split(" AS worker")[0]
    needs = (ROOT / "requirements-app.txt").read_text("utf-8")
    assert "requirements-app.txt" in stage and "requirements.txt" not in stage.replace("requirements-app.txt", "")
    assert not re.search(r"^(torch|mteb|sentence-transformers)\b", needs, re.MULTILINE)
