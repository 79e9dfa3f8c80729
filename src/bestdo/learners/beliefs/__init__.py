"""The beliefs of causal top-two about the actions' means, given the sums of all rounds so far."""
