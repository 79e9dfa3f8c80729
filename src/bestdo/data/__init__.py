"""Data that people have: old rounds in tables of any kind, and the sheets of fixed plans."""
