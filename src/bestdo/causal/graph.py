"""Variables, and the graph of causes and effects between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import bestdo.display as display
from bestdo.arguments import listed, of_type, shown_value, text_of
from bestdo.causal import arrows, as_networkx, projection, to_libraries, wanted
from bestdo.causal.scale import Scale
from bestdo.causal.variable import BOTH, Variable, first_twice
from bestdo.causal.worth import Worth
from bestdo.errors import GraphError, shown, unknown
from bestdo.text import counted, quoted

__all__ = ["BOTH", "Graph", "Variable"]


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed acyclic graph over variables, some of them hidden, with at most one reward.

    `A <-> B` is kept as what it means: a hidden common cause, a variable named ``A<->B`` with no parents.

    variables: Variable objects. parents: the names of the parents of each. `Graph.parse` and `Graph.of` are easier. Raises
    GraphError, which says what is wrong with a name, an arrow or the reward.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("season -> price -> sales; season -> sales", reward="sales", success="1")
    >>> graph.parents["sales"]
    ('price', 'season')
    """

    variables: tuple[Variable, ...]
    parents: Mapping[str, tuple[str, ...]]
    reward: str | None = None
    success: str | None = None
    """The reward's value that counts as success, all others as failure; "1" by default when they are "0" and "1"."""
    worth: Worth | None = None
    """Instead of a success: the number that each value of the reward is worth."""
    aim: str | None = None
    """The aim where the reward is a number, or has a worth: "maximise" (the default of a worth) or "minimise" its mean."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        if not self.variables:
            raise GraphError("a graph needs at least one variable")
        names = [v.name for v in self.variables]
        if len(set(names)) < len(names):
            twice = first_twice(names)
            raise GraphError(f"variable {shown(twice)} is declared twice")
        known = set(names)
        for child, parents in self.parents.items():
            for name in (child, *parents):
                if name not in known:
                    raise GraphError(unknown("variable", name, names))
            if len(set(parents)) < len(parents):
                raise GraphError(f"variable {shown(child)} lists a parent twice: {', '.join(map(shown, parents))}")
        full = {n: tuple(self.parents.get(n, ())) for n in names}
        object.__setattr__(self, "parents", MappingProxyType(full))
        _ = self.order
        for field, value in wanted.checked(self).items():
            object.__setattr__(self, field, value)

    # values: equality, hash, pickling, printing

    def _key(self) -> tuple[object, ...]:
        return self.variables, tuple(self.parents.items()), self.reward, self.success, self.worth, self.aim

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self._key() == other._key()

    @cached_property
    def _hash(self) -> int:
        return hash(self._key())

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Graph, (self.variables, dict(self.parents), self.reward, self.success, self.worth, self.aim)

    def __repr__(self) -> str:
        wish = "" if self.reward is None else f"; wanted: {self.wanted}"
        hidden = f", {len(self.hidden)} hidden" if self.hidden else ""
        arrows = counted(sum(map(len, self.parents.values())), "arrow")
        return f"Graph({counted(len(self.names), 'variable')}{hidden}, {arrows}{wish})"

    def __str__(self) -> str:
        return "; ".join(self.edges)

    _repr_html_ = display.html
    plot = display.plot

    @property
    def edges(self) -> tuple[str, ...]:
        """The arrows as text, `A -> B` and `A <-> B`, then the variables without arrows; `parse` reads them back."""
        lines = []
        pairs = (h for h in self.hidden if BOTH.join(sorted(self.children[h])) == h and not self.parents[h])
        both = {h: self.children[h] for h in pairs if len(self.children[h]) == 2}
        for name in self.names:
            if name in both:
                continue
            lines += [f"{quoted(p)} -> {quoted(name)}" for p in self.parents[name] if p not in both]
        lines += [f"{quoted(a)} <-> {quoted(b)}" for a, b in both.values()]
        lines += [quoted(n) for n in self.names if not self.parents[n] and not self.children[n]]
        return tuple(lines)

    # lookups

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all variables, in the order given."""
        return tuple(v.name for v in self.variables)

    @cached_property
    def observed(self) -> tuple[str, ...]:
        """The names of the variables that can be seen."""
        return tuple(v.name for v in self.variables if not v.hidden)

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """The names of the variables that cannot be seen, `A <-> B` included."""
        return tuple(v.name for v in self.variables if v.hidden)

    @cached_property
    def valued(self) -> tuple[str, ...]:
        """The names of the variables with values, which tables count."""
        return tuple(v.name for v in self.variables if v.kind.values)

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The names of the variables that are numbers."""
        return tuple(v.name for v in self.variables if not v.kind.values)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The names of the numbers that other numbers are counted per unit of."""
        return tuple(dict.fromkeys(other for name in self.numeric for other in self.variable(name).kind.told_with))

    def drawn_order(self, names: Iterable[str]) -> list[str]:
        """Names of numbers, those that others are told with first; otherwise as given."""
        return sorted(names, key=lambda name: bool(self.variable(name).kind.told_with))

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {v.name: v for v in self.variables}

    def variable(self, name: str) -> Variable:
        """The variable of that name."""
        try:
            return self._by_name[name]
        except KeyError:
            raise GraphError(unknown("variable", name, self.names)) from None

    def size(self, name: str) -> int:
        """The number of values of a variable."""
        return len(self.variable(name).values)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The variables that each variable points at."""
        children: dict[str, list[str]] = {n: [] for n in self.names}
        for child, parents in self.parents.items():
            for parent in parents:
                children[parent].append(child)
        return MappingProxyType({n: tuple(c) for n, c in children.items()})

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The names in a topological order: causes before effects, otherwise as given."""
        missing = {n: len(p) for n, p in self.parents.items()}
        ready = [n for n in self.names if not missing[n]]
        for name in ready:  # grows while it is read
            for child in self.children[name]:
                missing[child] -= 1
                if not missing[child]:
                    ready.append(child)
        if len(ready) < len(self.names):
            raise GraphError(f"the arrows form a cycle: {_cycle(self, set(self.names) - set(ready))}")
        return tuple(ready)

    def ancestors(self, names: Iterable[str]) -> frozenset[str]:
        """The variables given and all that can cause them."""
        return _closure(names, self.parents)

    def descendants(self, names: Iterable[str]) -> frozenset[str]:
        """The variables given and all that they can cause."""
        return _closure(names, self.children)

    @property
    def causes_seen(self) -> bool:
        """Whether no hidden variable causes the reward."""
        return self.reward is None or self.ancestors([self.reward]).isdisjoint(self.hidden)

    # what is wanted of the reward: see wanted.py

    rewarded = cached_property(wanted.rewarded)
    success_code = cached_property(wanted.success_code)
    success_place = property(wanted.success_place)
    number = property(wanted.number)
    bounds = property(wanted.bounds)
    better = wanted.better

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The number that each value of the reward is worth: 1 for success and 0 for failure where there is no worth."""
        return self.rewarded.payoffs

    @property
    def two_values(self) -> bool:
        """Whether all rewards are 0 or 1 as learners have them: a success, or values that are worth two different numbers."""
        return self.rewarded.two_values

    @property
    def span(self) -> Scale:
        """The numbers in the reward's own unit that are 0 and 1 of the learners' means: the worst and the best."""
        return self.rewarded.scale

    def in_unit(self, mean: float) -> float:
        """A mean as learners have it, in the reward's own unit."""
        return float(self.rewarded.scale.in_unit(mean))

    @property
    def wanted(self) -> str:
        """The wish for an action, for sentences such as "Which action makes …?"."""
        return self.rewarded.wanted

    # surgery: each method returns a new graph

    def _with(self, variables: tuple[Variable, ...], parents: dict[str, tuple[str, ...]]) -> Graph:
        """A graph with other variables and parents, which are not checked: for surgery, which keeps a graph valid."""
        made = object.__new__(Graph)
        keep = self.reward if any(v.name == self.reward for v in variables) else None
        made.__dict__.update(
            variables=variables,
            parents=MappingProxyType(parents),
            reward=keep,
            success=self.success if keep else None,
            worth=self.worth if keep else None,
            aim=self.aim if keep else None,
        )
        return made

    def without_arrows_into(self, names: Iterable[str]) -> Graph:
        """The graph after an intervention on these variables."""
        cut = set(names)
        return self._with(self.variables, {n: () if n in cut else p for n, p in self.parents.items()})

    def subgraph(self, names: Iterable[str]) -> Graph:
        """The graph over these variables and the hidden ones that point at two or more of them."""
        keep = set(names)
        keep |= {h for h in self.hidden if sum(c in keep for c in self.children[h]) > 1}
        return self._with(
            tuple(v for v in self.variables if v.name in keep),
            {n: tuple(p for p in ps if p in keep) for n, ps in self.parents.items() if n in keep},
        )

    projected = projection.projected

    # in a latent projection: see projection.py

    confounded = cached_property(projection.confounded)
    districts = cached_property(projection.districts)

    def district(self, names: Iterable[str]) -> frozenset[str]:
        """The district (c-component) of some variables: all that are connected with them by `<->`."""
        return _closure(names, self.confounded)

    # other graphs, and other forms of a graph

    def rewarding(
        self,
        reward: str,
        success: str | None = None,
        worth: Mapping[str, float] | Worth | None = None,
        aim: str | None = None,
    ) -> Graph:
        """The graph with this reward, and the value that is success, the worth of each, or the aim for a number."""
        given = tuple(worth.items()) if isinstance(worth, Mapping) else worth
        return replace(self, reward=reward, success=success, worth=given, aim=aim)

    @classmethod
    def parse(
        cls,
        text: str,
        reward: str | None = None,
        success: str | None = None,
        values: Mapping[str, Sequence[str]] | None = None,
        hidden: Iterable[str] = (),
    ) -> Graph:
        """A graph from arrows, as in ``Graph.parse("Z -> X -> Y; X <-> Y", reward="Y")``.

        Statements end at `;` or at a line's end. Variables have the values "0" and "1" unless `values` says
        otherwise.
        """
        arrows_read = arrows.parse(text_of("a graph", text))
        if arrows_read.doubts:
            a, kind, b, _ = arrows_read.doubts[0]
            raise GraphError(
                f"{quoted(a)} {kind} {quoted(b)} is in doubt, and a Graph has arrows that are there: Doubts.parse reads "
                "both, and Problem takes what it returns"
            )
        return cls.from_arrows(arrows_read, reward, success, values, hidden)

    @classmethod
    def from_arrows(
        cls,
        parsed: arrows.Arrows,
        reward: str | None = None,
        success: str | None = None,
        values: Mapping[str, Sequence[str]] | None = None,
        hidden: Iterable[str] = (),
    ) -> Graph:
        """The graph of the arrows of a text that are not in doubt."""
        values = dict(values or {})
        unseen = set(hidden)
        for name in [*values, *sorted(unseen)]:
            if name not in parsed.names:
                raise GraphError(unknown("variable", name, parsed.names))
        declared = [Variable(n, tuple(values.get(n, ("0", "1"))), hidden=n in unseen) for n in parsed.names]
        return cls.of(declared, parsed.directed, parsed.both, reward, success)

    @classmethod
    def of(
        cls,
        variables: Iterable[Variable],
        directed: Iterable[tuple[str, str]],
        both: Iterable[tuple[str, str]] = (),
        reward: str | None = None,
        success: str | None = None,
        worth: Worth | None = None,
        aim: str | None = None,
    ) -> Graph:
        """A graph from variables, arrows (cause, effect) and pairs that share a hidden cause."""
        declared = listed("variables", variables, "[Variable('price'), Variable('sales')]")
        for variable in declared:
            of_type("a variable", variable, Variable, "Variable('price', ('low', 'high'))")
        names = {v.name: None for v in declared}
        parents: dict[str, list[str]] = {}
        for a, b in dict.fromkeys(map(_pair, listed("arrows", directed, "[('price', 'sales')]"))):
            parents.setdefault(b, []).append(a)
        for a, b in sorted({tuple(sorted(pair)) for pair in map(_pair, listed("both", both, "[('price', 'sales')]"))}):
            if a == b:
                raise GraphError(f"{shown(a)} <-> {shown(b)}: a variable cannot share a cause with itself")
            for name in (a, b):
                if name not in names:
                    raise GraphError(unknown("variable", name, names))
                parents.setdefault(name, []).append(a + BOTH + b)
            declared.append(Variable(a + BOTH + b, hidden=True))
        return cls(tuple(declared), {n: tuple(p) for n, p in parents.items()}, reward, success, worth, aim)

    to_networkx = as_networkx.to_networkx
    from_networkx = classmethod(as_networkx.from_networkx)
    to_pgmpy, to_pyagrum, to_dowhy = to_libraries.to_pgmpy, to_libraries.to_pyagrum, to_libraries.to_dowhy


