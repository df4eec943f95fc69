"""Sweeps as something to hand on: a study file says what to run, and everything about running it follows from that."""
