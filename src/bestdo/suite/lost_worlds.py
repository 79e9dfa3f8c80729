"""Why this library's learner is not among the first on some worlds of the suite: written by hand, in this one place."""

from __future__ import annotations

__all__ = ["REASONS"]

REASONS: dict[str, str] = {
    "common-cause-7": "Ahead at 30 rounds, behind at 150: the reward has six causes and a table drawn uniformly, "
    "and the belief averages over structures in which few of them matter; learners that count the table row by row "
    "catch up. Not examined further.",
    "pomis-markovian": "Four arms, each of which sets both causes of the reward: no round teaches about another "
    "arm. The belief first thinks that the two causes may add up, where only both together matter "
    "(docs/results/pomis.md).",
    "hac-benign": "C-TS has the same law and the same two states, whose means it draws from flat priors; why that "
    "is better here than causal Thompson's prior was not examined.",
    "napkin": "MODL plays the three values of X and nothing else; causal top-two also watches, which here teaches "
    "little. Other learners that play contenders only are as good as causal top-two or slightly better. Not examined "
    "further.",
    "ccb-three-of-six": "Every variable is linear in its causes, which BLM-LR takes for granted. The radii of its "
    "authors' code are a tenth of those that their proof needs; with the proof's radii it is among the last.",
    "ccb-two-of-eight": "As in ccb-three-of-six: the world is linear, and the learners ahead assume it, with a "
    "tenth of the proven radii.",
    "ccb-two-layers": "As in ccb-three-of-six: the world is linear, and the learners ahead assume it, with a "
    "tenth of the proven radii.",
    "casino-greedy": "Both causes of the reward are hidden, so that each intuition is learned by itself. MABUC's "
    "causal Thompson sampling explores less, which pays with two machines that are far apart (docs/results/mabuc.md).",
    "casino-paradoxical": "As in casino-greedy: each intuition is learned by itself, and MABUC's causal Thompson "
    "sampling, made for two machines, explores less (docs/results/mabuc.md).",
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
"""By the world's name; a world that is not here and is lost has no explanation yet, and the report says so."""
