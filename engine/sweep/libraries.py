"""How the heavy libraries behave in our processes; said before any of them is imported, since they read it then."""

from __future__ import annotations

import os


def prepare_libraries() -> None:
    """Let threads that wait sleep, cut texts into tokens on all cores, keep libraries' progress bars off the terminal.

    Waiting threads of OpenMP spin by default: on a machine that does other things as well, that made
    encoding up to ten times slower (measured on 2 cores). mteb shows several bars a run, which would
    run over the sweep's own one. Tokenizers in parallel are a danger to processes that fork, and none
    here does. What the environment says already is left as it is.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TQDM_DISABLE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
