"""The doubtful arrows of a study: how probable each is by the rounds so far, and how that moved."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bestdo.arguments import whole_number
from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.errors import BestdoError, TooLarge
from bestdo.study.fold import Row, rounds_of
from bestdo.study.old_data import old_rounds

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = ["Settling", "arrows", "arrows_of", "not_settled", "settling"]


_POINTS = 4
"""The most numbers of rounds after which probabilities are shown. Chosen, not measured."""
_EQUAL = 1e-9
"""Means that differ by less are the same."""


_DRAWN = 200
"""Graphs that are drawn to say how many directions stay open: the standard error is below a fifth of an arrow, as the number
of ten variables varies by less than three. Not measured."""


def arrows(study: Study, points: int = _POINTS) -> list[ArrowChance]:
    """The doubtful arrows, with their probabilities now and after some numbers of rounds.

    points: how many, evenly spread, the last included. An empty list where no arrow is in doubt.

    >>> import bestdo
    >>> problem = bestdo.Problem(bestdo.Doubts.parse("shade -> yield; rain ?0.3-> yield", reward="yield", success="1"))
    >>> study = bestdo.Study.create(problem, rounds=60, name="doubted")
    >>> for arrow in study.arrows():
    ...     print(arrow, arrow.now)
    rain -> yield 0.3
    """
    points = whole_number("the number of points", points)
    problem = study.problem
    if not problem.graphs.arrows:
        return []
    with study.reading() as log:
        problem = study.book(log).game.problem
        kept = study.kept_answer
        if points == _POINTS and kept is not None and kept[0] == log.position:  # nothing was told since
            return list(kept[1].arrows)  # 10,000 rounds take 0.15 s to read and weigh
        old = old_rounds(log, problem)
        told = [Row(r.action, body["values"], body["deviated"]) for r in log.rounds() if (body := _told(r)) is not None]
    return arrows_of(problem, rounds_of(told, problem), old, points)


class Settling(NamedTuple):
    """The settling of the doubts about the graph: in bits, 0 where it is known; or in arrows whose direction is open."""

    candidates: int
    """The number of possible graphs."""
    classes: int
    """The number of groups of graphs that rounds in which nothing is set can tell apart, however many (Markov equivalence); 0
    where they are too many to be counted."""
    doubt: float
    """The doubt now: the entropy of the probabilities of all candidates; or how many arrows there are on average."""
    watching: float
    """The doubt left, in expectation, after any number of rounds in which nothing is set."""
    setting: tuple[str, ...] = ()
    """The variables of the action of which many rounds, beside those, would leave the least; none where none leaves less."""
    left: float = 0.0
    """The doubt that rounds of that action would leave."""
    unit: str = "bits"
    """`bits`; or `arrows`, where the graphs are not listed and directions are in doubt: how many have an open direction, on
    average over graphs that are drawn by their probabilities."""

    def as_data(self) -> dict[str, Any]:
        """The settling as data for JSON."""
        return {**self._asdict(), "setting": list(self.setting)}


def not_settled(problem: Problem) -> str:
    """The reason why `settling` has no answer for a problem with doubtful arrows; empty where it has one, or without them."""
    if not problem.graphs.arrows:
        return ""
    if any(graph.children[h] for graph in problem.graphs.candidates for h in graph.hidden):
        return "which graphs with hidden causes data can tell apart is not worked out"
    from bestdo.statistics.candidate_tables import CandidateTables

    try:
        CandidateTables(problem)
    except TooLarge as error:
        return str(error)
    return ""


def settling(study: Study) -> Settling | None:
    """The reach of old data alone in settling the doubts, and the intervention that would settle most.

    None where no arrow is in doubt, and where a graph has hidden causes: `bestdo observe` says which. Where an order is
    known, data alone can settle all. Where directions are in doubt and the graphs are too many to be listed, it is said of
    graphs drawn by their probabilities how many directions stay open.

    >>> import bestdo
    >>> problem = bestdo.Problem(bestdo.Doubts.parse("shade ?-? yield", reward="yield", success="1"))
    >>> study = bestdo.Study.create(problem, rounds=60, name="settled")
    >>> found = study.settling()
    >>> found.candidates, found.classes, found.setting
    (3, 2, ('shade',))
    """
    from bestdo.statistics.candidate_tables import CandidateTables

    with study.reading() as log:
        problem = study.book(log).game.problem
        old = old_rounds(log, problem)
        rounds = rounds_of(log.all_rows(), problem)
    if not problem.graphs.arrows or not_settled(problem):
        return None
    statistic = CandidateTables(problem)
    tally = statistic.tally(rounds, 1) if old is None else statistic.tally(rounds, 1).plus(statistic.tally(old, 1))
    return _SETTLING[type(problem.graphs.space)](problem, tally)


def _told_apart(problem: Problem, tally: Tally) -> Settling:
    """The settling of the doubts where candidates are listed: by their classes of Markov equivalence."""
    from bestdo.causal.equivalence import classes, doubt_left
    from bestdo.learners.beliefs.graph_weighing import weighing_of

    weights, graphs = weighing_of(problem).weights(tally.weight)[0], problem.graphs.candidates
    seen = classes(graphs)
    doubt, watching = doubt_left(weights, np.zeros_like(seen)), doubt_left(weights, seen)
    best: tuple[str, ...] = ()
    left = watching
    for names in sorted({tuple(action) for action in problem.actions if action}, key=len):
        then = doubt_left(weights, classes(graphs, names))
        if then < left - 1e-9:
            best, left = names, then
    return Settling(len(graphs), len(set(seen.tolist())), doubt, watching, best, left)


def _all_told_apart(problem: Problem, tally: Tally) -> Settling:
    """The settling of the doubts with an order in time: no two graphs with one order are Markov equivalent."""
    from scipy.special import entr

    from bestdo.learners.beliefs.graph_weighing import weighing_of

    chances, count = weighing_of(problem).weights(tally.weight)[0], problem.graphs.count
    return Settling(count, count, float(entr(chances).sum() / math.log(2)), 0.0)


def _open_directions(problem: Problem, tally: Tally) -> Settling:
    """The number of arrows whose direction rounds never tell, on average over graphs drawn by their probabilities."""
    from bestdo.causal.equivalence import open_arrows
    from bestdo.learners.beliefs.graph_scores import graph_sums

    names = problem.graphs.sure.names
    (sums,) = graph_sums(problem.graphs, tally.weight)
    parents = sums.draw(_DRAWN, np.random.default_rng(0))  # int[D, N], as bits
    each, times = np.unique(parents, axis=0, return_counts=True)
    graphs = (each[:, None, :] >> np.arange(len(names))[:, None] & 1).astype(bool)  # bool[D, cause, effect]
    share = times / times.sum()

    def left(setting: tuple[str, ...]) -> float:
        return float(share @ [open_arrows(graph, [names.index(n) for n in setting]) for graph in graphs])

    watching = left(())
    found = {names: left(names) for names in sorted({tuple(action) for action in problem.actions if action}, key=len)}
    best = min(found, key=lambda names: round(found[names], 9), default=())
    if found.get(best, watching) >= watching:
        best = ()
    arrows = float(share @ graphs.sum(axis=(1, 2)))
    return Settling(problem.graphs.count, 0, arrows, watching, best, found.get(best, watching), "arrows")


_SETTLING: dict[type, Callable[[Problem, Tally], Settling]] = {
    Listed: _told_apart,
    Ordered: _all_told_apart,
    Unordered: _open_directions,
}
"""The ways to settle the doubts, for each kind of possible graphs."""


def _told(row: Any) -> Any:
    """The result of a round; None where there is none."""
    return json.loads(row.body) if row.status == "told" else None


def arrows_of(problem: Problem, rounds: Rounds, old: Rounds | None = None, points: int = _POINTS) -> list[ArrowChance]:
    """The chances of doubtful arrows for rounds in their order, and old data before them."""
    from bestdo.learners.beliefs.graph_weighing import weighing_of
    from bestdo.statistics.candidate_tables import CandidateTables

    graphs = problem.graphs
    plain = [ArrowChance(*arrow, p) for arrow, p in zip(graphs.possible, graphs.before, strict=True)]
    if not plain:
        return []
    try:
        statistic, weighing = CandidateTables(problem), weighing_of(problem)
    except TooLarge:
        return plain
    count = len(rounds.lane)
    moments = np.unique(np.linspace(0, count, min(points, count) + 1).round().astype(np.int64))
    tally = Tally.zeros(1, statistic.cells.total) if old is None else statistic.tally(old, 1)
    done, found = 0, []
    for moment in moments.tolist():
        tally = tally.plus(statistic.tally(rounds.pick(slice(done, moment)), 1)) if moment > done else tally
        done = moment
        found.append(weighing.arrows(tally.weight)[0])
    chances = np.clip(np.array(found), 0.0, 1.0).T.tolist()
    told, matter = tuple(moments.tolist()), _matter(problem, rounds, old)
    rows = zip(plain, chances, matter, strict=True)
    return [one._replace(told=told, chance=tuple(chance), matters=matters) for one, chance, matters in rows]


def _matter(problem: Problem, rounds: Rounds, old: Rounds | None) -> list[bool | None]:
    """Whether the action with the best mean depends on each possible arrow."""
    from bestdo.learners.beliefs.graph_belief import GraphBelief

    graphs = problem.graphs
    unknown: list[bool | None] = [None] * len(graphs.possible)
    if problem.limits or problem.first or not graphs.candidates or (old is None and not len(rounds.lane)):
        return unknown
    try:
        belief = GraphBelief(problem)
    except BestdoError:  # too large, or not weighed
        return unknown
    tally = belief.statistic.tally(rounds, 1)
    tally = tally if old is None else tally.plus(belief.statistic.tally(old, 1))
    played = np.bincount(rounds.action, minlength=len(problem.actions)).astype(np.float64)
    means, weights = belief.means_by_candidate(tally, played[None]), belief.weights(tally)[0]
    best = int((weights @ means).argmax())
    found: list[bool | None] = []
    for there in graphs.there.T:
        each = [(own @ means) / own.sum() for part in (there, ~there) if (own := weights * part).any()]
        found.append(any(bool(mean[best] < mean.max() - _EQUAL) for mean in each))
    return found
