"""The reasons why this library's learner is not among the first on some worlds: written by hand, in this one place."""

from __future__ import annotations

__all__ = ["REASONS"]

REASONS: dict[str, str] = {
    "chain": "Twenty actions are equally good, and none of them is ever seen by watching. Algorithm 1 plays each of them "
    "twice and keeps one that succeeded both times, which nearly always exists. Causal top-two compares what the twenty "
    "have in common with the rest, and 80 rounds leave that open in one simulation of twenty.",
    "common-cause-7": "Ahead at 30 rounds, behind at 150: the reward has six causes and a table drawn uniformly, "
    "and the belief averages over structures in which few of them matter; learners that count the table row by row "
    "catch up. Not examined further.",
    "pomis-markovian": "Four arms, each of which sets both causes of the reward: no round teaches about another "
    "arm. The belief first thinks that the two causes may add up, where only both together matter "
    "(docs/results/pomis.md).",
    "napkin": "MODL plays the three values of X and nothing else; causal top-two also watches, which here teaches "
    "little. Other learners that play contenders only are as good as causal top-two or slightly better. Not examined "
    "further.",
    "ccb-three-of-six": "Every variable is linear in its causes, which BLM-LR takes for granted. The radii of its "
    "authors' code are a tenth of those that their proof needs; with the proof's radii it is among the last.",
    "ccb-two-of-eight": "As in ccb-three-of-six: the world is linear, and the learners ahead assume it, with a "
    "tenth of the proven radii.",
    "ccb-two-layers": "As in ccb-three-of-six: the world is linear, and the learners ahead assume it, with a "
    "tenth of the proven radii.",
    "casino-inevitable": "Given the intuition one machine always pays and the other never: a play of each is enough, "
    "which bounds that begin with one play of each need. Draws from a flat prior try the worse one a little more often.",
    "hac-contradicting": "The graph is wrong, and causal Thompson believes it. In a study its alarm finds that "
    "out (regret 45.3 after 3,000 rounds, UCB's is 95.1: docs/results/hac.md); the suite plays learners without the "
    "alarm.",
    "unknown-causes": "1,512 actions that set three variables each, of which one is the cause. UCB+ knows that "
    "there is one, plays some of the actions and lets every round count for all that agree with it; to causal "
    "Thompson they are 1,512 actions.",
    "lalonde": "What the training does depends on degree and employment together: three causes that interact, of "
    "numbers. The belief has interactions of two (docs/results/numbers.md), and stays wrong longer than means of each "
    "context by itself.",
}
"""Reasons by the world's name; a world that is not here and is lost has no explanation yet, and the report says so."""
