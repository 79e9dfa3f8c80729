"""Benchmarks of speed, with the alternatives measured in the same run: `make bench`."""