def _closure(names: Iterable[str], step: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The names that can be reached from these by any number of steps, these included."""
    todo = list(names)
    reached = set(todo)
    while todo:
        for name in step[todo.pop()]:
            if name not in reached:
                reached.add(name)
                todo.append(name)
    return frozenset(reached)


def _cycle(graph: Graph, among: set[str]) -> str:
    """A cycle of arrows as text, where each of the variables `among` has a parent among them."""
    name = next(n for n in graph.names if n in among)
    path: dict[str, int] = {}
    while name not in path:
        path[name] = len(path)
        name = next(p for p in graph.parents[name] if p in among)
    cycle = [*list(path)[path[name] :], name][::-1]
    if len(cycle) > 12:  # a message shows ten variables of a long one
        cycle = [*cycle[:10], "…", cycle[-1]]
    return " -> ".join(map(quoted, cycle))


def _pair(arrow: Any) -> tuple[str, str]:
    """An arrow, checked: the names of the cause and of the effect."""
    if not isinstance(arrow, tuple | list) or len(arrow) != 2 or not all(isinstance(name, str) for name in arrow):
        raise GraphError(
            f"an arrow is a pair of names, (cause, effect), as ('price', 'sales'), not {shown_value(arrow)}"
        )
    return arrow[0], arrow[1]
