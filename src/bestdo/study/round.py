"""One round: why it is asked for, and whether what is told of it can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import Seen
from bestdo.causal.action import Intervention, do
from bestdo.errors import BestdoError, GraphError, shown, unknown
from bestdo.learners.until_sure import UntilSure

__all__ = ["checked", "reason"]


def reason(problem: Problem, learner: Learner[Any], found: Estimates, action: Intervention) -> str:
    """Why this action, in one sentence, by what the learner believes now."""
    index = problem.actions.index(action)
    seen, played = float(found.seen[0, index]), float(found.played[0, index])
    rounds_so_far = int(found.played[0].sum())
    if action == do():
        teaches = int(Seen(problem).seen_by[index].sum()) - 1
        return f"watching: this teaches about {teaches} actions at once" if teaches else "watching"
    if rounds_so_far and seen <= rounds_so_far / len(problem.actions):
        return f"rarely seen on its own: {seen:.0f} times in {rounds_so_far} rounds"
    if played:
        return f"still worth playing: {played:.0f} plays so far, mean {found.mean[0, index]:.2f}"
    planner = learner.inner if isinstance(learner, UntilSure) else learner
    return f"not played yet; part of the plan of {planner.__class__.__name__}"


def checked(problem: Problem, action: str, values: Mapping[str, str], happened: bool) -> tuple[dict[str, str], bool]:
    """The values in the graph's order, with what was set filled in; and whether they contradict what was set."""
    graph, set_ = problem.graph, Intervention.parse(action)
    clean: dict[str, str] = {}
    for name, value in values.items():
        if name not in graph.observed:
            raise GraphError(unknown("variable", name, graph.observed))
        graph.variable(name).code(value)
        clean[name] = str(value)
    assert graph.reward is not None
    if graph.reward not in clean:
        allowed = ", ".join(map(shown, graph.variable(graph.reward).values))
        raise BestdoError(f"the reward {shown(graph.reward)} must be told: one of {allowed}")
    wrong = [n for n, v in set_.items() if clean.setdefault(n, v) != v]
    if wrong and not happened:
        raise BestdoError(
            f"{shown(wrong[0])} was set to {shown(set_[wrong[0]])}, but {shown(clean[wrong[0]])} is told; if that is "
            "what happened, say so"
        )
    return {n: clean[n] for n in graph.observed if n in clean}, bool(wrong)
