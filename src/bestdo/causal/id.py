"""The ID algorithm: P(y | do(x)) as a formula of observed probabilities, on any graph with hidden variables.

Shpitser & Pearl, *Identification of joint interventional distributions in recursive semi-Markovian causal models*,
AAAI 2006, figure 3; the numbers in the comments are its lines. Complete: where it fails, a hedge shows why no formula
exists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bestdo.causal.formula import Formula, P, Ratio, product, sum_out
from bestdo.causal.graph import Graph

__all__ = ["Hedge", "NotIdentifiable", "id_algorithm"]


@dataclass(frozen=True)
class Hedge:
    """The witness that no formula exists: two sets of variables, each held together by hidden common causes.

    `inner` lies inside `outer`, and the variables set are in what is left: two models can agree on all that is seen
    and differ in what the intervention does.
    """

    outer: frozenset[str]
    inner: frozenset[str]


class NotIdentifiable(Exception):  # always caught by `identify`
    """Raised at line 5 of the algorithm: no formula exists, and `hedge` is the witness."""

    def __init__(self, hedge: Hedge) -> None:
        super().__init__(hedge)
        self.hedge = hedge


@dataclass(frozen=True)
class _Law:
    """A distribution: the observed one (`factors` is None), or a product of factors, the variables `dropped` summed out."""

    factors: dict[str, Formula] | None
    dropped: tuple[str, ...] = ()

    def joint(self, graph: Graph) -> Formula:
        """The distribution as one formula."""
        if self.factors is None:
            return P(graph.observed)
        return sum_out(self.dropped, product(self.factors.values()))

    def without(self, names: Iterable[str]) -> _Law:
        """The marginal distribution of the other variables."""
        if self.factors is None:
            return self
        gone = set(names)
        factors, dropped = dict(self.factors), [*self.dropped, *(n for n in self.factors if n in gone)]
        for name in reversed(list(factors)):  # where no other factor holds a variable, its own sums to 1
            if name in dropped and not any(name in f.names for n, f in factors.items() if n != name):
                del factors[name]
                dropped.remove(name)
        return _Law(factors, tuple(dropped))

    def conditional(self, graph: Graph, name: str, earlier: list[str]) -> Formula:
        """P(name | earlier), where `earlier` are all variables before it in a topological order of the graph."""
        if self.factors is None:  # only its district and that district's parents matter (ordered local Markov)
            among = graph.subgraph([*earlier, name])
            district = among.district([name])
            near = {p for d in district for p in among.parents[d]} | district
            return P((name,), tuple(n for n in earlier if n in near))
        if not self.dropped and self._keeps_order(name, earlier):
            return self.factors[name]
        later = [n for n in graph.observed if n != name and n not in earlier]
        joint = self.joint(graph)
        return Ratio(sum_out(later, joint), sum_out([name, *later], joint))

    def _keeps_order(self, name: str, earlier: list[str]) -> bool:
        """Whether the factors before that of `name` are those of `earlier`, so that its factor is the conditional."""
        assert self.factors is not None
        names = list(self.factors)
        return set(names[: names.index(name)]) == set(earlier)


def id_algorithm(y: frozenset[str], x: frozenset[str], graph: Graph) -> Formula:
    """The formula of P(y | do(x)) on a latent projection; raises NotIdentifiable where there is none."""
    return _identify(y, x, _Law(None), graph)


def _identify(y: frozenset[str], x: frozenset[str], law: _Law, graph: Graph) -> Formula:
    """P(y | do(x)) where `law` is the distribution of the graph's variables: the recursion of the paper's figure 3."""
    everything = frozenset(graph.observed)
    if not x:  # line 1
        if law.factors is None:
            return P(tuple(n for n in graph.observed if n in y))
        return law.without(everything - y).joint(graph)
    above = graph.ancestors(y) & everything
    if above != everything:  # line 2
        return _identify(y, x & above, law.without(everything - above), graph.subgraph(above))
    cut = graph.without_arrows_into(x)
    idle = (everything - x) - cut.ancestors(y)
    if idle:  # line 3
        return _identify(y, x | idle, law, graph)
    rest = graph.subgraph(everything - x)
    if len(rest.districts) > 1:  # line 4
        terms = [_identify(s, everything - s, law, graph) for s in rest.districts]
        return sum_out([n for n in graph.observed if n not in y | x], product(terms))
    (s,) = rest.districts
    if len(graph.districts) == 1:  # line 5
        raise NotIdentifiable(Hedge(everything, s))
    order = [n for n in graph.order if n in everything]
    bigger = next(d for d in graph.districts if s <= d)
    factors = {n: law.conditional(graph, n, order[: order.index(n)]) for n in order if n in bigger}
    if s == bigger:  # line 6
        return sum_out([n for n in order if n in s - y], product(factors.values()))
    return _identify(y, x & bigger, _Law(factors), graph.subgraph(bigger))  # line 7
