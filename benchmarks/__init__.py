"""Speed, measured side by side with the alternatives in one run: `make bench`."""
