"""Places to intervene: minimal and possibly-optimal intervention sets, and actions that can never be the best.

Lee & Bareinboim, *Structural causal bandits: where to intervene?*, NeurIPS 2018, and *… with non-manipulable
variables*, AAAI 2019.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bestdo.arguments import of_type
from bestdo.arrays import Bools
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import Graph
from bestdo.causal.identify import minimal, reaching
from bestdo.causal.separation import separated
from bestdo.errors import GraphError, TooLarge, unknown
from bestdo.memory_cache import memory_cache
from bestdo.text import quoted

__all__ = [
    "Dominated",
    "contenders",
    "dominated",
    "in_race_order",
    "minimal_sets",
    "parts_that_matter",
    "possibly_optimal_sets",
]

_MOST_SETS = 200_000  # the most minimal intervention sets that are listed; a limit of time and memory, not measured


def _reduced(graph: Graph, fixed: Iterable[str]) -> tuple[Graph, str]:
    """The latent projection without the variables `fixed`, cut down to the ancestors of the reward, and the reward."""
    if graph.reward is None:
        raise GraphError("where to intervene needs a reward: graph.rewarding(name, success)")
    names = set(fixed) - {graph.reward}
    for name in names:
        if name not in graph.names:
            raise GraphError(unknown("variable", name, graph.observed))
    observed = graph.projected(names)
    return observed.subgraph(observed.ancestors([graph.reward]) & set(observed.observed)), graph.reward


def _sorted(sets: Iterable[frozenset[str]], graph: Graph) -> list[frozenset[str]]:
    """The sets, small ones first, then by the graph's order of their variables."""
    place = {n: i for i, n in enumerate(graph.names)}
    return sorted(sets, key=lambda s: (len(s), sorted(place[n] for n in s)))


def minimal_sets(graph: Graph, fixed: Iterable[str] = ()) -> list[frozenset[str]]:
    """The minimal intervention sets: leaving out any of their variables can change the reward.

    `fixed` names variables that cannot be set.
    """
    graph, reward = _reduced(graph, fixed)

    def extend(chosen: frozenset[str], left: list[str]) -> Iterator[frozenset[str]]:
        """The set chosen so far, and all minimal ones that add some of the variables left."""
        yield chosen
        for i, name in enumerate(left):  # effects first, so what is chosen stays an ancestor of the reward
            more = chosen | {name}
            above = reaching(graph, more)
            yield from extend(more, [n for n in left[i + 1 :] if n in above])

    effects_first = [n for n in reversed(graph.order) if n in graph.observed and n != reward]
    sets = list(itertools.islice(extend(frozenset(), effects_first), _MOST_SETS + 1))
    if len(sets) > _MOST_SETS:
        raise TooLarge(f"there are more than {_MOST_SETS:,} minimal intervention sets; name more variables in `fixed`")
    return _sorted(sets, graph)


def possibly_optimal_sets(graph: Graph, fixed: Iterable[str] = ()) -> list[frozenset[str]]:
    """The possibly-optimal minimal intervention sets: in some model, setting exactly these is best.

    `fixed` names variables that cannot be set: they are projected out first (dropping the sets that hold them
    afterwards would be wrong).

    Raises GraphError where the graph has no reward.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("smoking -> tar -> cancer; smoking <-> cancer", reward="cancer", success="0")
    >>> [sorted(names) for names in bestdo.possibly_optimal_sets(graph)]
    [[], ['tar']]
    """
    of_type("a graph", graph, Graph, "Graph.parse('price -> sales', reward='sales')")
    graph, reward = _reduced(graph, fixed)
    territory, border = _territory(graph, reward)
    sets = {border}
    inside = graph.without_arrows_into(border).subgraph(territory | border)
    effects_first = [n for n in reversed(inside.order) if n in territory and n != reward]
    _search(inside, reward, effects_first, frozenset(), sets)
    return _sorted(sets, graph)


def _territory(graph: Graph, reward: str) -> tuple[frozenset[str], frozenset[str]]:
    """The minimal territory of the reward closed under hidden causes and effects (MUCT), and its border (IB)."""
    above = graph.subgraph(graph.ancestors([reward]) & set(graph.observed))
    territory = frozenset([reward])
    while (wider := above.descendants(above.district(territory)) & set(above.observed)) != territory:
        territory = wider
    border = {p for n in territory for p in above.parents[n]} & set(above.observed)
    return territory, frozenset(border - territory)


def _search(graph: Graph, reward: str, left: list[str], passed: frozenset[str], borders: set[frozenset[str]]) -> None:
    """Adds to `borders` those that arise when the variables `left` are set one after the other.

    A border that holds a variable of `passed` is found in another order.
    """
    for i, name in enumerate(left):
        cut = graph.without_arrows_into([name])
        territory, border = _territory(cut, reward)
        before = passed | set(left[:i])
        if not border & before:
            borders.add(border)
            rest = [n for n in left[i + 1 :] if n in territory]
            if rest:
                inside = cut.without_arrows_into(border).subgraph(territory | border)
                _search(inside, reward, rest, before, borders)


