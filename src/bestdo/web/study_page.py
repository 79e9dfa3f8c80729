"""The page of a study, and the page of one round."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph
from bestdo.errors import BestdoError, Deviates, Unusual
from bestdo.report.drawing import draw
from bestdo.study import Study
from bestdo.study.marks import STOPPING, stopped
from bestdo.study.queries import reason_of
from bestdo.web.action_list import SORTS, ActionList, list_actions
from bestdo.web.forms import Sent
from bestdo.web.guard import who
from bestdo.web.rendering import rendered, shown_page
from bestdo.web.round_list import STATUSES, RoundList
from bestdo.web.study_cache import StudyCache
from bestdo.web.study_snapshot import SnapshotCache, StudySnapshot

__all__ = ["StudyPage", "confirmations", "round_of"]

_MOST_DRAWN = 300
"""Variables of the largest graph that is drawn. Chosen, not measured."""

_MANY = 12
"""The number of variables to record from which on the reward is the first: more do not fit on one screen. Chosen."""

_MOST_KEPT = 32
"""Studies, for each role, whose rendered parts are kept. Chosen, not measured."""


_CONFIRMATIONS: dict[type[BestdoError], tuple[str, str]] = {
    Deviates: ("happened", "Yes, this is what happened: keep the round, and count it for nothing"),
    Unusual: ("sure", "Yes, I am sure: the number is right, and counts"),
}
"""The confirmations that a form can give, by the error that asks for it: the name of the field, and its words."""


class _Button(NamedTuple):
    """A button below what is recorded, and what happens then."""

    text: str
    then: str = ""
    look: str = ""


_RECORD, _RECORD_ONLY = _Button("Record"), _Button("Record only", look="second")
_RECORD_AND_GO_ON = _Button("Record, and give me the next", "next")


class StudyPage:
    """Renders the page of a study, and that of one round."""

    def __init__(self, cache: StudyCache, snapshots: SnapshotCache) -> None:
        self._cache = cache
        self._snapshots = snapshots
        self._parts: dict[tuple[str, str], tuple[str, str]] = {}

    def render(
        self,
        request: Request,
        name: str,
        *,
        code: int = 200,
        chosen: int | None = None,
        told: int | None = None,
        undone: int | None = None,
        error: BestdoError | None = None,
        form: Sent | None = None,
        find: str = "",
        sort: str = "mean",
        whole: bool = False,
    ) -> HTMLResponse:
        """The page of a study.

        `chosen` is the round whose form is open, `form` is what was typed there and `error` what is wrong with it, `told` is
        the round that was just told, `undone` the one that is out again; `find`, `sort` and `whole` say which actions are
        shown.
        """
        snapshot = self._snapshots.of(name)
        now = _now(snapshot, who(request), chosen)
        return shown_page(
            request,
            "study.html",
            code,
            name=name,
            graph=snapshot.problem.graph,
            snapshot=snapshot,
            state=_state(request, snapshot, now),
            now=now,
            drawing=_drawn(now["action"] if now else None, snapshot),
            told=_with_status(snapshot, told, "told"),
            undone=_with_status(snapshot, undone, "open"),
            **_wrong(error, form),
            typed=form.values() if form else {},
            variables=_variables(snapshot.problem, now),
            **_of_contexts(snapshot.problem),
            listed=list_actions(snapshot, find, sort, whole),
            sorts=SORTS,
            rounds=snapshot.rounds,
            statuses=STATUSES,
        )

    def render_actions(self, request: Request, name: str, find: str, sort: str, whole: bool) -> HTMLResponse:
        """The table of actions, searched and sorted."""
        snapshot = self._snapshots.of(name)
        listed = list_actions(snapshot, find, sort, whole)
        return shown_page(request, "_actions_table.html", name=name, snapshot=snapshot, s=snapshot, listed=listed)

    def render_rounds(self, request: Request, name: str, found: RoundList) -> HTMLResponse:
        """The page with all rounds, or those that were looked for."""
        snapshot = self._snapshots.of(name)
        shown: dict[str, Any] = {"name": name, "graph": snapshot.problem.graph, "s": snapshot, "found": found}
        return shown_page(request, "rounds.html", **shown, rounds=found.rounds, statuses=STATUSES)

    def render_live(
        self, request: Request, name: str, state: str, find: str = "", sort: str = "mean", whole: bool = False
    ) -> HTMLResponse:
        """The changes since a page was rendered that shows this state of the person's work, for the parts that change.

        A form is left as it is, whatever others do, because somebody may be typing; that its round is not out any more is
        said beside it.
        """
        snapshot = self._snapshots.of(name)
        values: dict[str, Any] = {"now": None, "turn": False, "gone": None}
        if state.isdecimal() and request.scope["role"] == "editor":
            values["gone"] = _gone(snapshot, int(state))
        else:
            now = _now(snapshot, who(request), None)
            before, state = state, _state(request, snapshot, now)
            if state != before or state in (*STOPPING, "finished", "given"):
                action = now["action"] if now else None
                drawing, variables = _drawn(action, snapshot), _variables(snapshot.problem, now)
                values |= {"now": now, "turn": True, "drawing": drawing, "variables": variables, "typed": {}}
                values |= _of_contexts(snapshot.problem)
                values |= _wrong(None, None)
        return shown_page(
            request,
            "live.html",
            name=name,
            graph=snapshot.problem.graph,
            snapshot=snapshot,
            state=state,
            shared=self._shared(
                name, snapshot, snapshot.problem.graph, request.scope["role"], list_actions(snapshot, find, sort, whole)
            ),
            **values,
        )

    def _shared(self, name: str, snapshot: StudySnapshot, graph: Graph, role: str, listed: ActionList) -> str:
        """The parts that are the same for everybody with the same role, rendered once for each state of the log.

        Who searches the actions or sorts them gets a rendering of their own.
        """
        known = self._parts.get((name, role))
        if known is None or known[0] != snapshot.version or not listed.is_usual:
            shown: dict[str, Any] = {"name": name, "snapshot": snapshot, "graph": graph, "role": role, "listed": listed}
            made = rendered("live_shared.html", **shown, rounds=snapshot.rounds, statuses=STATUSES)
            if not listed.is_usual:
                return made
            known = self._parts[name, role] = snapshot.version, made
            while len(self._parts) > _MOST_KEPT:
                self._parts.pop(next(iter(self._parts)), None)
        return known[1]

    def render_round(
        self,
        request: Request,
        name: str,
        number: int,
        error: BestdoError | None = None,
        form: Sent | None = None,
        code: int = 200,
    ) -> HTMLResponse:
        """The page of one round, to be read, amended or withdrawn."""
        study = self._cache.study(name)
        row = round_of(study, number)
        action = Intervention.parse(row["action"])
        return shown_page(
            request,
            "round.html",
            code,
            name=name,
            graph=study.problem.graph,
            row=row,
            action=action,
            **_wrong(error, form),
            typed=form.values() if form else row.get("values", {}),
            variables=_variables(study.problem, {"action": action, "context": {}}),
            now={"number": number, "action": action, "context": row.get("context", {})},
        )


def _wrong(error: BestdoError | None, form: Sent | None) -> dict[str, Any]:
    """The error in the typed values, and the confirmations that the page offers, each with whether it was given."""
    given = [name for name, _ in _CONFIRMATIONS.values() if form is not None and form.get(name) == "yes"]
    asked = [name for kind, (name, _) in _CONFIRMATIONS.items() if isinstance(error, kind)]
    return {"problem": str(error or ""), "offered": confirmations(form, *given, *asked)}


def confirmations(form: Sent | None, *names: str) -> list[tuple[str, str, bool]]:
    """The confirmations of these names: the field of each, its words, and whether the form gives it."""
    return [(n, words, form is not None and form.get(n) == "yes") for n, words in _CONFIRMATIONS.values() if n in names]


def _now(snapshot: StudySnapshot, worker: str, chosen: int | None) -> dict[str, Any] | None:
    """The next task of a person, and its reason: the chosen round if it is out, or one of their own; else None."""
    out = snapshot.status["open"]
    found = [r for r in out if r["number"] == chosen] or [r for r in out if r["worker"] == worker]
    if not found:
        return None
    row = found[0]
    action = Intervention.parse(row["action"])
    about = {"number": row["number"], "action": action, "worker": row["worker"], "context": row.get("context", {})}
    why = reason_of(snapshot.study, snapshot.moment, row["number"])
    return {**about, "why": why, "costs": snapshot.prices.cells(action)}


def _state(request: Request, snapshot: StudySnapshot, now: dict[str, Any] | None) -> str:
    """The state of a person's work for the page: the number of their round, or why there is none."""
    if now:
        return str(now["number"])
    if mark := stopped(snapshot.status):
        return mark
    if snapshot.status["finished"]:
        return "finished"
    if not snapshot.left:
        return "given"
    return "ask" if request.scope["role"] == "editor" else "look"


