"""One file for each figure beyond the paper's own."""
