"""What causal top-two believes of the actions' means, given the sums of all rounds so far."""