def _gone(snapshot: StudySnapshot, number: int) -> dict[str, Any] | None:
    """The round whose form somebody has open, if it is not out any more, and by whom it was told or withdrawn."""
    if any(row["number"] == number for row in snapshot.status["open"]):
        return None
    by = [e["who"] for e in snapshot.events if e.get("round") == number and e["kind"] in ("told", "withdrawn")]
    return {**round_of(snapshot.study, number), "by": by[0] if by else ""}


def _variables(problem: Problem, now: dict[str, Any] | None) -> list[Any]:
    """The variables of which a person can tell values, without what is set or was seen first.

    The reward is the last; where there are many, it is the first, so that nobody has to look for it.
    """
    graph = problem.graph
    known = {graph.reward, *now["action"], *now["context"]} if now else {graph.reward}
    names, reward = [n for n in graph.observed if n not in known], graph.reward or ""
    return [graph.variable(n) for n in ([*names, reward] if len(names) < _MANY else [reward, *names])]


def _of_contexts(problem: Problem) -> dict[str, Any]:
    """The variables that are seen before the action is chosen, and the buttons below what is recorded.

    Where something is seen first, nobody can be given the next round before that is known.
    """
    contexts, variables = problem.contexts, [problem.graph.variable(n) for n in problem.first]
    buttons = (*contexts.columns(_RECORD), *contexts.without(_RECORD_AND_GO_ON, _RECORD_ONLY))
    return {"seen_first": contexts.columns(variables), "buttons": buttons}


def _drawn(action: Intervention | None, snapshot: StudySnapshot) -> str:
    """The graph under an action as SVG; empty when it is too large."""
    problem = snapshot.problem
    graph = problem.graph
    if len(graph.names) > _MOST_DRAWN:
        return ""
    settable = set[str]().union(*problem.actions)
    look: dict[str, Any] = {"styled": False, "positions": problem.positions}
    return draw(graph, settable, action, 640.0, **look, doubts=problem.graphs.arrows, chances=snapshot.chances)


def round_of(study: Study, number: int) -> dict[str, Any]:
    """The round of that number."""
    found = study.rounds(number - 1, 1)
    if not found or found[0]["number"] != number:
        raise BestdoError(f"there is no round {number}; ask for one first")
    return found[0]


def _with_status(snapshot: StudySnapshot, number: int | None, status: str) -> dict[str, Any] | None:
    """The round of this number, so that the page can say what was done to it; None where it is not in this status."""
    if number is None:
        return None
    found = [row for row in snapshot.rounds if row["number"] == number] or snapshot.study.rounds(number - 1, 1)
    return found[0] if found and found[0]["number"] == number and found[0]["status"] == status else None
