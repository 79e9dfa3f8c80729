"""The classes of worlds of the figure every-world, by name: everything that a world can be like, one thing at a time."""

from __future__ import annotations

from functools import partial

from bestdo.research.figures.held_out_classes import HELD_OUT
from bestdo.research.figures.scaling_classes import scaling_classes
from bestdo.research.figures.world_builders import (
    ANY,
    FIRST,
    NEVER,
    OFTEN,
    RARE,
    chain_of,
    common_cause,
    graph_alone,
    hidden_causes,
    law_known,
    layers,
    nothing_best,
    one_mediator,
    parallel_causes,
    priced,
    strata,
    valued_causes,
)
from bestdo.simulate import World, paper_parallel
from bestdo.simulate.random_rows import (
    additive,
    additive_probability,
    all_needed,
    either_or,
    first_parent,
    first_parents,
    flat,
    uniform,
)
from bestdo.simulate.world_class import WorldClass

__all__ = ["world_classes"]

_SEEN = {"never seen": NEVER, "rarely seen": RARE, "often seen": OFTEN}
_RATES = 0.05, 0.2, 0.5, 0.8, 0.95


def world_classes() -> dict[str, World | WorldClass]:
    """All classes by name, in the order of the picture. Learners know the graph alone where the name says nothing else."""
    return {
        **_one_cause_matters(),
        **_parallel_classes(),
        **_larger_classes(),
        **_mediator_classes(),
        **_other_classes(),
        **scaling_classes(),
        **HELD_OUT,
    }


def _one_cause_matters() -> dict[str, World | WorldClass]:
    """Five causes of which one matters: do() shows its better value never, rarely or often; five base rates."""
    return {
        f"best {seen}, base rate {rate:g}": parallel_causes(5, partial(first_parent, base=rate, effect=1.5), q, FIRST)
        for seen, q in _SEEN.items()
        for rate in _RATES
    }


def _parallel_classes() -> dict[str, World | WorldClass]:
    """Up to eight independent causes whose effects are sparse, additive, flat or interacting."""
    few, flat_4 = partial(first_parents, base=0.4), partial(flat, base=0.5)
    return {
        "2 of 6 causes matter, base rate 0.2, best rarely seen": parallel_causes(
            6, partial(first_parents, base=0.2, number=2), RARE, FIRST
        ),
        "2 of 6 causes matter, base rate 0.8, best never seen": parallel_causes(
            6, partial(first_parents, base=0.8, number=2), NEVER, FIRST
        ),
        "3 of 4 causes matter": parallel_causes(4, partial(few, number=3)),
        "3 of 8 causes matter": parallel_causes(8, partial(few, number=3)),
        "additive, 3 causes": parallel_causes(3, partial(additive, base=0.5)),
        "additive, 6 causes": parallel_causes(6, partial(additive, base=0.5)),
        "additive, 6 causes, base rate 0.1": parallel_causes(6, partial(additive, base=0.1)),
        "additive, 6 causes, base rate 0.9": parallel_causes(6, partial(additive, base=0.9)),
        "additive, 6 causes, best never seen": parallel_causes(6, partial(additive, base=0.3), NEVER, FIRST),
        "additive in probability, 7 causes": parallel_causes(7, partial(additive_probability, base=0.5, spread=0.08)),
        "additive with pairs, 5 causes": parallel_causes(5, partial(additive, base=0.4, pairs=0.3)),
        "flat rows, 1 cause": parallel_causes(1, flat_4),
        "flat rows, 2 causes": parallel_causes(2, flat_4),
        "flat rows, 4 causes": parallel_causes(4, flat_4),
        "flat rows, 4 causes, base rate 0.15": parallel_causes(4, partial(flat, base=0.15)),
        "flat rows, 5 causes, base rate 0.8, best never seen": parallel_causes(
            5, partial(flat, base=0.8), NEVER, FIRST
        ),
        "either or, 4 causes": parallel_causes(4, partial(either_or, base=0.2, effect=2.0)),
        "three needed, 6 causes": parallel_causes(6, partial(all_needed, base=0.2, effect=3.0, number=3)),
        "near-deterministic rows, 3 causes": parallel_causes(3, partial(flat, base=0.5, weight=0.1)),
        "near-deterministic rows, 5 causes": parallel_causes(5, partial(flat, base=0.5, weight=0.1)),
        "many actions near 1, 6 causes": parallel_causes(6, partial(additive, base=0.97)),
        "all actions equal, 4 causes": parallel_causes(4, partial(uniform, low=0.4, high=0.4)),
        "1 cause of 8 values": valued_causes((8,), partial(flat, base=0.5)),
        "3 causes of 4 values, 1 matters": valued_causes((4, 4, 4), partial(first_parents, base=0.3, number=1)),
        "3 causes of 4 values, additive": valued_causes((4, 4, 4), partial(additive, base=0.5)),
    }


