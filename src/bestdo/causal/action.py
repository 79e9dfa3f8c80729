"""Interventions, and the actions that a problem allows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, final, overload

from bestdo.arguments import listed, of_type, shown_value, whole_number
from bestdo.causal.graph import Graph
from bestdo.errors import ActionError, BestdoError, TooLarge, shown, unknown
from bestdo.text import Scanner, language, quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Actions", "Intervention", "do"]

_TOKENS = language(marks=r"[(),=]", word=r'[^\s(),="]+', skip=r"\s")
# The most actions that `up_to` makes: a limit of time and memory. 44,099 of them took 0.25 s and 14 MB, in proportion
# 200,000 take about a second and 65 MB.
_MOST_ACTIONS = 200_000
# Where `settings` stops counting, far above _MOST_ACTIONS: it keeps the integers, and the number in a message, short.
_UNCOUNTED = 10**18


@final
class Intervention(Mapping[str, str]):
    """An intervention: a read-only mapping from variables to the values they are set to; ``do()`` sets nothing.

    Raises ActionError for values that are neither text nor whole numbers.

    >>> import bestdo
    >>> action = bestdo.Intervention.parse('do(moisture=wet, "soil pH"="6.5")')
    >>> action["soil pH"]
    '6.5'
    """

    __slots__ = ("_set",)

    def __init__(self, settings: Mapping[str, str | int]) -> None:
        for name, value in settings.items():
            if not isinstance(name, str) or not isinstance(value, (str, int)):
                raise ActionError(f"do({name}={value!r:.60}): a value is text or a whole number")
        self._set = {name: str(settings[name]) for name in sorted(settings)}

    def __getitem__(self, name: str) -> str:
        return self._set[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._set)

    def __len__(self) -> int:
        return len(self._set)

    def __eq__(self, other: object) -> bool:
        return self._set == other._set if isinstance(other, Intervention) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(tuple(self._set.items()))

    def __repr__(self) -> str:
        return "do(" + ", ".join(f"{quoted(n)}={quoted(v)}" for n, v in self._set.items()) + ")"

    def __reduce__(self) -> tuple[object, ...]:
        return Intervention, (self._set,)

    @classmethod
    def of(cls, action: Intervention | str | Mapping[str, str | int]) -> Intervention:
        """The intervention itself, or the one that a text like ``do(X=1)`` or a mapping describes."""
        if isinstance(action, Mapping) and not isinstance(action, Intervention):
            return cls(action)
        if not isinstance(action, Intervention | str):
            raise ActionError(
                f"an action is written like do(price='low') or 'do(price=low)', not {shown_value(action)}"
            )
        return action if isinstance(action, Intervention) else cls.parse(action)

    @classmethod
    def parse(cls, text: str) -> Intervention:
        """The intervention that a text like ``do(temperature=high, "soil pH"="6.5")`` describes; the inverse of `str`."""
        return _parsed(text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Intervention:
    """The intervention that a text describes; a study reads the same few texts in every round."""
    scanner = Scanner(text, _TOKENS, "<action>")
    if scanner.name("do(...)").text != "do":
        raise ActionError(f"an action is written like do(variable=value), not {shown(text)}")
    settings: dict[str, str | int] = {}
    scanner.expect("(")
    while not scanner.accept(")"):
        name = scanner.name("a variable or ')'")
        if name.text in settings:
            scanner.fail(f"{shown(name.text)} is set twice", name)
        scanner.expect("=")
        settings[name.text] = scanner.name("a value").text
        if not scanner.sees(")"):
            scanner.expect(",")
    if scanner.next.kind != "end":
        scanner.unexpected("nothing more")
    return Intervention(settings)


def do(settings: Mapping[str, str | int] | None = None, /, **named: str | int) -> Intervention:
    """An intervention: ``do(temperature="high")``, ``do({"soil pH": "6.5"})``, ``do()``.

    settings: a mapping from names to values, for names that Python cannot write; named: all others. Values are text or whole
    numbers. Raises ActionError for others.

    >>> import bestdo
    >>> print(bestdo.do(price="low"), bestdo.do())
    do(price=low) do()
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise ActionError(
            f"do({shown_value(settings)}): write do(price='low'), or do({{'soil pH': '6.5'}}) for names with spaces; text as "
            "'do(price=low)' is read by Intervention.parse"
        )
    return Intervention({**(settings or {}), **named})


