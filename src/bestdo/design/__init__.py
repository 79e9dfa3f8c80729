"""Optimal designs: how often to play each action, chosen before any reward is seen, with proofs and bounds."""
