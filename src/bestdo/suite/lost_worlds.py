"""Why this library's learner is not among the first on some worlds of the suite: written by hand, in this one place."""

from __future__ import annotations

__all__ = ["REASONS"]

REASONS: dict[str, str] = {
    "pomis-markovian": "Four arms, each of which sets both causes of the reward: no round teaches about another arm. The "
    "belief first thinks that the two causes may add up, where only both together matter (docs/results/pomis.md).",
    "casino-greedy": "Both causes of the reward are hidden, so that each intuition is learned by itself. MABUC's causal "
    "Thompson sampling explores less, which pays with two machines that are far apart (docs/results/mabuc.md).",
    "casino-paradoxical": "As in casino-greedy: each intuition is learned by itself, and MABUC's causal Thompson sampling, "
    "made for two machines, explores less (docs/results/mabuc.md).",
    "hac-contradicting": "The graph is wrong, and causal Thompson believes it. In a study its alarm finds that out (regret "
    "45.3 after 3,000 rounds, UCB's is 95.1: docs/results/hac.md); the suite plays learners without the alarm.",
}
"""By the world's name; a world that is not here and is lost has no explanation yet, and the report says so."""