@final
class Actions(Sequence[Intervention]):
    """The interventions that a problem allows: ordered, unique, checked against the graph.

    Arrays number the actions in this order: `index` gives an action's number, `codes` the values it sets.

    graph: whose variables are set. interventions: a list, as ``[do(), "do(price=1)"]``. Raises ActionError where one sets
    what cannot be set. seen: variables that all of them set because they are seen first; of other `Actions`, theirs.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("price -> sales", reward="sales")
    >>> print(*bestdo.Actions.single(graph), sep="; ")
    do(); do(price=0); do(price=1)
    """

    def __init__(
        self, graph: Graph, interventions: Iterable[Intervention | str], seen: tuple[str, ...] | None = None
    ) -> None:
        of_type("the graph of actions", graph, Graph, "Graph.parse('price -> sales', reward='sales')")
        self.graph = graph
        of_others = interventions.seen if isinstance(interventions, Actions) else ()
        self.seen: tuple[str, ...] = of_others if seen is None else seen
        interventions = listed("actions", interventions, "[do(), do(price='low')]")
        self._list = tuple(Intervention.of(a) for a in interventions)
        self._index = {a: i for i, a in enumerate(self._list)}
        if not self._list:
            raise ActionError("at least one action is needed")
        if len(self._index) < len(self._list):
            twice = next(a for i, a in enumerate(self._list) if self._index[a] != i)
            raise ActionError(f"the action {twice} is listed twice")
        for action in self._list:
            check_intervention(graph, action)
            if graph.reward in action:
                raise ActionError(f"{action}: the reward {shown(graph.reward)} cannot be set")

    @overload
    def __getitem__(self, index: int) -> Intervention: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Intervention, ...]: ...
    def __getitem__(self, index: int | slice) -> Intervention | tuple[Intervention, ...]:
        return self._list[index]

    def __len__(self) -> int:
        return len(self._list)

    def __contains__(self, action: object) -> bool:
        return action in self._index

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Actions):
            return self is other
        return self._list == other._list and self.seen == other.seen and self.graph == other.graph

    @cached_property
    def _hash(self) -> int:
        return hash((self.graph, self._list, self.seen))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Actions({', '.join(map(str, self._list[:8]))}{', …' if len(self) > 8 else ''})"

    def __reduce__(self) -> tuple[object, ...]:
        return Actions, (self.graph, self._list, self.seen)

    def index(self, action: object, start: int = 0, stop: int | None = None) -> int:
        """The number of an action in arrays."""
        try:
            return self._index[Intervention.of(action) if isinstance(action, str) else action]  # type: ignore[index]
        except (KeyError, TypeError):
            raise ActionError(unknown("action", action, map(str, self._list))) from None

    @cached_property
    def codes(self) -> NDArray[np.int16]:  # int16[A, V]
        """The code of the value to which each action sets each variable (in the graph's order), -1 where it does not."""
        import numpy as np

        codes = np.full((len(self), len(self.graph.names)), -1, np.int16)
        column = {n: i for i, n in enumerate(self.graph.names)}
        for row, action in enumerate(self._list):
            for name, value in action.items():
                codes[row, column[name]] = self.graph.variable(name).code(value)
        return codes

    @classmethod
    def single(cls, graph: Graph, on: Iterable[str] | None = None) -> Actions:
        """The actions do() and X=x for every value of every X in `on` (by default all observed variables but the reward)."""
        return cls.up_to(graph, 1, on)

    @classmethod
    def up_to(cls, graph: Graph, size: int, on: Iterable[str] | Mapping[str, Any] | None = None) -> Actions:
        """The actions do() and every setting of up to `size` of the variables in `on` (by default as in `single`).

        A mapping has for each variable the values to which it may be set; None stands for all.
        """
        of_type("the graph of actions", graph, Graph, "Graph.parse('price -> sales', reward='sales')")
        size = whole_number("how many variables are set at once", size, 0)
        names = (
            [n for n in graph.observed if n != graph.reward]
            if on is None
            else list(dict.fromkeys(listed("on", on, "['x']")))
        )
        values = {n: graph.variable(n).values for n in names}
        if isinstance(on, Mapping):
            values |= {n: tuple(listed(f"set of {n}", v, "['low']")) for n, v in on.items() if v is not None}
        count = settings([len(values[n]) for n in names], size)
        more = " or more" if count >= _UNCOUNTED else ""
        if count > _MOST_ACTIONS:
            raise TooLarge(
                f"settings of up to {size} of {len(names)} variables are {count:,}{more} "
                f"actions; at most {_MOST_ACTIONS:,} are allowed: set fewer variables at once, or list the actions"
            )
        return cls(
            graph,
            (
                Intervention(dict(zip(chosen, taken, strict=True)))
                for k in range(min(size, len(names)) + 1)
                for chosen in itertools.combinations(names, k)
                for taken in itertools.product(*(values[n] for n in chosen))
            ),
        )


def check_intervention(graph: Graph, action: Intervention) -> None:
    """Raises ActionError when an intervention sets an unknown or hidden variable, or an unknown value."""
    for name, value in action.items():
        if name not in graph.parents:
            settable = [n for n in graph.observed if n != graph.reward]
            raise ActionError(f"{action}: {unknown('variable', name, settable)}")
        variable = graph.variable(name)
        try:
            variable.code(value)
        except BestdoError as error:
            raise ActionError(f"{action}: {error}") from None
        if variable.hidden:
            raise ActionError(f"{action}: {shown(name)} is hidden, so it cannot be set")


def settings(sizes: Sequence[int], at_most: int) -> int:
    """The number of settings of up to `at_most` variables of these sizes; counting stops at _UNCOUNTED."""
    count = [1] + [0] * min(at_most, len(sizes))  # elementary symmetric polynomials of the sizes
    for variables, size in enumerate(sizes, 1):
        for k in range(min(variables, len(count) - 1), 0, -1):
            count[k] += count[k - 1] * size
        if sum(count[: variables + 1]) >= _UNCOUNTED:
            break
    return sum(count)


def states(graph: Graph, names: Iterable[str]) -> int:
    """The number of joint values of these variables."""
    return math.prod(graph.size(n) for n in names)
