"""Sums over rounds that only learners of the literature ask for."""
