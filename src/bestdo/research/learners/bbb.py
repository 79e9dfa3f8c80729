"""BBB: knows no graph; averages over sets of parents, each of which turns watching into a prior of every action."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.errors import BestdoError, NotValid, TooLarge, unknown
from bestdo.learners.beliefs.graph_scores import score_changes
from bestdo.learners.count_state import Counts, add_block, is_old, play_once, start_counts
from bestdo.learners.reasons import bound_words
from bestdo.research.learners.back_door_prior import back_door_prior
from bestdo.research.learners.order_chains import Uniform, first_orders, move, set_chances
from bestdo.statistics.all_families import AllFamilies, FamilyList

__all__ = ["BBB"]


_CRITERIA = ("bayes-ucb", "thompson", "ucb")
_CHAINS = 32
"""Orders of the variables that are kept in each lane. More are slower in proportion."""
_STEPS, _STEPS_OF_MANY = 5, 500
"""Proposals for each chain after a block: few, as a round moves the scores little; many where the block brings more than one
part in `_PART` of all rounds, as old data do. Tried on graphs of four variables against all orders
(`tests/research/learners/test_bbb.py`)."""
_PART = 20
_LEAST_CHANCE = 1e-6
"""Sets of parents that are less probable than this are left out of the mixture: as in the authors' code."""
_MOST_SETS = 16
"""Sets of parents of a variable in the mixture, the most probable ones: where little is known there are hundreds that are
equally probable, and say nearly the same."""
_HALVINGS = 16
"""Steps of bisection for a quantile of the mixture: errors are below 1e-5."""
_MOST_NUMBERS = 2**27
"""Counts of all lanes together: 1 GB."""
_TAIL = 0.025


class _BBBState(NamedTuple):
    """Counts, scores of families, orders of the variables, and the prior of each action under each set of parents."""

    counts: Counts
    families: Floats
    """float[L, cells]: counts of families."""
    joint: Tally
    """[L, cells]: counts and rewards of sets of variables in rounds of do()."""
    watched: Tally
    """[L, 1]: rounds of do() and their rewards, old ones included."""
    scores: Floats
    """float[L, N · S]: the log marginal likelihood of each family."""
    orders: Ints
    """int[L, M, N]"""
    chances: Floats
    """float[L, N, S]: the probability of each set of parents of each variable."""
    mean: Floats
    """float[L, A, S]: the prior mean of each action under each set of parents of the variable that it sets."""
    worth: Floats
    """float[L, A, S]: how many rounds that is worth."""


