"""One round: the reason why it is asked for, and the check of what is told of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention, do
from bestdo.causal.identify import identify
from bestdo.errors import BestdoError, Deviates, GraphError, shown, unknown
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen
from bestdo.study.schema import NAME_LENGTH

__all__ = ["checked", "label", "reason"]


def reason(problem: Problem, found: Estimates, action: Intervention) -> str:
    """The reason for an action in one sentence, by the estimates at this time."""
    if action == do():
        teaches = _taught_by_watching(problem)
        return f"watching: this teaches about {teaches} actions at once" if teaches else "watching"
    index = problem.actions.index(action)
    seen, played = float(found.seen[0, index]), float(found.played[0, index])
    rounds_so_far = int(max(found.played[0].sum(), found.seen[0].max()))  # old data are rounds as well
    if not rounds_so_far:
        return "a first round: nothing is known yet"
    if seen <= rounds_so_far / len(problem.actions):
        if round(seen) == 0:
            return "not seen yet"
        return f"rarely seen on its own: {seen:.0f} times in {rounds_so_far} rounds"
    means = np.nan_to_num(found.mean[0], nan=-1.0)
    best = int(means.argmax())
    if means[index] >= means[best]:
        return f"the best so far, at {means[index]:.2f}: worth being surer of"
    if found.high[0, index] < means[best]:
        behind = f"at {means[index]:.2f} it is behind {problem.actions[best]} ({means[best]:.2f})"
        return f"{behind}, but what such a round shows helps to judge the others"
    against = f"{means[index]:.2f} so far, against {means[best]:.2f} of {problem.actions[best]}"
    return f"{against}: {'another play' if played else 'playing it'} tells which is better"


def label(text: str, what: str) -> str:
    """The text, checked: it fits into a column of any database."""
    if len(text) > NAME_LENGTH or "\0" in text:
        raise BestdoError(f"{shown(text)} cannot be {what}: at most {NAME_LENGTH} characters, none of them NUL")
    return text


@memory_cache
def _taught_by_watching(problem: Problem) -> int:
    """The number of actions that a round of do() teaches about: by seeing or, with hidden variables, by a formula."""
    seen = int(Seen(problem).seen_by[problem.actions.index(do())].sum()) - 1
    if not problem.graph.hidden:
        return seen
    return max(seen, sum(identify(problem.graph, a).how != "doing" for a in problem.actions if a))


def checked(problem: Problem, action: str, values: Mapping[str, str], happened: bool) -> tuple[dict[str, str], bool]:
    """The values in the graph's order, completed by what was set; and whether they contradict what was set."""
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
        raise Deviates(
            f"{shown(wrong[0])} was set to {shown(set_[wrong[0]])}, but {shown(clean[wrong[0]])} is told; if that is "
            "what happened, say so"
        )
    return {n: clean[n] for n in graph.observed if n in clean}, bool(wrong)
