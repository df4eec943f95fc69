"""The commands of `python -m engine`, by what they are about: they parse, call, and say what came of it."""
