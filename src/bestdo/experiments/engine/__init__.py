"""Runs experiments: what to simulate, the only loop, the table of results, and what survives an interruption."""
