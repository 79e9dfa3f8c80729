"""Classes of worlds in which sharing must scale: many causes, many values, joint settings; and numbers of bad shapes."""

from __future__ import annotations

import math
from functools import partial
from itertools import product

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.number import Number
from bestdo.research.figures.world_builders import (
    ANY,
    FIRST,
    NEVER,
    RARE,
    cause_names,
    graph_of,
    nothing_best,
    parallel_causes,
    priced,
    valued_causes,
)
from bestdo.research.figures.world_rows import scattered
from bestdo.research.figures.world_terms import effects, normal, pair, settings, shaped, slipped
from bestdo.research.worlds.summed_worlds import Noise, SummedClass, Terms
from bestdo.simulate import World
from bestdo.simulate.random_rows import additive, all_needed, first_parent, first_parents
from bestdo.simulate.world_class import WorldClass

__all__ = ["combinations", "numbers", "scaling_classes", "successes"]

_SIZES = 12, 30, 60
_SETTINGS = 3, 3, 2, 2
"""The numbers of values of four variables that are set together: 36 combinations."""


def scaling_classes() -> dict[str, World | WorldClass]:
    """The classes by name, in the order of the picture."""
    return {**_values(), **_columns(), **_joint(), **_seldom(), **_shapes()}


def _values() -> dict[str, World | WorldClass]:
    """One cause of many values, whose rates differ by little."""
    rates = partial(scattered, base=0.4, spread=0.06)
    return {f"1 cause of {size} values, rates near 0.4": valued_causes((size,), rates) for size in (40, 110)}


def _columns() -> dict[str, World | WorldClass]:
    """Many causes: half of them matter, one does, or two do and two more act together."""
    found: dict[str, World | WorldClass] = {}
    for size in _SIZES:
        half = size // 2
        found |= {
            f"{half} of {size} causes add up": successes(size, partial(effects, number=half, spread=0.15)),
            f"1 of {size} causes adds": successes(size, partial(effects, number=1, spread=0.3)),
            f"number, {half} of {size} causes add up": numbers(size, _of_number(half, 0.35)),
            f"number, 1 of {size} causes adds": numbers(size, _of_number(1, 0.7)),
        }
    for word, differ in (("and", False), ("xor", True)):
        both = partial(pair, differ=differ)
        found |= {
            f"12 causes, two add and two act by {word}": successes(12, partial(both, effect=0.25, spread=0.12)),
            f"number, 12 causes, two add and two act by {word}": numbers(
                12, partial(both, effect=0.7, spread=0.35, base=3.0)
            ),
        }
    return found


def _joint() -> dict[str, World | WorldClass]:
    """Actions that set two, three or four variables at once."""
    graph = _settable(_SETTINGS, free=2)
    rows = partial(additive, base=0.4, spread=0.5, pairs=0.25)
    two, three = (graph_of(cause_names(n), [(x, "Y") for x in cause_names(n)]) for n in (6, 5))
    needed = partial(all_needed, base=0.2, effect=2.0, number=2)
    number = _settable(_SETTINGS, free=2, number=Number(spread=2.0))
    return {
        "36 joint settings, with pairs": WorldClass(Problem(graph, combinations(graph, 4)), {"Y": rows}),
        "number, 36 joint settings, with pairs": SummedClass(
            Problem(number, combinations(number, 4)),
            {},
            terms=partial(settings, spread=0.3, pairs=0.15, base=3.0),
            noise=normal,
        ),
        "up to 2 of 6 causes set, both needed": WorldClass(Problem(two, Actions.up_to(two, 2)), {"Y": needed}),
        "up to 3 of 5 causes set, additive": WorldClass(
            Problem(three, Actions.up_to(three, 3)), {"Y": partial(additive, base=0.4)}
        ),
        "additive with pairs, 8 causes": parallel_causes(8, partial(additive, base=0.4, spread=0.4, pairs=0.25)),
        "additive with pairs, 10 causes": parallel_causes(10, partial(additive, base=0.4, spread=0.4, pairs=0.2)),
    }


def _seldom() -> dict[str, World | WorldClass]:
    """The best action changes what never or rarely occurs by itself, with and without costs; and do() is the best."""
    low, high = (partial(first_parent, base=p, effect=e) for p, e in ((0.2, 1.386), (0.8, 1.558)))
    two = partial(first_parents, base=0.5, number=2)
    return {
        "7 causes, 1 raises 0.2 to 0.5, best never seen": parallel_causes(7, low, NEVER, FIRST),
        "7 causes, 1 raises 0.8 to 0.95, best never seen": parallel_causes(7, high, NEVER, FIRST),
        "7 causes, 1 raises 0.8 to 0.95, best rarely seen": parallel_causes(7, high, RARE, FIRST),
        "costs, 7 causes, 1 raises 0.2 to 0.5, best never seen": priced(parallel_causes(7, low, NEVER, FIRST)),
        "costs, 7 causes, 2 matter, best rarely seen": priced(parallel_causes(7, two, RARE, FIRST)),
        "do() best, 2 causes that agree": nothing_best(2),
        "do() best, 5 causes that agree": nothing_best(5),
    }


def _shapes() -> dict[str, World | WorldClass]:
    """Numbers that are not normal: 3 of 6 causes matter; the spread is about 1."""
    skewed = partial(effects, number=3, spread=0.15, reach=0.3)
    return {
        "number, 80 % zeros": numbers(6, partial(skewed, base=1 / 3), partial(shaped, shape="zeros", times=3.0)),
        "number, lognormal, spread twice the mean": numbers(
            6, partial(skewed, base=0.5), partial(shaped, shape="lognormal", times=2.0)
        ),
        "number, 2 % slipped decimal points": numbers(6, _of_number(3, 0.35), slipped),
    }


def _of_number(count: int, spread: float) -> Terms:
    """Normal effects of so many causes on a number whose mean is about 3."""
    return partial(effects, number=count, spread=spread, base=3.0, reach=math.inf)


def _settable(sizes: tuple[int, ...], free: int, number: Number | None = None) -> Graph:
    """Causes of these numbers of values, then others of two values, and the reward Y."""
    names = cause_names(len(sizes) + free)
    variables = [
        Variable(n, tuple(map(str, range(size)))) for n, size in zip(names, (*sizes, *[2] * free), strict=True)
    ]
    reward = Variable("Y") if number is None else Variable("Y", number=number)
    aim = None if number is None else "maximise"
    return Graph.of([*variables, reward], [(n, "Y") for n in names], reward="Y", aim=aim)


def combinations(graph: Graph, number: int) -> Actions:
    """The actions do() and every combination of values of the first few variables."""
    names = graph.names[:number]
    values = (graph.variable(n).values for n in names)
    return Actions(graph, [do(), *(do(dict(zip(names, each, strict=True))) for each in product(*values))])


def successes(number: int, terms: Terms) -> SummedClass:
    """Independent causes of two values, whose terms add up to the chance of success."""
    names = cause_names(number)
    graph = graph_of(names, [(n, "Y") for n in names])
    return SummedClass(Problem(graph, Actions.single(graph)), dict.fromkeys(names, ANY), terms=terms)


def numbers(number: int, terms: Terms, noise: Noise = normal) -> SummedClass:
    """Independent causes of two values, whose terms add up to the mean of a number."""
    graph = _settable((), number, Number(spread=2.0))
    return SummedClass(
        Problem(graph, Actions.single(graph)), dict.fromkeys(cause_names(number), ANY), terms=terms, noise=noise
    )
