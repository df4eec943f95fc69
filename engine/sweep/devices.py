"""Which devices this machine has, and what a sweep asked for `auto` or `all` runs on.

`python -m engine.sweep.devices` prints the number of GPUs: a process that does not want torch in its memory asks so.
"""

from __future__ import annotations

import sys

from engine.errors import UsageError
from engine.sweep.encoders import Compute
from engine.sweep.libraries import prepare_libraries


def count_gpus() -> int:
    """How many CUDA devices torch sees in this process."""
    prepare_libraries()
    import torch

    return int(torch.cuda.device_count()) if torch.cuda.is_available() else 0


def choose_devices(asked: str, n_gpus: int) -> tuple[str, ...]:
    """The devices to run on, as `cpu` or `cuda:0`.

    Args:
        asked: `auto` (a GPU where there is one), `cpu`, `cuda`, `cuda:1`, or `all` (every GPU, else the CPU).
        n_gpus: How many GPUs there are.

    Raises:
        UsageError: A GPU was asked for that is not there.
    """
    if asked == "cpu" or (asked in ("auto", "all") and not n_gpus):
        return ("cpu",)
    if asked == "all":
        return tuple(f"cuda:{number}" for number in range(n_gpus))
    number = int(asked.partition(":")[2] or 0) if asked.startswith("cuda") else 0
    if number >= n_gpus:
        there = ", ".join(("auto", "cpu", *(f"cuda:{each}" for each in range(n_gpus))))
        raise UsageError(f"Device {asked!r}; torch sees {n_gpus} CUDA devices here. Use one of {there}.")
    return (f"cuda:{number}",)


def compute_on(device: str, dtype: str) -> Compute:
    """What to load a model with: `auto` is bfloat16 on a GPU and float32 on a CPU."""
    chosen = ("bfloat16" if device.startswith("cuda") else "float32") if dtype == "auto" else dtype
    return Compute(device, chosen)


if __name__ == "__main__":
    sys.stdout.write(f"{count_gpus()}\n")
