"""The part of Scorelens that measures and counts, with no page in it."""

__version__ = "0.1.0"
