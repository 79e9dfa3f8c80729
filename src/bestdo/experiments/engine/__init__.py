"""Runs experiments: their description, the loop over chunks, the table of results, and the file to resume from."""
