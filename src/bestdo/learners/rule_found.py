"""The rule that a learner recommends, with what is known of it, from joint draws of all means and of the contexts."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import in_unit
from bestdo.bandit.reach import reach_of
from bestdo.bandit.rule import InContext, Rule, Value
from bestdo.learners.beliefs.belief import summed_up
from bestdo.learners.context_effects import with_common_effects
from bestdo.learners.rule_game import RuleGame, RuleState

__all__ = ["rule_of"]


def rule_of(game: RuleGame, state: RuleState) -> Rule:
    """The rule of the first lane."""
    problem, graph = game.problem, game.problem.graph
    contexts, actions = len(problem.contexts), len(problem.actions)
    rule, single = game.recommended(state)[0][0], int(game.best(state)[0])
    shares, means = game.shares(state)[0], game.means(state)[0]
    drawn = game.joint(state)
    places = np.arange(contexts)
    found = game.of_pairs(state)
    seen = found.seen[0].reshape(contexts, actions)
    worth_of = (
        drawn.means
        if game.shares_contexts(state)
        else with_common_effects(drawn.means, seen, graph.success is not None)
    )
    by_rule = (drawn.shares * worth_of[:, places, rule]).sum(axis=1)
    by_single = (drawn.shares * worth_of[:, :, single]).sum(axis=1)
    worst, best = graph.span
    ends = reach_of(graph).ends(graph.rewarded)
    value = Value(*_in_unit(float(shares @ means[places, rule]), by_rule, worst, best, ends))
    alone = Value(*_in_unit(float(shares @ means[:, single]), by_single, worst, best, ends))
    better = float(shares @ (means[places, rule] - means[:, single]))
    most = ends[0] - ends[1], ends[1] - ends[0]
    gain = Value(*_in_unit(better, by_rule - by_single, 0.0, abs(best - worst), most))
    in_each = game.keeps_in_each(state)[0]
    keeps, everybody = game.keeps(state)[0], game.keeps_over_everybody(state)
    among = problem.contenders_given_first
    chances = [game.keeping.p_best(drawn.means[:, c], keeps[c], among) for c in places]
    mean, low, high = (part[0].reshape(contexts, actions) for part in in_unit(found, state.own.problem.actions))
    if not game.shares_contexts(state):
        value = _wider(value, shares, mean[places, rule], low[places, rule], high[places, rule], ends)
        alone = _wider(alone, shares, mean[:, single], low[:, single], high[:, single], ends)
    played = state.own.played[0].reshape(contexts, actions)
    each = tuple(
        InContext(
            context,
            problem.actions[int(a)],
            float(mean[c, a]),
            float(low[c, a]),
            float(high[c, a]),
            float(chances[c][a]),
            int(played[c, a]),
            float(shares[c]),
            int(state.seen[0, c]),
            float(in_each[c, a]),
        )
        for c, (context, a) in enumerate(zip(problem.contexts, rule, strict=True))
    )
    worth = float((by_rule > by_single).mean()) if (rule != single).any() else 0.0
    means_in_unit = worst + means * (best - worst)
    return Rule(
        problem, rule, means_in_unit, shares, each, value, problem.actions[single], alone, gain, worth, keeps, everybody
    )


def _in_unit(
    mean: float, drawn: Floats, worst: float, best: float, bounds: tuple[float, float]
) -> tuple[float, float, float]:
    """A mean and both ends of the 95 % interval of its draws, from the scale of learners to the unit of the reward.

    What has bounds is within them.
    """
    low, high = (float(end[0]) for end in summed_up(drawn[:, None], np.ones(1, bool))[:2])
    ends = sorted(worst + part * (best - worst) for part in (min(low, mean), max(high, mean)))
    return worst + mean * (best - worst), max(ends[0], bounds[0]), min(ends[1], bounds[1])


def _wider(value: Value, shares: Floats, mean: Floats, low: Floats, high: Floats, bounds: tuple[float, float]) -> Value:
    """A value whose interval is no shorter than those of the contexts (float[C] each) allow, if these are independent."""
    down, up = (float(np.sqrt(((shares * part) ** 2).sum())) for part in (mean - low, high - mean))
    ends = value.mean - down, value.mean + up
    if not np.isfinite(ends).all():
        return value
    least, most = bounds
    return Value(value.mean, max(min(value.low, ends[0]), least), min(max(value.high, ends[1]), most))
