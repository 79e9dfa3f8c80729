"""Loops of learners that are compiled by numba, because arrays cannot express them fast enough."""
