"""The learner that a study uses when none is named, with the reason in words."""

from __future__ import annotations

from bestdo.bandit.goal import EARN, FIND
from bestdo.bandit.problem import Problem
from bestdo.causal.action import do
from bestdo.causal.identify import identify
from bestdo.learners.causal_top_two import believed
from bestdo.learners.cautions import not_shared
from bestdo.learners.unfolding import in_pairs, unfolded
from bestdo.statistics.seen import Seen
from bestdo.text import counted

__all__ = ["choose"]


def choose(problem: Problem, horizon: float) -> tuple[str, str]:
    """The name of the learner to use, and the reason in one sentence.

    To earn, causal Thompson. To find, causal top-two, except where hidden variables leave some actions to formulas: then
    watch-then-act, unless there are limits, which it does not look at.
    """
    return _CHOICES[problem.goal, problem.contexts.answer](problem, horizon)


def _to_earn(problem: Problem, horizon: float) -> tuple[str, str]:
    """The learner to earn with, and the reason."""
    why = "every round counts: an action is played as often as it may be the best"
    return "causal-thompson", f"{why}; {_taught(problem)}"


def _to_find_a_rule(problem: Problem, horizon: float) -> tuple[str, str]:
    """The learner to find the best action in each context with, and the reason."""
    if believed(unfolded(problem)).shares_all:
        why = _by_tables(problem, "a round teaches about other contexts, too")
    elif not_shared(problem) is not None:
        why = "tables are too large here, so a round teaches only about what it shows"
    else:
        why = "where causes are hidden, a round teaches about its own context alone"
    return "causal-top-two", f"{why}, and each is chosen by what it tells about the best action in each"


def _to_find(problem: Problem, horizon: float) -> tuple[str, str]:
    """The learner to find the best action for everybody with, and the reason."""
    actions = len(problem.actions)
    if believed(problem).shares_all:
        why = _by_tables(problem, "every round teaches about every action")
        return "causal-top-two", f"{why}, and each is chosen by what it tells about the best ones"
    hows = [identify(problem.graph, a).how for a in problem.actions if a] if problem.graph.hidden else []
    by_formula = sum(how in ("adjusting", "formula") for how in hows)
    if by_formula and problem.limits:
        why = "it leaves out actions that break a limit, and plays those of which that is not known"
        return "causal-top-two", f"hidden causes leave {by_formula} of {actions} actions to a formula; {why}"
    if by_formula and do() in problem.actions and horizon > actions and not problem.graphs.arrows:
        why = f"hidden causes leave {by_formula} of {actions} actions to a formula"
        return "watch-then-act", f"{why}: watch first, then play what watching cannot tell"
    shared = int((Seen(problem).seen_by.sum(axis=1) - 1).max(initial=0))
    if shared:
        why = f"one round can teach about {shared + 1} of {actions} actions, where seeing is as good as doing"
        return "causal-top-two", f"{why}, and each is chosen by what it tells about the best ones"
    return (
        "causal-top-two",
        f"what is seen tells nothing of other actions here, so the {actions} actions are played in turn",
    )


_CHOICES = {
    (FIND, "action"): _to_find,
    (FIND, "rule"): _to_find_a_rule,
    (EARN, "action"): _to_earn,
    (EARN, "rule"): _to_earn,
}
"""The choice by the goal, and by what is recommended (`Contexts.answer`)."""


def _by_tables(problem: Problem, taught: str) -> str:
    """The lesson of one round where means follow from tables, and the possible graphs in which they do not."""
    graphs = problem.graphs.candidates  # all causes are seen where none is listed
    hidden = sum(not graph.causes_seen for graph in graphs)
    if not hidden or len(graphs) == 1:
        return f"all causes of the reward are seen, so {taught}"
    return (
        f"in {len(graphs) - hidden} of {counted(len(graphs), 'possible graph')} all causes of the reward are seen, so that "
        f"{taught}; in the others it teaches only where seeing is as good as doing"
    )


def _taught(problem: Problem) -> str:
    """The lesson of one round, in half a sentence, as causal top-two and causal Thompson believe."""
    everywhere, own = problem.contexts.scope
    if believed(in_pairs(problem)).shares_all:
        return _by_tables(problem, f"each round teaches about every action{everywhere}")
    if not_shared(problem) is not None:
        return "tables are too large here, so a round teaches only about what it shows"
    shared = int((Seen(problem).seen_by.sum(axis=1) - 1).max(initial=0))
    if shared and not problem.first:
        return f"one round can teach about {shared + 1} of {len(problem.actions)} actions"
    return f"where causes are hidden, a round teaches about {own} alone"
