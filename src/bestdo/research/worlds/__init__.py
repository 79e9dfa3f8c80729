"""Worlds of the literature."""
