"""Worlds by name, for simulations: those of the suite, of the literature with their arguments, examples, real networks."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from bestdo.data.compose import compose
from bestdo.data.problem_options import check_names
from bestdo.errors import BestdoError, shown, unknown
from bestdo.research.figures.real_networks import NETWORKS, network
from bestdo.research.suite.files_worlds import example_path
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.research.worlds import casinos, confounded_worlds, earning_worlds, unknown_graph_worlds
from bestdo.simulate import paper_worlds
from bestdo.simulate.world import World

__all__ = ["world", "worlds"]

_EXAMPLES = {
    "ads": "does an advertisement sell, or is it shown to those who would have bought anyway?",
    "farm": "a farmer sets temperature, nutrient or moisture for a good yield",
    "harvest": "a harvest in tonnes per hectare, by fertiliser and sowing time",
    "moulding": "injection moulding: parts that are worth money, trials that cost money",
    "orders": "which banner and price for whom bring the most euros, with a limit on refunds?",
    "paper": "the paper's parallel bandit with three causes",
    "psa": "two medicines that move a marker in the blood, with a limit on cancer",
    "school": "which help lets more pupils pass?",
    "service": "which setting makes a service answer fast, with a limit on timeouts?",
    "visits": "which banner and price for which device and country?",
    "webshop": "what makes a visitor put a lamp into the basket?",
}
"""The files in `examples/`."""
_MADE: dict[str, Callable[..., World]] = {
    "arms": paper_worlds.arms,
    "chain": paper_worlds.chain,
    "confounded": paper_worlds.confounded,
    "paper-parallel": paper_worlds.paper_parallel,
    "parallel": paper_worlds.parallel,
    "bow": confounded_worlds.bow,
    "front-door": confounded_worlds.front_door,
    "instrument": confounded_worlds.instrument,
    "napkin": confounded_worlds.napkin,
    "pomis-iv": earning_worlds.pomis_iv,
    "pomis-markovian": earning_worlds.pomis_markovian,
    "pomis-xyzwst": earning_worlds.pomis_xyzwst,
    "screening-context": earning_worlds.screening_context,
    "contradicting-context": earning_worlds.contradicting_context,
    "unknown-causes": unknown_graph_worlds.unknown_causes,
    "casino": casinos.casino,
}


def worlds() -> dict[str, str]:
    """A line about each world that `world` returns by name.

    >>> import bestdo
    >>> print(bestdo.worlds()["farm"])
    a farmer sets temperature, nutrient or moisture for a good yield
    """
    made = {name: f"{_call(name)}: {_line(function)}" for name, function in _MADE.items()}
    networks = {
        name: f"world({name!r}, reward, success): a network of bnlearn, from files of pgmpy" for name in NETWORKS
    }
    suite = {name: f"{each.about.rstrip('.')} (suite)" for name, each in WORLDS.items() if name not in _EXAMPLES}
    both = {name: f"{suite[name]}; or {made[name]}" for name in suite if name in made}
    return {**_EXAMPLES, **made, **networks, **suite, **both}


def world(name: Any, *arguments: Any, **named: Any) -> World:
    """A world by its name, with the true model behind it, for `play`.

    name: one of `worlds()`; or the path of a file with all tables, or anything else with tables that `bestdo.compose`
    takes. The name alone of a world of the suite gives it as the suite plays it. The other arguments, in order or named,
    are those of the world, as `worlds()` says: ``world("parallel", q=[0.1, 0.5])``; for a file or a network those of
    `bestdo.compose`, as ``world("alarm", reward="CVP", success="NORMAL")``.

    Raises BestdoError for an unknown name and for arguments that the world does not take.

    >>> import bestdo
    >>> farm = bestdo.world("farm")
    >>> print(farm.problem.actions[int(farm.means.argmax())])
    do(moisture=wet)
    """
    if isinstance(name, str) and name in WORLDS and not arguments and not named:
        made = WORLDS[name].world
        assert isinstance(made, World)
        return made
    if isinstance(name, str) and name in _MADE:
        return _made(name, arguments, named)
    source: Any = name
    if isinstance(name, str) and name in _EXAMPLES:
        source = example_path(name)
    elif isinstance(name, str) and name in NETWORKS:
        source = network(name)
    elif isinstance(name, str) and not os.path.exists(name):
        raise BestdoError(f"{unknown('world', name, worlds(), most=20)}; or the path of a file with all tables")
    try:
        bound = inspect.signature(compose).bind(source, **_named(("reward", "success"), arguments), **named)
        check_names(compose, bound.arguments.get("options", {}))
    except TypeError as error:
        raise BestdoError(f"world({shown(name)}): {error}; it takes the arguments of bestdo.compose") from None
    composed = compose(source, **_named(("reward", "success"), arguments), **named)
    if composed.model is None:
        raise BestdoError(f"{shown(name, 300)} holds no tables of probabilities; to simulate, the truth must be known")
    return World(composed.problem, composed.model)


def _named(names: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, Any]:
    """Arguments that were given by their order, by their names."""
    if len(values) > len(names):
        raise BestdoError(f"too many arguments: say by name what comes after {' and '.join(names)}")
    return dict(zip(names, values, strict=False))


def _made(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> World:
    """A world made by its function; other arguments than it takes are an error that names those."""
    function = _MADE[name]
    try:
        bound = inspect.signature(function).bind(*arguments, **named)
        return function(*bound.args, **bound.kwargs)
    except BestdoError:
        raise
    except Exception as error:
        raise BestdoError(f"{_call(name)} makes this world; with other arguments it fails: {error}") from None


def _call(name: str) -> str:
    """The call that makes a world, with the arguments that the world takes."""
    arguments = []
    for parameter in inspect.signature(_MADE[name]).parameters.values():
        given = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        arguments.append(f"{parameter.name}{given}")
    return f"world({', '.join([repr(name), *arguments])})"


def _line(function: Any) -> str:
    """The first line of a docstring, as the end of a sentence."""
    about = (inspect.getdoc(function) or "").splitlines()[0]
    word, _, rest = about.rstrip(".").partition(" ")
    return f"{word.lower() if word in ('A', 'The') else word} {rest}"
