"""One published algorithm per file; the registry is the dictionary below. Each is imported when first used."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from bestdo.errors import BestdoError, unknown

if TYPE_CHECKING:
    from bestdo.bandit.learner import Learner

__all__ = ["LEARNERS", "learner", "names"]

LEARNERS = {
    "algorithm-1": "bestdo.learners.algorithm_1:ParallelBandit",
    "algorithm-1-as-in-paper": "bestdo.learners.algorithm_1:ParallelBandit.as_in_paper",
    "algorithm-1-as-in-authors-code": "bestdo.learners.algorithm_1:ParallelBandit.as_in_authors_code",
    "algorithm-1-rejects": "bestdo.learners.algorithm_1_rejects:RejectingParallelBandit",
    "algorithm-2": "bestdo.learners.algorithm_2:GeneralAlgorithm",
    "algorithm-2-as-in-paper": "bestdo.learners.algorithm_2:GeneralAlgorithm.as_in_paper",
    "algorithm-2-as-in-authors-code": "bestdo.learners.algorithm_2:GeneralAlgorithm.as_in_authors_code",
    "algorithm-2-phases": "bestdo.learners.algorithm_2_phases:GeneralAlgorithmInPhases",
    "uniform": "bestdo.learners.uniform:Uniform",
    "watching": "bestdo.learners.uniform:Watching",
    "watch-then-act": "bestdo.learners.watch_then_act:WatchThenAct",
    "successive-rejects": "bestdo.learners.successive_rejects:SuccessiveRejects",
    "sequential-halving": "bestdo.learners.successive_rejects:SequentialHalving",
    "successive-elimination": "bestdo.learners.sequential:SuccessiveElimination",
    "ucb": "bestdo.learners.sequential:UCB",
    "thompson": "bestdo.learners.sequential:Thompson",
    "top-two": "bestdo.learners.sequential:TopTwo",
    "lucb": "bestdo.learners.lucb:LUCB",
    "track-and-stop": "bestdo.learners.track_and_stop:TrackAndStop",
    "causal-top-two": "bestdo.learners.causal_top_two:CausalTopTwo",
}
"""Name on the command line: where it is. Other packages add theirs under the entry point `bestdo.learners`."""


def names() -> list[str]:
    """All learners that can be asked for by name, those of other packages included."""
    return [*LEARNERS, *(e.name for e in entry_points(group="bestdo.learners") if e.name not in LEARNERS)]


def _made(where: str) -> Learner[Any]:
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found()  # type: ignore[no-any-return]


def learner(name: str) -> Learner[Any]:
    """A learner by its name, or by `module:Class`, with its default parameters."""
    if name in LEARNERS:
        return _made(LEARNERS[name])
    if ":" in name:
        try:
            return _made(name)
        except Exception as error:
            raise BestdoError(f"the learner {name!r} cannot be loaded: {error!r}") from error
    for entry in entry_points(group="bestdo.learners"):
        if entry.name == name:
            try:
                return entry.load()()  # type: ignore[no-any-return]
            except Exception as error:
                raise BestdoError(f"the learner {name!r} of another package cannot be loaded: {error!r}") from error
    raise BestdoError(unknown("learner", name, names(), most=30))