@dataclass(frozen=True)
class Dominated:
    """An action that can never be better than the best of some other allowed actions."""

    action: Intervention
    by: tuple[Intervention, ...]
    reason: str


def dominated(actions: Actions) -> dict[Intervention, Dominated]:
    """The dominated actions, which can be left out: in every model another allowed action is at least as good.

    Sound for any list of actions. Where every setting of every set of variables is allowed, exactly the settings of the
    possibly-optimal minimal intervention sets remain.
    """
    graph = actions.graph
    members: dict[frozenset[str], list[Intervention]] = {}
    for action in actions:
        members.setdefault(frozenset(action), []).append(action)
    alive = set(actions)
    worse: dict[Intervention, Dominated] = {}
    biggest_first = sorted(members, key=len, reverse=True)
    sets = _Sets(graph, members)
    while True:
        before = len(worse)
        for x in biggest_first:
            for w in sets.better(x, alive):
                for action in [a for a in members[x] if a in alive]:
                    family = _family(graph, action, w)
                    if alive.issuperset(family):
                        alive.discard(action)
                        worse[action] = Dominated(action, family, _why(graph, x, w))
                if alive.isdisjoint(members[x]):
                    break
        if len(worse) == before:
            return {a: worse[a] for a in actions if a in worse}


def in_race_order(actions: Actions) -> Actions:
    """The actions in the order in which equivalent ones are left out of a race: by name, however they are listed."""
    return Actions(actions.graph, sorted(actions, key=str))


@memory_cache
def contenders(actions: Actions) -> Bools:  # bool[A]
    """A mask of the actions that can be the best in some model; of equivalent ones always the same stays, in any order."""
    out = dominated(in_race_order(actions))
    contend = np.array([a not in out for a in actions])
    contend.setflags(write=False)
    return contend


def parts_that_matter(graph: Graph, actions: Iterable[Intervention]) -> list[Intervention]:
    """The part of each action that changes the reward: all that a path of arrows to it begins with, past the rest."""
    known: dict[frozenset[str], frozenset[str]] = {}
    found = []
    for action in actions:
        names = frozenset(action)
        matters = known.setdefault(names, minimal(graph, names))
        found.append(action if matters == names else Intervention({n: action[n] for n in action if n in matters}))
    return found


class _Sets:
    """The sets of variables that actions set, and which of them dominate which."""

    def __init__(self, graph: Graph, members: dict[frozenset[str], list[Intervention]]) -> None:
        assert graph.reward is not None
        self.graph, self.members = graph, members
        self.causes = frozenset(graph.parents[graph.reward])
        self.holding: dict[str, list[frozenset[str]]] = {}
        for names in members:
            for name in names:
                self.holding.setdefault(name, []).append(names)
        self.reaching: dict[frozenset[str], frozenset[str]] = {}

    def better(self, x: frozenset[str], alive: set[Intervention]) -> Iterator[frozenset[str]]:
        """The sets whose settings dominate those of x; only the part of x that matters, when that is allowed."""
        if alive.isdisjoint(self.members[x]):
            return
        direct = self.causes & x  # they have an effect whatever else is set: only setting them too will do
        matters = x if direct == x else minimal(self.graph, x)
        if matters != x and alive.issuperset(self.members.get(matters, [None])):
            yield matters
            return
        some = min((self.holding[name] for name in direct), key=len) if direct else self.members
        for w in some:
            if w != x and direct <= w and not alive.isdisjoint(self.members[w]) and self.is_better(w, x):
                yield w

    def is_better(self, w: frozenset[str], x: frozenset[str]) -> bool:
        """Whether the mean of do(x) is always an average of means of do(w), with w's other values as they come."""
        if x - w:  # rule 3: once w is set, the rest of x has no effect
            if w not in self.reaching:
                self.reaching[w] = reaching(self.graph, w)
            if not self.reaching[w].isdisjoint(x - w):
                return False
        return _seen_as_set(self.graph, w - x, x)


def _seen_as_set(graph: Graph, new: frozenset[str], x: frozenset[str]) -> bool:
    """Whether after do(x) seeing these variables is as good as setting them (rule 2 of do-calculus)."""
    assert graph.reward is not None
    return not new or separated(graph, [graph.reward], new, x, no_arrows_into=x, no_arrows_out_of=new)


def _family(graph: Graph, action: Intervention, w: frozenset[str]) -> tuple[Intervention, ...]:
    """All settings of w that agree with the action."""
    names = [n for n in graph.observed if n in w]
    choices = [(action[n],) if n in action else graph.variable(n).values for n in names]
    return tuple(Intervention(dict(zip(names, values, strict=True))) for values in itertools.product(*choices))


def _why(graph: Graph, x: frozenset[str], w: frozenset[str]) -> str:
    """The reason, as text, why settings of x are dominated by settings of w."""

    def listed(names: frozenset[str]) -> str:
        return ", ".join(quoted(n) for n in graph.names if n in names)

    if w < x:
        return f"setting {listed(x - w)} changes nothing" + (f" once {listed(w)} is set" if w else "")
    if x < w:
        return f"it leaves {listed(w - x)} to chance; setting that to its best value is at least as good"
    return f"it acts only through {listed(w)}; setting that to its best value is at least as good"
