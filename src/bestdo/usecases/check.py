"""The implications of the graph of a problem before the first round, and the answers of old data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import bestdo.display as display
from bestdo.arguments import whole_number
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.context_scope import Look, looks
from bestdo.causal.doubt_effects import Importance, arrows_that_matter, identified_in
from bestdo.causal.graphs import OneGraph
from bestdo.causal.identify import Identification, identify
from bestdo.causal.where import Dominated, dominated, in_race_order
from bestdo.data.compose import compose
from bestdo.data.problem_options import ProblemOptions, check_names
from bestdo.design.optimal import Design, optimal_design
from bestdo.errors import BestdoError, NotValid
from bestdo.learners.cautions import Cautions, cautions
from bestdo.text import counted
from bestdo.usecases.guarantees import Guarantee, theorems

if TYPE_CHECKING:
    from bestdo.bandit.reading import Reading
    from bestdo.data.data_check import DataCheck

_T = TypeVar("_T")

__all__ = ["Guarantee", "InDoubt", "Outlook", "check"]


@dataclass(frozen=True)
class InDoubt:
    """The facts that hold in every possible graph, where arrows are in doubt."""

    graphs: int
    """The number of possible graphs."""
    identified: tuple[str, ...]
    """The graphs, "all", "some" or "none", in which the mean of each action can be learned by watching."""
    arrows: tuple[Importance, ...]
    """The doubtful arrows, each with what it changes for the decision and why; none of one graph."""

    def said_of(self, action: int) -> dict[str, str]:
        """The graphs in which an action's mean can be learned by watching, as data; of one graph its way says so."""
        return {"learned_by_watching_in": self.identified[action]} if self.arrows else {}

    def columns(self, *columns: _T) -> tuple[_T, ...]:
        """Parts of a text or of data that are there only where arrows are in doubt."""
        return columns if self.arrows else ()


@dataclass(frozen=True)
class Outlook:
    """The way to learn each action, those that can never be the best, the difficulty of the problem, and the guarantees."""

    problem: Problem
    ways: tuple[Identification, ...]
    """The way to learn each action's mean, in the order of the actions; where arrows are in doubt, in every graph."""
    never_best: dict[Intervention, Dominated]
    design: Design | None
    """The optimal fixed design, where the law of the reward's parents is known."""
    no_design: str
    """The reason where `design` is None."""
    rounds: int | None
    """The number of rounds that were asked about."""
    guarantees: tuple[Guarantee, ...]
    """The theorems that cover the problem."""
    no_learner_below: float | None
    """The regret that every learner has at least after those rounds, for some table of the reward (Theorem 2)."""
    data: DataCheck | None = None
    """The answers of old data."""
    looks: tuple[Look, ...] = ()
    """The variables seen before the action is chosen, and those that could be, each with whether looking at it pays."""
    doubts: InDoubt = InDoubt(1, (), ())
    """The facts that hold in every possible graph; no doubtful arrows of one graph."""
    cautions: Cautions = field(default_factory=Cautions)
    """The cautions about the problem as it is stated."""

    @property
    def drawn_graphs(self) -> int:
        """Over how many graphs, drawn by their probabilities, a study averages means; 0 where it needs no draws."""
        if self.problem.graphs.covering:
            return 0
        from bestdo.learners.beliefs.unordered_belief import GRAPHS

        return GRAPHS

    def __repr__(self) -> str:
        watched = sum(way.identifiable for way in self.ways)
        said = f"{watched} learned by watching, {len(self.never_best)} never the best"
        if self.data is not None:
            best = self.data.conclusion.sure or self.data.conclusion.best
            said += (
                f"; {counted(self.data.rows, 'row')} of data: {f'{best.action} looks best' if best else 'no answer'}"
            )
        return f"Outlook({counted(len(self.ways), 'action')}: {said})"

    _repr_html_ = display.html
    to_frame = display.to_frame


def check(
    problem: object,
    rounds: int | None = None,
    *,
    data: object = None,
    columns: Mapping[str, str] | None = None,
    reading: Reading | Mapping[str, Any] | None = None,
    **options: Unpack[ProblemOptions],
) -> Outlook:
    """The implications of a problem's graph, the guarantees of theorems after so many rounds, and the answers of old data.

    problem: a Problem, the path of a file, or anything else that `bestdo.compose` takes; options: as there (`reward`,
    `set`, `first` …). rounds: after how many rounds guarantees are wanted. data: rounds in which nobody set anything: the
    path of a CSV, Excel or Parquet file, or a data frame; `columns` gives the name of the column of a variable, where it
    differs; `reading` says more about the table.

    Raises BestdoError where the problem, or the data, cannot be read.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("price -> sales; season -> price; season -> sales", reward="sales", success="1")
    >>> outlook = bestdo.check(bestdo.Problem(graph, set=["price"]))
    >>> print(outlook.ways[1])
    do(price=0), by watching, adjusting for season: season causes both price and sales
        Σ_{season} P(season) P(sales | price, season)
    """
    check_names(check, options)
    problem = compose(problem, **options).problem
    rounds = None if rounds is None else whole_number("the number of rounds", rounds)
    in_doubt = _in_doubt(problem)
    design, why = _designed(problem)
    proved = theorems(problem, design, rounds)
    return Outlook(
        problem,
        _ways(problem, in_doubt),
        _never_best(problem) if problem.rules_out_by_graph else {},
        design,
        why,
        rounds,
        proved.guarantees,
        proved.no_learner_below,
        None if data is None else _checked_data(data, problem, columns, reading),
        _looks(problem),
        in_doubt,
        cautions(problem),
    )


