"""How often the intervals of a rule hold the truth, and what its probability of being worth having is worth.

Worlds are drawn by structures and base rates that the prior of the learner does not know. `python
tests/learners/test_rule_calibration.py` prints the table of docs/results/rules.md.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest

from bestdo.bandit.learner import Ties
from bestdo.bandit.problem import Problem
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.learners import learner as learner_by_name
from bestdo.learners.game import game_of
from bestdo.learners.rule_found import rule_of
from bestdo.simulate.driver import play_out
from bestdo.simulate.world import World

STRUCTURES = {
    "through a click": "device -> click; banner -> click -> sale; country -> sale; price -> sale; device -> banner",
    "all at once": "device -> sale; country -> sale; banner -> sale; price -> sale",
    "hidden cause": "device -> banner; banner -> sale; device -> sale; country -> sale; price -> sale; price <-> sale",
    "cause of a context": "mood -> device; mood -> sale; banner -> sale; country -> sale; price -> sale; device -> sale",
}
BASE_RATES = 0.5, 0.1
ROUNDS = 40, 160


def drawn(structure, base, interacts, rng):
    """A world in which the sale has about this base rate, and causes act on log odds, alone or all of them together."""
    graph = Graph.parse(STRUCTURES[structure], reward="sale", success="1")
    tables = {}
    for name in graph.names:
        shape = [graph.size(p) for p in graph.parents[name]]
        centre = np.log(base / (1 - base)) if name == "sale" else rng.normal(0, 0.7)
        effects = rng.normal(0, 1.2, shape) if interacts else np.zeros(shape)
        if not interacts:
            for axis, size in enumerate(shape):
                effect = rng.normal(0, 1.0) * (np.arange(size) - (size - 1) / 2)
                effects = effects + effect.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        p = 1 / (1 + np.exp(-(centre + effects)))
        tables[name] = np.stack([1 - p, p], axis=-1)
    problem = Problem(graph, set=["banner", "price"], at_most=2, first=("device", "country"))
    return World(problem, Model(graph, tables))


def lane_of(problem, state, lane):
    """The state of one lane alone."""
    which, rng, inner = np.array([lane]), np.random.default_rng(0), state.own
    ties = Ties(inner.problem, 1, rng)
    alone = inner._replace(
        ties=ties, tally=inner.tally.lanes(which), played=inner.played[which], money=inner.money[which]
    )
    return state._replace(ties=Ties(replace(problem, first=()), 1, rng), own=alone, seen=state.seen[which])


def studied(structure, base, rounds, worlds, lanes, seed, name="causal-top-two"):
    """Of simulated studies: which intervals hold (in each context, of the rule's value), p_worth, and whether it was."""
    held, of_value, said, better = [], [], [], []
    rng = np.random.default_rng(seed)
    for k in range(worlds):
        world = drawn(structure, base, k % 2 == 0, rng)
        learner = game_of(learner_by_name(name), world.problem)
        state = play_out(world, learner, rounds, lanes, rng)
        means, chance = world.means_by_context
        for lane in range(lanes):
            rule = rule_of(learner, lane_of(world.problem, state, lane))
            own = means[np.arange(len(chance)), rule.actions]
            held += [one.low <= mean <= one.high for one, mean in zip(rule.contexts, own, strict=True)]
            value, single = chance @ own, chance @ means[:, world.problem.actions.index(rule.single)]
            of_value.append(rule.value.low <= value <= rule.value.high)
            if not rule.is_single:
                said.append(rule.p_worth)
                better.append(value > single)
    return np.array(held), np.array(of_value), np.array(said), np.array(better)


@pytest.mark.campaign
@pytest.mark.parametrize("structure", STRUCTURES)
def test_intervals_and_the_probability_of_being_worth_having_are_about_right(structure):
    """Eight worlds of ten studies: 95 % intervals hold in 85 % at least; where 0.8 or more is said, 0.7 are worth having."""
    held, of_value, said, better = studied(structure, 0.5, 160, 8, 10, 1)
    assert held.mean() > 0.85
    assert of_value.mean() > 0.85
    sure = said >= 0.8
    assert sure.sum() < 10 or better[sure].mean() > 0.7


def table(worlds=40, lanes=6):
    """Prints a line for each structure, base rate and number of rounds."""
    heading = ["structure", "base rate", "rounds", "in a context", "value", "below 0.5", "0.5 to 0.8", "0.8 and above"]
    sys.stdout.write(f"| {' | '.join(heading)} |\n{'|---' * len(heading)}|\n")
    for structure in STRUCTURES:
        for base in BASE_RATES:
            for rounds in ROUNDS:
                held, of_value, said, better = studied(structure, base, rounds, worlds, lanes, 7)
                bins = []
                for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 1.01)):
                    those = (said >= low) & (said < high)
                    if not those.any():
                        bins.append("–")
                        continue
                    bins.append(f"{said[those].mean():.2f} → {better[those].mean():.2f} ({those.sum()})")
                cells = [f"{held.mean():.3f}", f"{of_value.mean():.3f}", *bins]
                sys.stdout.write(f"| {structure} | {base} | {rounds} | {' | '.join(cells)} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    table()