@dataclass(frozen=True)
class BBB:
    """BBB: each action's prior is what watching says of it, adjusted for each possible set of parents of its variable.

    Huang & Zhou (TMLR 2023), Algorithm 1, for rewards of two values, single actions, nothing hidden and no graph. Line 1: the
    probabilities of sets of parents, by BDeu scores of all rounds (one that sets a variable tells nothing of its parents).
    Lines 2 to 4: for each action and set Z a Beta prior with the back-door mean adjusted for Z and the worth of its
    variance, from rounds of do(). Line 7: the action's posterior is the mixture over Z; the action with the highest quantile
    1 - 1 / (t (log T)^c) is played (Bayes-UCB), with the highest draw (Thompson), or the highest mean + c √(variance log t)
    (UCB). Lines 10 to 13: plays of the action update each Beta, and all rounds the probabilities of sets.

    Deviations: sets of parents are averaged over orders of the variables, drawn by 32 chains that go on from round to
    round, where the authors start anew in each round (order MCMC, for 20 variables) or add up all graphs (for ten).
    Rounds of do() that are played later count for priors, too; do() has a prior worth one round. The
    variance of an adjusted mean is the first-order one.
    """

    criterion: str = "bayes-ucb"
    """The rule by which an action is chosen: "bayes-ucb", "thompson" or "ucb"."""
    c: float = 0.0
    """The c of the criterion: a power for Bayes-UCB, 0 as in the authors' runs; a factor for UCB."""
    most_parents: int = 3
    """The most parents of a variable."""

    traits = Traits(reasons=True)

    def __post_init__(self) -> None:
        if self.criterion not in _CRITERIA:
            raise BestdoError(unknown("criterion of BBB", self.criterion, _CRITERIA))

    def statistic(self, problem: Problem, horizon: float) -> AllFamilies:
        """Counts of all families, of sets of variables while nothing is set, and plays."""
        _require_single(problem)
        return AllFamilies(problem, self.most_parents)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _BBBState:
        """The state before the first round."""
        _require_single(problem)
        families_listed = AllFamilies(problem, self.most_parents).list
        cells = families_listed.families.total + families_listed.joint.total
        if lanes * cells > _MOST_NUMBERS:
            raise TooLarge(
                f"{lanes:,} lanes of {cells:,} counts each are too many at once for BBB: play at most "
                f"{_MOST_NUMBERS // cells:,} lanes, or let it take fewer parents (most_parents)"
            )
        counts = start_counts(problem, horizon, lanes, rng)
        variables, sets = families_listed.sets.shape
        orders = first_orders(variables, _CHAINS, _uniform(counts))
        scores, none = np.zeros((lanes, variables * sets)), Tally.zeros(lanes, 1)
        joint = Tally.zeros(lanes, families_listed.joint.total)
        mean, worth = _priors(problem, families_listed, joint, none)
        chances = _chances(families_listed, scores, orders)
        families = np.zeros((lanes, families_listed.families.total))
        return _BBBState(counts, families, joint, none, scores, orders, chances, mean, worth)

    def ask(self, state: _BBBState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round: the action with the highest criterion (line 7)."""
        counts = state.counts
        if not counts.left.any():
            return None
        weight, good, bad = _mixtures(state)
        t = 1 + counts.played.sum(axis=1)
        if self.criterion == "thompson":
            place = (rng.random(weight.shape[:2])[..., None] > np.cumsum(weight, axis=2)).sum(axis=2)
            place = np.minimum(place, weight.shape[2] - 1)[..., None]
            value = rng.beta(*(np.take_along_axis(part, place, axis=2)[..., 0] for part in (good, bad)))
        elif self.criterion == "ucb":
            mean, variance = _moments(weight, good, bad)
            value = mean + self.c * np.sqrt(variance * np.log(t)[:, None])
        else:
            log = math.log(max(3, counts.problem.rounds(counts.horizon)))
            value = _quantile(weight, good, bad, 1 - 1 / np.maximum(t * log**self.c, 1.0)[:, None])
        return play_once([argmax(value, counts.ties, counts.block)], counts)

    def tell(self, state: _BBBState, plan: Plan, tally: Tally) -> _BBBState:
        """The state after a block (lines 10 to 13), with new scores and orders, and new priors where do() was played."""
        problem = state.counts.problem
        statistic = AllFamilies(problem, self.most_parents)
        families_listed = statistic.list
        families, joint, plays = statistic.apart(tally)
        counts = add_block(state.counts, plan, plays)
        scores = state.scores + score_changes(families_listed, state.families, families.weight)
        total = state.families + families.weight
        state = state._replace(counts=counts, families=total, scores=scores)
        if joint.weight.any():
            own = joint.cells(
                slice(0, int(families_listed.joint.start[1]))
            )  # the first variable alone: every round once
            seen = Tally.from_counts(own.weight.sum(axis=1, keepdims=True), own.reward.sum(axis=1, keepdims=True))
            state = state._replace(joint=state.joint.plus(joint), watched=state.watched.plus(seen))
            mean, worth = _priors(problem, families_listed, state.joint, state.watched)
            state = state._replace(mean=mean, worth=worth)
        new, known = plays.weight.sum(axis=1), counts.tally.weight.sum(axis=1)
        steps = np.where((new > 1) & (new * _PART > known), _STEPS_OF_MANY, np.where(new > 0, _STEPS, 0))
        orders = state.orders.copy()
        if is_old(plan, tally):  # the chains begin anew: what they find depends on the sums of all old rounds alone
            orders, steps = (
                first_orders(len(families_listed.sets), _CHAINS, _uniform(counts)),
                np.full(len(orders), _STEPS_OF_MANY),
            )
        for number in (n for n in np.unique(steps) if n):
            which = np.flatnonzero(steps == number)
            theirs = scores[which].reshape(len(which), *families_listed.sets.shape)
            orders[which] = move(families_listed.sets, theirs, orders[which], int(number), _uniform(counts, which))
        return state._replace(orders=orders, chances=_chances(families_listed, scores, orders))

    def reason(self, state: _BBBState, action: int) -> str:
        """The action's bound, or draw, is the highest over all sets of parents."""
        if self.criterion == "thompson":
            return "its mean is the best in a draw over all sets of causes"
        if self.criterion == "bayes-ucb" and not state.counts.played[0].any():
            return "the first round, in which its rule has the same bound for all actions"
        end, most = bound_words(state.counts.problem)
        return f"its {end} bound over all sets of causes is the {most}"

    def best(self, state: _BBBState) -> Ints:  # int[L]
        """The action with the best posterior mean."""
        return argmax(_moments(*_mixtures(state))[0], state.counts.ties, state.counts.block)

    def estimates(self, state: _BBBState) -> Estimates:
        """The posterior mean of each action with a 95 % interval, over all sets of parents."""
        counts, mixtures = state.counts, _mixtures(state)
        mean, _ = _moments(*mixtures)
        low, high = (_quantile(*mixtures, np.full((len(mean), 1), p)) for p in (_TAIL, 1 - _TAIL))
        watching = _watching(counts.problem)
        seen = np.where(watching, 0, counts.tally.weight) + state.watched.weight
        return Estimates(mean, low, high, counts.played, seen, contenders=counts.problem.contenders)


def _require_single(problem: Problem) -> None:
    """Raises NotValid where an action sets several variables."""
    if any(len(action) > 1 for action in problem.actions):
        raise NotValid("BBB is for actions that set one variable each: take top-two or thompson")


def _uniform(counts: Counts, which: Ints | slice = slice(None)) -> Uniform:
    """Random numbers for the chains of some lanes after a block: `tell` has no generator, and no lane depends on others.

    By splitmix64 of the lane's key, the block and how many numbers were drawn before.
    """
    key = counts.ties.key[which, None] ^ np.uint64((counts.block * 0xD1342543DE82EF95 + 1) % 2**64)  # uint64[L, 1]
    drawn = 0

    def numbers(many: int) -> Floats:
        nonlocal drawn
        step = np.arange(drawn, drawn + many, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        drawn += many
        z = key + step
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53)

    return numbers


def _chances(families: FamilyList, scores: Floats, orders: Ints) -> Floats:  # float[L, N, S]
    """The probability of each set of parents in each lane (line 1)."""
    return set_chances(families.sets, scores.reshape(len(scores), *families.sets.shape), orders)


def _priors(problem: Problem, families: FamilyList, joint: Tally, watched: Tally) -> tuple[Floats, Floats]:
    """The prior mean of each action under each set of parents, and its worth (lines 2 to 4): float[L, A, S] twice."""
    each = back_door_prior(families, joint, watched.weight[:, 0], watched.reward[:, 0])
    shape = (len(watched.weight), len(problem.actions), families.sets.shape[1])
    mean, worth = np.full(shape, 0.5), np.ones(shape)
    variables, codes = _variables(problem), problem.actions.codes.max(axis=1)
    for a in np.flatnonzero(codes >= 0):
        adjusted, rounds = each[variables[a]]
        mean[:, a], worth[:, a] = adjusted[:, codes[a]], rounds[:, codes[a]]
    return mean, worth


def _mixtures(state: _BBBState) -> tuple[Floats, Floats, Floats]:
    """The weights of the Beta distributions of each action, and their two parameters: float[L, A, W] each."""
    problem = state.counts.problem
    chances = state.chances[:, _variables(problem)]  # float[L, A, S]
    width = min(_MOST_SETS, int((chances > _LEAST_CHANCE).sum(axis=2).max()))
    place = np.argsort(-chances, axis=2, kind="stable")[:, :, :width]
    weight, mean, worth = (np.take_along_axis(part, place, axis=2) for part in (chances, state.mean, state.worth))
    weight = np.where(weight > _LEAST_CHANCE, weight, 0.0)
    weight = weight / weight.sum(axis=2, keepdims=True)
    plays = state.counts.tally
    n, s = plays.weight.copy(), plays.reward.copy()
    watching = _watching(problem)
    n[:, watching], s[:, watching] = state.watched.weight, state.watched.reward
    return weight, worth * mean + s[..., None], worth * (1 - mean) + (n - s)[..., None]


def _variables(problem: Problem) -> Ints:  # int[A]
    """The number of the variable that each action sets; 0 for do(), whose prior is the same for all sets of parents."""
    place = {n: i for i, n in enumerate(problem.graph.names)}
    return np.array([place[next(iter(action))] if action else 0 for action in problem.actions])


def _watching(problem: Problem) -> Bools:  # bool[A]
    """A mask of the actions that set nothing."""
    return np.array([not action for action in problem.actions])


def _moments(weight: Floats, good: Floats, bad: Floats) -> tuple[Floats, Floats]:  # float[L, A] twice
    """The mean and variance of each mixture."""
    each, n = good / (good + bad), good + bad
    mean = (weight * each).sum(axis=2)
    second = (weight * (each**2 + each * (1 - each) / (n + 1))).sum(axis=2)
    return mean, np.maximum(second - mean**2, 0)


def _quantile(weight: Floats, good: Floats, bad: Floats, p: Floats) -> Floats:  # float[L, A]
    """The quantiles p (float[L, 1]) of each mixture, by bisection; once for all mixtures that are alike."""
    from scipy.special import betainc

    each = np.concatenate([weight, good, bad, np.broadcast_to(p[..., None], (*weight.shape[:2], 1))], axis=2)
    different, which = np.unique(each.reshape(-1, each.shape[2]), axis=0, return_inverse=True)
    (weight, good, bad), p = np.split(different[:, :-1], 3, axis=1), different[:, -1]
    low, high = np.zeros(len(p)), np.ones(len(p))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = (weight * betainc(good, bad, middle[:, None])).sum(axis=1) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(((low + high) / 2)[which.reshape(each.shape[:2])])
