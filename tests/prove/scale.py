"""How long and how hard a proof is: small in `make test`, at full count in `make prove`."""

import os

FULL = os.environ.get("SCORELENS_PROVE") == "1"


def scaled(small: int, full: int) -> int:
    return full if FULL else small
