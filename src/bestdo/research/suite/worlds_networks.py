"""Worlds of the suite on real networks, those in which something is seen first, and those whose results are late."""

from __future__ import annotations

from collections.abc import Callable

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.research.suite.files_worlds import example_world
from bestdo.research.suite.suite_world import Published, SuiteWorld
from bestdo.research.suite.world_changes import all_competing, to_earn
from bestdo.research.worlds.casinos import casino
from bestdo.research.worlds.shop import segments_of_shop
from bestdo.simulate import World
from bestdo.simulate.paper_worlds import paper_parallel

__all__ = ["NETWORK_WORLDS"]

_BNLEARN = "the bnlearn repository, read from the package pgmpy; the event is drawn by this library with a fixed seed"
_MABUC = "Bareinboim, Forney & Pearl, NeurIPS 2015; the authors' MATLAB program"


_FEW = 3
"""The number of possibly best actions up to which all actions compete: else every learner finds the best one."""


def _drawn(name: str, problem: int) -> World:
    """A problem of the figure `real-networks`; all actions compete where the graph leaves few."""
    from bestdo.research.figures.real_networks import worlds_of

    world = worlds_of(name)[problem - 1]
    return all_competing(world) if world.problem.contenders.sum() <= _FEW else world


def _seen_first(name: str, event: str, values: set[str], first: str, settable: str) -> World:
    """The problem of a network in which a rule is worth most, as the figure `contexts` finds it among 200."""
    from bestdo.research.figures.real_networks import event_world, network

    world = event_world(network(name), (event, frozenset(values)))
    graph = world.problem.graph
    return World(Problem(graph, Actions.single(graph, settable.split()), first=first.split()), world.model)


def _network(name: str, problem: int, actions: int, about: str) -> SuiteWorld:
    """A problem of the figure `real-networks`: so many rounds that each action has 2, or 5."""
    return SuiteWorld(
        f"{name}-{problem}",
        1,
        "real network",
        lambda: _drawn(name, problem),
        (2 * actions, 5 * actions),
        f"{about} Learners know the graph only; {actions} single actions on the causes of the event.",
        f"{_BNLEARN} (problem {problem} of the figure real-networks)",
        needs="pgmpy",
    )


def _contexts(name: str, make: Callable[[], World], horizons: tuple[float, ...], about: str) -> SuiteWorld:
    """The problem of a network in which a rule is worth most, from the figure `contexts`."""
    return SuiteWorld(
        name,
        1,
        "contexts",
        make,
        horizons,
        about,
        f"{_BNLEARN}; of 200 draws the one in which a rule gains most by the true tables (the figure contexts)",
        needs="pgmpy",
    )


def _casino(name: str, horizon: float, with_z: tuple[float, float] | None = None) -> SuiteWorld:
    """A casino of MABUC, with what Thompson sampling that looks at the intuition lost there: in the paper, and rewritten."""
    return SuiteWorld(
        f"casino-{name.replace(' ', '-')}",
        1,
        "contexts",
        lambda: to_earn(casino(name)),
        (250, horizon),
        f"The {name} casino: two machines pay by hidden causes, and the machine one is drawn to is seen first.",
        f"{_MABUC}. Their causal learner starts from 200 watched rounds and ends at a lower regret; none are given here",
        () if with_z is None else _with_intuition(horizon, *with_z),
    )


def _with_intuition(horizon: float, paper: float, rewritten: float) -> tuple[Published, ...]:
    """The regret of Thompson sampling with intuition as published, and by a program after the authors'."""
    by_table = "the paper's table, TS with intuition, 1,000 runs, by rewards drawn"
    by_program = "the authors' MATLAB program, 20,000 runs, by rewards drawn"
    return (
        Published("thompson", horizon, paper, 0.5, "paper", by_table),
        Published("thompson", horizon, rewritten, None, "a rewrite of it", by_program),
    )


def _delayed(
    name: str, make: Callable[[], World], horizons: tuple[float, ...], in_flight: int, about: str, needs: str = ""
) -> SuiteWorld:
    """A world whose results come back late, from the figure `delays` or after it."""
    source = "the figure delays of this library"
    return SuiteWorld(name, 1, "delays", make, horizons, about, source, in_flight=in_flight, needs=needs)


_REAL = (
    _network("asia", 1, 13, "Eight variables of a clinic for lungs."),
    _network("sachs", 1, 16, "Eleven proteins of a cell, with three levels each."),
    _network("sachs", 2, 16, "Eleven proteins of a cell, with three levels each."),
    _network("child", 1, 11, "Twenty variables about newborn children with heart disease; all actions compete."),
    _network("child", 2, 19, "Twenty variables about newborn children with heart disease; all actions compete."),
    _network("alarm", 1, 49, "37 variables of patients who are watched under anaesthesia."),
    _network("insurance", 1, 33, "27 variables about car insurance."),
)
_SEEN_FIRST = (
    SuiteWorld(
        "visits",
        1,
        "contexts",
        lambda: example_world("visits"),
        (60, 300),
        "Device and country of a visitor are seen, then banner and price are chosen; all tables but the reward's are known.",
        "an example of this library (visits.toml), tables made up",
    ),
    SuiteWorld(
        "orders",
        1,
        "contexts",
        lambda: example_world("orders"),
        (200, 1000),
        "Device and country are seen, then banner and price are chosen for the most euros, with a limit on refunds.",
        "an example of this library (orders.toml), tables made up",
    ),
    SuiteWorld(
        "shop",
        1,
        "contexts",
        segments_of_shop,
        (120, 360),
        "Device and kind of visitor are seen, then four things are set together, 36 ways, with a limit on support requests; "
        "a round is the mean of 80 visitors, of whom 19 in 20 buy nothing.",
        "the figure shop of this library, tables made up",
    ),
    _contexts(
        "sachs-contexts",
        lambda: _seen_first("sachs", "Mek", {"AVG", "HIGH"}, "PKC", "PKA Raf"),
        (32, 95),
        "The level of the protein PKC is seen, then one of two others is set, or none.",
    ),
    _contexts(
        "insurance-contexts",
        lambda: _seen_first(
            "insurance", "DrivHist", {"Many"}, "Age", "SocioEcon RiskAversion SeniorTrain DrivingSkill"
        ),
        (63, 189),
        "The driver's age is seen, then one of four other causes is set, or none.",
    ),
    _contexts(
        "alarm-contexts-earn",
        lambda: to_earn(_seen_first("alarm", "VENTTUBE", {"LOW", "NORMAL"}, "DISCONNECT MINVOLSET", "VENTMACH")),
        (100, 500),
        "Two variables of a ventilator are seen, then its setting is chosen, and every round counts.",
    ),
    _casino("greedy", 1000, (11.03, 10.8)),
    _casino("paradoxical", 1000, (13.39, 13.9)),
    _casino("generous", 1000),
    _casino("sometimes", 1000),
    _casino("no confounding", 1000),
    _casino("inevitable", 1000),
)
_LATE = (
    _delayed(
        "paper-parallel-late",
        lambda: paper_parallel(50, 10, 0.3),
        (200, 400),
        16,
        "The paper's world with ten variables that are never 1 by themselves; sixteen rounds are out at any time.",
    ),
    _delayed(
        "child-1-late",
        lambda: _drawn("child", 1),
        (22, 55),
        8,
        "The first problem on the network child, with eight rounds out at any time; all actions compete.",
        needs="pgmpy",
    ),
)
NETWORK_WORLDS = (*_REAL, *_SEEN_FIRST, *_LATE)
"""The worlds of this file."""
