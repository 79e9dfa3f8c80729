"""Choosing how often to try each action before seeing any reward, with proofs of how good the choice is."""