def _larger_classes() -> dict[str, World | WorldClass]:
    """Ten and twelve causes, and the worlds of the paper."""
    return {
        "2 of 10 causes matter, best rarely seen": parallel_causes(
            10, partial(first_parents, base=0.5, number=2), RARE, FIRST
        ),
        "1 of 12 causes matters, base rate 0.8, best never seen": parallel_causes(
            12, partial(first_parent, base=0.8, effect=1.5), NEVER, FIRST
        ),
        "additive, 12 causes": parallel_causes(12, partial(additive, base=0.5)),
        "the paper's world, 5 causes, m = 2": graph_alone(paper_parallel(5, 2, 0.3)),
        "the paper's world, 50 causes, m = 2": graph_alone(paper_parallel(50, 2, 0.3)),
        "the paper's world, 50 causes, m = 30": graph_alone(paper_parallel(50, 30, 0.3)),
        "the paper's world, 50 causes, m = 10, law known": paper_parallel(50, 10, 0.3),
    }


def _mediator_classes() -> dict[str, World | WorldClass]:
    """Causes that act through other variables."""
    return {
        "mediator copied, 1 of 9 causes matters, best never seen": one_mediator(
            9, partial(first_parent, base=0.7, effect=2.5), NEVER, FIRST
        ),
        "mediator copied, 2 of 6 causes matter": one_mediator(6, partial(first_parents, base=0.5, number=2)),
        "mediator copied, additive, 6 causes": one_mediator(6, partial(additive, base=0.5, spread=0.9)),
        "mediator copied, flat rows, 4 causes": one_mediator(4, partial(flat, base=0.5)),
        "mediator copied, additive, 7 causes, best never seen": one_mediator(
            7, partial(additive, base=0.6, spread=0.9), NEVER, FIRST
        ),
        "two layers, 4 causes, 3 mediators": layers(4, 3),
        "chain of 5": chain_of(5, ANY, 0.3, 0.7),
        "chain of 4, base rate 0.75, X1 = 1 never seen": chain_of(4, NEVER, 0.75, 0.95),
    }


def _other_classes() -> dict[str, World | WorldClass]:
    """Common causes seen and hidden, do() best, costs, and known laws."""
    one, two = partial(first_parent, base=0.7, effect=1.5), partial(first_parents, base=0.4, number=2)
    return {
        **{f"{2**k} strata, best rarely seen": strata(k) for k in (1, 2, 4, 6)},
        "common cause, 2 of 4 matter": common_cause(4, two),
        "common cause, additive, 5 causes, best never seen": common_cause(5, partial(additive, base=0.7), NEVER, FIRST),
        "do() best": nothing_best(3),
        "hidden causes, 4 causes": hidden_causes([(f"X{i + 1}", "Y") for i in range(4)], [("X1", "Y"), ("X2", "Y")]),
        "hidden cause, front door": hidden_causes([("X1", "M"), ("M", "Y"), ("X2", "Y")], [("X1", "Y")]),
        "hidden cause, instrument": hidden_causes([("Z", "X1"), ("X1", "Y"), ("X2", "Y")], [("X1", "Y")]),
        "costs, 2 of 6 causes matter": priced(parallel_causes(6, two, RARE, FIRST)),
        "costs, 1 of 5 causes matters, best never seen": priced(parallel_causes(5, one, NEVER, FIRST)),
        "costs, additive, 6 causes": priced(parallel_causes(6, partial(additive, base=0.5))),
        "law known, 2 of 3 causes matter": law_known(3, two, 0.2),
        "law known, additive, 5 causes": law_known(5, partial(additive, base=0.5), 0.2),
        "law known, flat rows, 3 causes": law_known(3, partial(flat, base=0.5), 0.2),
        "law known, 1 of 5 causes matters, best never seen": law_known(5, one, 0.0),
    }
