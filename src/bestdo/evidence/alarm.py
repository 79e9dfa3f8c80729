"""An alarm when the rounds contradict the graph, with the evidence, at a false-alarm rate for the whole study."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.causal.graph import Graph
from bestdo.evidence.claims import Claim, claims
from bestdo.evidence.confidence_sequences import against_same
from bestdo.text import quoted

__all__ = ["LEVEL", "Alarm", "alarms"]

LEVEL = 0.05
"""How often a study whose graph is right may raise a false alarm, in all its rounds together."""

Floats = NDArray[np.float64]
_SHARES = 0.5, 0.25, 0.25  # of the level: actions as seen and as played, who set a variable, independences


@dataclass(frozen=True)
class Alarm:
    """The rounds contradict something that the graph claims."""

    claim: str
    """What the graph says."""
    evidence: str
    """What the rounds say."""
    chance: float
    """If the graph is right, at most so many studies ever see so much against it."""

    def __str__(self) -> str:
        often = math.floor(min(1 / max(self.chance, 1e-12), 1e9))
        return (
            f"{self.evidence}. {self.claim}; if the graph were right, so large a difference would ever be seen in at most "
            f"one study in {often:,}"
        )


def alarms(problem: Problem, rounds: Rounds, level: float = LEVEL) -> list[Alarm]:
    """What in the graph these rounds (of one lane) contradict, the strongest evidence first; as a rule nothing.

    **Theorem.** If the graph is right and values are missing by chance, then with probability at least 1 − level there is
    never an alarm, whatever is played, however many rounds there are and however often one looks.

    Proof. Take one claim: given its stratum, a round of any group has the target's values with the same chances p, whatever
    happened before. The evidence is a product over strata of M = (mixture likelihood, one per group) / (likelihood at the
    best common p), averaged with the strata's own M. At the true p in the denominator each M is a martingale of mean 1 as
    each round is in one stratum and one group; the best p only makes it smaller; averages and products over strata, of
    which one round moves one, stay martingales. By Ville's inequality it ever reaches 1 / alpha with probability at most
    alpha, and the alphas of all claims add up to the level: half of it for actions as seen and as played, a quarter for who
    set a variable, a quarter for independences, each shared evenly. The claims depend on the graph and the actions alone.
    """
    found = []
    for lot, share in zip(claims(problem.actions), _SHARES, strict=True):
        for claim in lot:
            counts = _counts(problem, claim, rounds)  # float[S, G, K]
            if (counts.sum(axis=(0, 2)) > 0).sum() < 2:
                continue
            strata = against_same(counts)
            chance = math.exp(-min(_together(strata), 700.0)) * len(lot) / share
            if chance <= level:
                worst = int(strata.argmax())
                found.append(Alarm(*_words(problem.graph, claim, counts[worst], worst), chance))
    return sorted(found, key=lambda alarm: alarm.chance)


def _together(strata: Floats) -> float:
    """The logarithm of the average of the strata's product and their average."""
    parts = np.append(strata - math.log(2 * len(strata)), strata.sum() - math.log(2))
    return float(np.logaddexp.reduce(parts))


def _counts(problem: Problem, claim: Claim, rounds: Rounds) -> Floats:  # float[S, G, K]
    """In how many rounds of each stratum and group the target took each value."""
    graph, actions = problem.graph, problem.actions
    place = {n: i for i, n in enumerate(graph.names)}
    group = claim.group[rounds.action]
    use = group >= 0
    if claim.action is not None:  # a play counts, though what it set may not be recorded
        a = actions.index(claim.action)
        for name, value in claim.action.items():
            use &= (rounds.x[:, place[name]] == graph.variable(name).code(value)) | (rounds.action == a)
    groups = int(claim.group.max()) + 1
    if claim.apart is not None:
        group, groups = rounds.x[:, place[claim.apart]].astype(np.int64), graph.size(claim.apart)
        use &= group >= 0
    target = rounds.x[:, place[claim.target]].astype(np.int64)
    if claim.target == graph.reward:
        success = graph.variable(graph.reward).code(graph.success)
        target = np.where(rounds.y, success, 1 - success)
    use &= target >= 0
    stratum, strata = np.zeros(len(group), np.int64), 1
    for name in claim.given:
        use &= rounds.x[:, place[name]] >= 0
        stratum, strata = stratum * graph.size(name) + rounds.x[:, place[name]], strata * graph.size(name)
    size = graph.size(claim.target)
    cell = (stratum * groups + group) * size + target
    times = None if rounds.times is None else rounds.times[use]
    counts = np.bincount(cell[use], times, minlength=strata * groups * size).reshape(strata, groups, size)
    return counts.astype(np.float64)


def _words(graph: Graph, claim: Claim, counts: Floats, stratum: int) -> tuple[str, str]:
    """The claim, and the evidence in the stratum where it is strongest (float[G, K])."""
    target = quoted(claim.target)
    where = _stratum(graph, claim.given, stratum)
    n = counts.sum(axis=1)
    share = counts / np.maximum(n, 1)[:, None]
    value = int(np.ptp(share[n > 0], axis=0).argmax())
    if claim.target == graph.reward:
        value = graph.variable(claim.target).code(graph.success)
    if claim.action is not None:
        evidence = (
            f"{claim.action}{where}: seen {n[0]:.0f} times with mean {share[0, value]:.2f}, "
            f"played {n[1]:.0f} times with mean {share[1, value]:.2f}"
        )
        return "The graph says that seeing it is as good as doing it" + (" there" if where else ""), evidence
    what = f"P({target} = {graph.variable(claim.target).values[value]})"
    causes = f" given {', '.join(map(quoted, claim.given))}" if claim.given else ""
    if claim.setting is not None:
        x, values = quoted(claim.setting), graph.variable(claim.setting).values
        names = [f"in which {x} was not set", *(f"in which it was set to {value}" for value in values)]
        said = f"The graph says that setting {x} leaves {target}{causes} alone"
    else:
        assert claim.apart is not None
        names = [f"with {quoted(claim.apart)} = {value}" for value in graph.variable(claim.apart).values]
        said = f"The graph says that {target} and {quoted(claim.apart)} are independent{causes}"
    seen = [f"{share[g, value]:.2f} in {n[g]:.0f} rounds {names[g]}" for g in np.flatnonzero(n)]
    return said, f"{what}{where} is " + ", ".join(seen)


def _stratum(graph: Graph, given: tuple[str, ...], stratum: int) -> str:
    parts = []
    for name in reversed(given):
        stratum, code = divmod(stratum, graph.size(name))
        parts.append(f"{quoted(name)} = {graph.variable(name).values[code]}")
    return f" where {', '.join(reversed(parts))}" if parts else ""