def _designed(problem: Problem) -> tuple[Design | None, str]:
    """The optimal fixed design, and the reason where there is none."""
    try:
        problem.contexts.only(NotValid(_NO_RULE))
        return (None if problem.law is None else optimal_design(problem)), problem.graphs.no_law
    except BestdoError as error:
        return None, str(error)


_NO_RULE = "what is proved is about one action for everybody, not about a rule (bestdo rehearse plays it)"


def _in_doubt(problem: Problem) -> InDoubt:
    """The facts that hold in every possible graph."""
    graphs = problem.graphs
    return InDoubt(
        graphs.count,
        tuple(identified_in(graphs, problem.actions, problem.first)),
        arrows_that_matter(
            graphs,
            problem.actions,
            lambda graph: problem.by(OneGraph(graph)).contenders,
            lambda graph: [graph, *(limit.of(graph) for limit in problem.limits)],
            problem.first,
        ),
    )


def _ways(problem: Problem, in_doubt: InDoubt) -> tuple[Identification, ...]:
    """The way to learn each action's mean, in every possible graph."""
    by_graph = tuple(identify(problem.graph, action, first=problem.first) for action in problem.actions)
    same = {names: _same_way(problem, action) for names, action in {frozenset(a): a for a in problem.actions}.items()}
    return tuple(
        _in_some(way, where, same[frozenset(way.intervention)])
        for way, where in zip(by_graph, in_doubt.identified, strict=True)
    )


def _same_way(problem: Problem, action: Intervention) -> bool:
    """Whether an action's mean is learned in the same way by all possible graphs; where they are too many, of do() alone."""
    graphs = problem.graphs.covering
    if not graphs:
        return not action
    return len(graphs) == 1 or len({str(identify(g, action, first=problem.first).formula) for g in graphs}) == 1


def _in_some(way: Identification, where: str, same: bool = True) -> Identification:
    """A way to learn a mean, where it can be learned by watching in "all" graphs, in "some" or in "none"."""
    if where == "all" and same:
        return way
    reasons = {
        "all": "it can be learned by watching in each of the possible graphs, in another way by each",
        "some": "it can be learned by watching in some of the possible graphs only",
    }
    reason = reasons.get(where, way.reason or "it can be learned by watching in none of the possible graphs")
    return replace(
        way,
        how="doing",
        reason=reason,
        formula=None,
        adjust=(),
        hedge=way.hedge if where == "none" else None,
        watched="" if where == "none" else where,
    )


def _looks(problem: Problem) -> tuple[Look, ...]:
    """The variables worth looking at before the action is chosen, by one of the possible graphs at least."""
    found: dict[str, Look] = {}
    for graph in problem.graphs.covering:  # where there is none, no variable can be seen first
        for look in looks(Actions(graph, problem.actions), problem.first):
            if look.variable not in found or (look.matters and not found[look.variable].matters):
                found[look.variable] = look
    return tuple(found.values())


def _never_best(problem: Problem) -> dict[Intervention, Dominated]:
    """The actions that cannot be the best, neither for everybody nor in a context, with the reasons.

    Of actions that are equally good, those that the race of a study leaves out.
    """
    can = replace(problem, all_compete=False).contenders
    never = [action for action, may in zip(problem.actions, can, strict=True) if not may]
    graphs = problem.graphs.covering or (problem.graph,)
    by_graph = [_reasons(Actions(graph, problem.actions), never) for graph in graphs]
    return {action: _in_all([reasons[action] for reasons in by_graph]) for action in never}


def _reasons(actions: Actions, never: Sequence[Intervention]) -> dict[Intervention, Dominated]:
    """The reason why each of these actions can never be the best by a graph, as listed, or as the race sorts them."""
    reasons = dominated(actions)
    return reasons if reasons.keys() >= set(never) else {**dominated(in_race_order(actions)), **reasons}


def _in_all(found: Sequence[Dominated]) -> Dominated:
    """The reason why an action can be the best in no possible graph, from the reasons in each: one where they are equal."""
    reasons = list(dict.fromkeys(each.reason for each in found))
    if len(reasons) == 1:
        return found[0]
    by = tuple(dict.fromkeys(other for each in found for other in each.by))
    return Dominated(found[0].action, by, f"in some graphs {'; in others '.join(reasons[:2])}")


def _checked_data(
    data: object,
    problem: Problem,
    columns: Mapping[str, str] | None,
    reading: Reading | Mapping[str, Any] | None,
) -> DataCheck:
    """The answers of old data; imported only where there are any."""
    from bestdo.bandit.reading import Reading
    from bestdo.data.data_check import check_data

    return check_data(data, problem, Reading.of(reading, columns))
