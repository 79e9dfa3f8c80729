"""Limits in words: what they are, whether the recommendation keeps them, and what they promise.

Every function returns nothing where a problem has no limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.bandit.limits import Limits
from bestdo.bandit.rule import Rule
from bestdo.report.document_blocks import Remark
from bestdo.text import chance, counted

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer, Best
    from bestdo.bandit.estimate import Estimate
    from bestdo.bandit.limit import Limit
    from bestdo.bandit.problem import Problem
    from bestdo.bandit.rule import InContext
    from bestdo.causal.action import Intervention
    from bestdo.report.reward_scale import Written

__all__ = [
    "KEEPS",
    "SAFE_ANSWER",
    "about",
    "beforehand",
    "beyond_data",
    "explained",
    "kept",
    "promise",
    "reported",
    "stated",
    "what_best_means",
]

KEEPS = "keeps limits"
"""The heading of a column with the probability that an action keeps all limits."""
SAFE_ANSWER = (
    "A safe answer is not safe exploration: to learn which actions keep {}, rounds play actions that may break {}; "
    'those that are known beforehand to be unacceptable are left out by never = ["do(…)"] in a limit.'
)
"""The warning wherever a study begins with limits that hold for the answer alone; in the braces, these limits."""


def stated(problem: Problem) -> list[Remark]:
    """The limits of a problem, what they rule out beforehand, and how sure it must be that an action keeps them."""
    words, limits = problem.contexts.words, problem.kept_limits
    each, everybody = limits.in_each, limits.over_everybody
    lines = []
    for limit in limits:
        known = (f"  {what}: {', '.join(map(str, actions))}" for what, actions in beforehand(limit, problem).items())
        lines += [f"within the limit: {limit}", *known]
    sure = f"with probability {problem.sure:g} or more"
    named = each.words if everybody else each.all_words
    lines += each.columns(f"{words.where}an action is recommended if it keeps {named}{words.there} {sure}")
    lines += everybody.columns(f"a rule is recommended if it keeps {everybody.words} {sure}")
    return [*map(Remark, lines)]


def beforehand(limit: Limit, problem: Problem) -> dict[str, tuple[Intervention, ...]]:
    """The actions that are known beforehand to break a limit, or to keep it, by what follows from that."""
    safe = tuple(action for action in limit.safe if action not in problem.retired)
    known = {"never allowed": limit.never, "while exploring, too, beginning with": safe}
    return {what: actions for what, actions in known.items() if actions}


def explained(problem: Problem) -> list[str]:
    """Sentences about the limits, and what they do not promise, for a problem of which nothing is known yet."""
    words, limits = problem.contexts.words, problem.kept_limits
    each, everybody = limits.in_each, limits.over_everybody
    name, them = ("Limits", "them") if len(each) > 1 else ("Limit", "it")
    rule = (
        f"{name}: {each.words}{words.each}. The best of the actions that keep {them}{words.there} with probability "
        f"{problem.sure:g} is recommended, or the nearest where none does. With limits every action can be the best."
    )
    whole = (
        f"{'Limits' if len(everybody) > 1 else 'Limit'}: {everybody.words}. The best rule that keeps "
        f"{'them' if len(everybody) > 1 else 'it'} with probability {problem.sure:g} is recommended, or the nearest where "
        "none does: one context can give what another takes."
    )
    never = ", ".join(map(str, limits.never))
    ruled_out = [f"Never allowed, because they break a limit: {never}."] if never else []
    return [*each.columns(rule), *everybody.columns(whole), *ruled_out, *promise(problem)]


def beyond_data(limits: Limits) -> tuple[str, ...]:
    """The facts about limits that old data alone do not tell."""
    said = " and ".join(map(str, limits))
    return limits.columns(
        f"This is about the reward alone. Which actions keep {said} is said by bestdo best in a study."
    )


def promise(problem: Problem) -> tuple[str, ...]:
    """The promise of limits in a study: what rounds may play, and which limits they may break."""
    limits = problem.limits
    others = Limits(limit for limit in limits if not limit.always)
    named = others.words if limits.always else "the limits"
    safe = limits.while_exploring(problem.sure, problem.retired)
    return (
        *limits.always.columns(f"While exploring, too, {safe}."),
        *others.columns(SAFE_ANSWER.format(named, "it" if limits.always and len(others) == 1 else "them")),
    )


def about(recommended: Best | Rule) -> str:
    """Whether a recommended action, or a rule in each context, keeps all limits; empty where there are none."""
    if isinstance(recommended, Rule):
        limits = recommended.problem.kept_limits
        each = limits.in_each.columns(_about_rule(recommended))
        return "; ".join((*each, *limits.over_everybody.columns(_about_everybody(recommended))))
    if recommended.rule is not None:
        return about(recommended.rule)
    return "".join([*recommended.limits.columns(_about_action(recommended)), *_about_near_miss(recommended)])


def _about_action(best: Best) -> str:
    """Whether an action keeps all limits; if not, it is the nearest."""
    if best.keeps >= best.sure:
        return f"it keeps all limits with probability {chance(best.keeps)}"
    none = f"no action keeps all limits with probability {best.sure:g} so far"
    return f"{none}; {best.action} is the nearest, with {chance(best.keeps)}"


def _about_near_miss(best: Best) -> tuple[str, ...]:
    """The words about an action that is likelier to be the best; nothing where there is none."""
    return tuple(
        f"; {other.action} is likelier to be the best (P(best) {chance(other.p_best)}), but keeps all limits with "
        f"probability {chance(other.keeps)}, below {best.sure:g}"
        for other in [best.near_miss]
        if other is not None
    )


def _about_rule(rule: Rule) -> str:
    """Whether a rule keeps all limits in each context, or the contexts where it does not."""
    sure, beyond, contexts = rule.problem.sure, rule.beyond_limits, rule.contexts
    if not beyond:
        least = min(one.keeps for one in contexts)
        more = "" if chance(least).startswith(">") else " or more"
        return f"in each context its action keeps all limits with probability {chance(least)}{more}"
    often = sorted(beyond, key=lambda c: -rule.shares[c])[:_MOST_NAMED]
    named = "; ".join(
        f"{rule.problem.contexts.written(c)}: {contexts[c].action}, {chance(contexts[c].keeps)}" for c in often
    )
    more = f"; and {len(beyond) - len(often)} more" if len(beyond) > len(often) else ""
    where = f"in {len(beyond)} of {counted(len(contexts), 'context')}"
    said = f"no action keeps all limits with probability {sure:g} so far, and the nearest is named"
    return f"{where} {said} ({named}{more})"


def _about_everybody(rule: Rule) -> str:
    """Whether a rule keeps the limits over everybody; if not, it is the nearest."""
    limits, kept = rule.problem.limits.over_everybody.words, chance(rule.everybody)
    if rule.everybody >= rule.problem.sure:
        return f"the rule keeps {limits} with probability {kept}"
    return f"no rule keeps {limits} with probability {rule.problem.sure:g} so far; this one is the nearest, with {kept}"


_MOST_NAMED = 3
"""Contexts in which limits are not kept that a sentence names; the table has all. Chosen, not measured."""


def kept(best: Best) -> list[Remark]:
    """Whether the recommendation keeps all limits; a problem where no action does with the probability asked for."""
    return [Remark(text, _LOOKS[best.within_limits]) for text in best.limits.columns(best.about_limits)]


_LOOKS = {True: "quiet", False: "problem"}
"""The looks of a remark, by whether the recommendation keeps all limits."""


def reported(answer: Answer, known: bool) -> list[Remark]:
    """The limits in a report, and whether the recommendation keeps them, where something is known of it."""
    said = [remark.sentence for remark in kept(answer.best)] if known else []
    limits, look = answer.problem.limits, _LOOKS[answer.best.within_limits].removeprefix("quiet")
    return [Remark(" ".join([f"{words}.", *said]).removesuffix("."), look) for words in limits.columns(limits.words)]


def _keeps_cells(limits: Limits, one: Estimate | InContext, written: Written = chance) -> tuple[str, ...]:
    """The cell of the column with the probability that an action keeps all limits."""
    return limits.columns(written(one.keeps))


def what_best_means(limits: Limits, where: str = "") -> tuple[str, ...]:
    """The meaning of "best" in a table below limits."""
    return limits.columns(f"P(best): that it is the best of those that keep all limits{where}")
