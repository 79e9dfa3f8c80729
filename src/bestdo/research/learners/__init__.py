"""Learners of the literature, one published algorithm per file."""
