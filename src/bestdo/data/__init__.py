"""Reads data: old observations in tables of any kind, and the filled-in sheets of fixed plans."""
