"""The registry of learners by name, one entry each. A learner's module is imported when it is first used."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, NamedTuple

from bestdo.errors import BestdoError, unknown

if TYPE_CHECKING:
    from bestdo.bandit.learner import Learner

__all__ = ["LEARNERS", "Entry", "by_title", "descriptions", "entry", "learner", "names", "title"]

_SEEING = "problems where seeing is as good as doing for every action"
_LAW = "problems whose law of the reward's parents is known"
_LISTED = "problems whose law of the reward's parents is known and can be listed"


class Entry(NamedTuple):
    """Everything that the library records about a learner besides its code."""

    where: str
    """`module:Class`, or `module:Class.preset` for a class method that returns it."""
    title: str
    """Its full name in tables and pictures. Random streams are seeded by it: never change it."""
    look: tuple[str, str] | None = None
    """Its colour (from palettes for colour-blind readers: Okabe & Ito's, top-two's from Tol's) and marker in pictures; None:
    any that are free."""
    problems: str = "every problem"
    """Which problems it is valid for, in words; its `start` refuses others."""
    goals: tuple[str, ...] = ("find",)
    """What it is made for: `find` means finding the best action."""


LEARNERS: dict[str, Entry] = {
    "algorithm-1": Entry(
        "bestdo.learners.algorithm_1:ParallelBandit", "Algorithm 1", ("#0072B2", "o"), problems=_SEEING
    ),
    "algorithm-1-as-in-paper": Entry(
        "bestdo.learners.algorithm_1:ParallelBandit.as_in_paper",
        "Algorithm 1 as in the paper",
        ("#56B4E9", "p"),
        problems=_SEEING,
    ),
    "algorithm-1-as-in-authors-code": Entry(
        "bestdo.learners.algorithm_1:ParallelBandit.as_in_authors_code",
        "Algorithm 1 as in the authors' code",
        ("#000000", "h"),
        problems=_SEEING,
    ),
    "algorithm-1-rejects": Entry(
        "bestdo.learners.algorithm_1_rejects:RejectingParallelBandit", "Algorithm 1 with rejects", problems=_SEEING
    ),
    "algorithm-2": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm", "Algorithm 2", ("#D55E00", "s"), problems=_LAW
    ),
    "algorithm-2-as-in-paper": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm.as_in_paper",
        "Algorithm 2 as in the paper",
        ("#000000", "*"),
        problems=_LAW,
    ),
    "algorithm-2-as-in-authors-code": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm.as_in_authors_code",
        "Algorithm 2 as in the authors' code",
        ("#E69F00", "D"),
        problems=_LAW,
    ),
    "algorithm-2-phases": Entry(
        "bestdo.learners.algorithm_2_phases:GeneralAlgorithmInPhases", "Algorithm 2 in phases", problems=_LAW
    ),
    "uniform": Entry("bestdo.learners.uniform:Uniform", "Uniform", ("#7F7F7F", "v")),
    "watching": Entry("bestdo.learners.uniform:Watching", "Watching", ("#7F7F7F", "d"), problems=_SEEING),
    "watch-then-act": Entry("bestdo.learners.watch_then_act:WatchThenAct", "Watch, then act"),
    "successive-rejects": Entry(
        "bestdo.learners.successive_rejects:SuccessiveRejects", "Successive Rejects", ("#009E73", "^")
    ),
    "sequential-halving": Entry(
        "bestdo.learners.sequential_halving:SequentialHalving", "Sequential Halving", ("#CC79A7", "D")
    ),
    "successive-elimination": Entry(
        "bestdo.learners.successive_elimination:SuccessiveElimination", "Successive Elimination", ("#009E73", ">")
    ),
    "ucb": Entry("bestdo.learners.ucb:UCB", "UCB", ("#E69F00", "X")),
    "c-ucb": Entry("bestdo.learners.c_ucb:CUCB", "C-UCB", ("#D55E00", "X"), problems=_LISTED),
    "thompson": Entry("bestdo.learners.thompson:Thompson", "Thompson sampling", ("#56B4E9", "P")),
    "top-two": Entry("bestdo.learners.top_two:TopTwo", "Top-two Thompson sampling", ("#882255", "P")),
    "npts": Entry("bestdo.learners.npts:NPTS", "NPTS", ("#0072B2", "P")),
    "lucb": Entry("bestdo.learners.lucb:LUCB", "LUCB1"),
    "track-and-stop": Entry("bestdo.learners.track_and_stop:TrackAndStop", "Track-and-Stop"),
    "causal-top-two": Entry("bestdo.learners.causal_top_two:CausalTopTwo", "Causal top-two", ("#000000", "o")),
}
"""The entries by their names on the command line. Other packages add learners under the entry point `bestdo.learners`."""


def _others() -> dict[str, EntryPoint]:
    """The entry points of learners in other packages, by name."""
    return {found.name: found for found in entry_points(group="bestdo.learners") if found.name not in LEARNERS}


def names() -> list[str]:
    """The names of all learners, those of other packages included."""
    return [*LEARNERS, *_others()]


def entry(name: str) -> Entry:
    """The entry of a learner; for one of another package, or given as `module:Class`, the name is also its title."""
    return LEARNERS[name] if name in LEARNERS else Entry(name, name)


def title(name: str) -> str:
    """The full name of a learner."""
    return entry(name).title


def _load(where: str) -> Learner[Any]:
    """The learner at `module:Class`, with its default parameters."""
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found()  # type: ignore[no-any-return]


def learner(name: str) -> Learner[Any]:
    """A learner by its name, or by `module:Class`, with its default parameters."""
    if name in LEARNERS:
        return _load(LEARNERS[name].where)
    if ":" in name:
        try:
            return _load(name)
        except Exception as error:
            raise BestdoError(f"the learner {name!r} cannot be loaded: {error!r}") from error
    if name in (others := _others()):
        try:
            return others[name].load()()  # type: ignore[no-any-return]
        except Exception as error:
            raise BestdoError(f"the learner {name!r} of another package cannot be loaded: {error!r}") from error
    raise BestdoError(unknown("learner", name, names(), most=30))


def by_title(*names: str) -> dict[str, Learner[Any]]:
    """Learners with their default parameters, by their full names."""
    return {title(name): learner(name) for name in names}


def descriptions() -> dict[str, str]:
    """One line about each learner by its name, those of other packages included."""
    return {name: _line(name) for name in names()}


def _line(name: str) -> str:
    """The title of a learner and the first line of its docstring."""
    import inspect

    try:
        about = (inspect.getdoc(type(learner(name))) or "no description").splitlines()[0]
    except BestdoError as error:  # of another package
        return str(error)
    known, _, variant = title(name).partition(" as in ")
    if variant:
        return f"{known} as in {variant}"
    return about if known == name or about.startswith(known) else f"{known}: {about}"
