"""A dashboard of one's own per test module, and a headless Chromium that looks at it."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from engine.settings import PROJECT, Settings
from tests.pages.conftest import hand_made_store as hand_made_store

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 30_000


@dataclass
class Visit:
    """One open page, with everything that went wrong on it."""

    page: object
    errors: list[str] = field(default_factory=list)

    def text(self) -> str:
        return self.page.inner_text(".stMain")

    def settle(self) -> None:
        """Waits until the script has run and the page shows it."""
        self.page.wait_for_selector(".st-key-foot [data-testid=stSelectbox]", timeout=PATIENCE_MS)
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=PATIENCE_MS)
        # A kind of element is code of its own that a new browser fetches first: its place is held by a skeleton.
        skeletons = self.page.locator("[data-testid=stSkeleton]")
        expect(skeletons).to_have_count(0, timeout=PATIENCE_MS)


@contextmanager
def dashboard(settings: Settings) -> Iterator[str]:
    """The address of a fresh server on that data folder; it ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    environment = {**os.environ, "SCORELENS_DATA": str(settings.data)}
    server = subprocess.Popen(
        command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate(timeout=20)


def _wait_for(address: str, server: subprocess.Popen) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            if server.poll() is not None:
                pytest.fail(f"the dashboard ended: {server.communicate()[0]}")
            time.sleep(0.1)
    pytest.fail(f"the dashboard does not answer at {address}")


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium."""
    if not CHROMIUM.exists():
        reason = f"no {CHROMIUM}; tests/browser/install-chromium.sh says how to get it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """Opens pages; at the end of the test none of them may have complained."""
    contexts = []
    visits = []

    def open_page(address: str, *, width: int = 1440, theme: str = "light") -> Visit:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, accept_downloads=True
        )
        contexts.append(context)
        opened = Visit(context.new_page())
        visits.append(opened)
        opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.page.on("console", lambda message: _note(opened, message))
        opened.page.goto(address)
        opened.settle()
        return opened

    yield open_page
    complaints = [error for opened in visits for error in opened.errors]
    for context in contexts:
        context.close()
    assert not complaints


def _note(opened: Visit, message) -> None:
    # Streamlit looks for its own endpoints below a deep link first and gets a 404 by design.
    by_design = "/_stcore/" in message.location.get("url", "")
    if message.type == "error" and not by_design:
        opened.errors.append(f"{message.text} ({message.location.get('url')})")
