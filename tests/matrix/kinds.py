"""Kinds of studies: what is rewarded, and which of the features of a problem are present; each with a small example."""

import itertools
import random
import zlib
from dataclasses import dataclass, fields

REWARDS = {
    "success": ('values = ["no", "yes"]', 'success = "yes"'),
    "worth": ('values = ["none", "some", "full"]\nunit = "euro"', "worth = { none = -1.0, some = 0.5, full = 2.0 }"),
    "number": ('number = true\nlow = 0.0\nhigh = 10.0\nunit = "h"', 'aim = "maximise"'),
    "count": ("count = true\ntypical = 5.0", 'aim = "minimise"'),
}
"""Lines of a file on the variable and on the graph for each kind of reward; a further kind is a further line."""


@dataclass(frozen=True)
class Kind:
    """A kind of study."""

    reward: str = "success"
    contexts: bool = False
    limits: bool = False
    earn: bool = False
    doubts: bool = False
    costs: bool = False
    late: bool = False
    """Whether results come only after further rounds were handed out."""

    def __str__(self):
        return " ".join([self.reward, *(each.name for each in fields(self)[1:] if getattr(self, each.name))])


ALL = [Kind(reward, *rest) for reward in REWARDS for rest in itertools.product((False, True), repeat=6)]
TOGETHER = [Kind(reward, True, True, earn, True, True, True) for reward in REWARDS for earn in (False, True)]
"""Limits, contexts, doubts, costs and late results at once."""


def _pairs(kind):
    """Every two features of a kind with their values."""
    return set(itertools.combinations([(each.name, getattr(kind, each.name)) for each in fields(kind)], 2))


def _pairwise():
    """Few kinds, in which every two values of two features occur together; one with everything at once begins."""
    chosen, left = [TOGETHER[0]], set().union(*map(_pairs, ALL)) - _pairs(TOGETHER[0])
    while left:
        chosen.append(max(ALL, key=lambda kind: len(_pairs(kind) & left)))
        left -= _pairs(chosen[-1])
    return chosen


PAIRWISE = _pairwise()


def text(kind):
    """The file of a problem of a kind."""
    variable, wanted = REWARDS[kind.reward]
    edges = ["drug -> marker", "dose ?-> marker" if kind.doubts else "dose -> marker", "marker -> relief"]
    edges += ["ward -> marker", "ward -> relief"] if kind.contexts else []
    edges += ["dose -> harm", "drug -> harm", "dose -> stay"] if kind.limits else []
    parts = [
        "bestdo = 1",
        '[variables.drug]\nvalues = ["A", "B"]',
        '[variables.dose]\nvalues = ["low", "high"]',
        '[variables.ward]\nvalues = ["east", "west"]' if kind.contexts else "",
        '[variables.marker]\nvalues = ["down", "up"]',
        '[variables.harm]\nvalues = ["no", "yes"]' if kind.limits else "",
        f"[variables.relief]\n{variable}",
        '[variables.stay]\nnumber = true\nunit = "d"\nlow = 0\nhigh = 10' if kind.limits else "",
        f'[graph]\nedges = {edges}\nreward = "relief"\n{wanted}',
        '[actions]\nset = ["drug", "dose"]\nat_most = 1',
        '[problem]\nfirst = ["ward"]' if kind.contexts else "",
        '[costs]\ndefault = 1.0\n"do(dose=high)" = 2.0' if kind.costs else "",
        '[[limits]]\nvariable = "harm"\nvalue = "yes"\nat_most = 0.4' if kind.limits else "",
        '[[limits]]\nvariable = "stay"\nabove = 7.5\nat_most = 0.3' if kind.limits else "",
    ]
    return "\n\n".join(filter(None, parts)).replace("'", '"')


def options(kind):
    """Arguments of `Study.create` beside the file."""
    amount = {"budget": 40.0} if kind.costs else {"rounds": 30}
    return amount | {"goal": "earn" if kind.earn else "find", "seed": 3}


def context(kind, number):
    """The context of the round that is asked for as this one."""
    return {"ward": random.Random(f"ward {number}").choice(["east", "west"])} if kind.contexts else None


def outcome(problem, number, action, seen):
    """Values of all variables in a round, which depend on the number, the action and the context alone."""
    drawn, chance = dict(action) | dict(seen or {}), random.Random(f"round {number}")
    for name in problem.graph.names:  # causes stand before effects
        variable, causes = problem.graph.variable(name), problem.graph.parents[name]
        effect = sum(_effect(f"{cause}={drawn[cause]} {name}") for cause in causes)
        if name not in drawn:
            drawn[name] = _drawn(variable, effect, chance)
    return drawn


def _drawn(variable, effect, chance):
    """A value of a variable: the higher the effect, the likelier the last ones."""
    if variable.number is not None and variable.number.word == "count":
        return sum(chance.random() < max(0.05, 0.25 + 0.1 * effect) for _ in range(20))
    if variable.number is not None:
        return round(min(max(5 + 1.5 * effect + chance.uniform(-2, 2), 0.0), 10.0), 2)
    steps = len(variable.values) - 1
    weights = [max(0.1, 1 + effect * (place / steps - 0.5)) for place in range(steps + 1)]
    return chance.choices(variable.values, weights)[0]


def _effect(words):
    """A number between -1 and 1 that the words always have."""
    return (zlib.crc32(words.encode()) % 2001) / 1000 - 1
