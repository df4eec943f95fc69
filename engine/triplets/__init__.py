"""Triplet items: base, same meaning, look-alikes; their files, their checks, their ways in and out."""
