"""The page of a study, and the page of one round."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError
from bestdo.report.drawing import draw
from bestdo.study import Study
from bestdo.web.forms import Sent
from bestdo.web.guard import who
from bestdo.web.rendering import shown_page
from bestdo.web.study_cache import StudyCache
from bestdo.web.study_snapshot import SnapshotCache

__all__ = ["StudyPage", "round_of"]

_MOST_DRAWN = 300
"""Variables of the largest graph that is drawn. Chosen, not measured."""


class StudyPage:
    """Renders the page of a study, and that of one round."""

    def __init__(self, cache: StudyCache, snapshots: SnapshotCache) -> None:
        self._cache = cache
        self._snapshots = snapshots

    def render(
        self,
        request: Request,
        name: str,
        *,
        code: int = 200,
        chosen: int | None = None,
        told: int | None = None,
        problem: str = "",
        form: Sent | None = None,
        template: str = "study.html",
    ) -> HTMLResponse:
        """The page of a study.

        `chosen` is the round whose form is open, `form` is what was typed there, `told` is the round that was just told.
        """
        study, snapshot = self._cache.study(name), self._snapshots.of(name)
        worker = who(request)
        out = snapshot.status["open"]
        mine = [r for r in out if r["number"] == chosen] or [r for r in out if r["worker"] == worker]
        now = _now(study, mine[0]) if mine else None
        action = Intervention.parse(mine[0]["action"]) if mine else None
        return shown_page(
            request,
            template,
            code,
            name=name,
            graph=study.problem.graph,
            snapshot=snapshot,
            now=now,
            out=[r for r in out if not mine or r["number"] != mine[0]["number"]],
            drawing=_drawn(study, action),
            told=_told(study, told),
            problem=problem,
            typed=form.values() if form else {},
            variables=_variables(study, action),
        )

    def render_round(
        self, request: Request, name: str, number: int, problem: str = "", form: Sent | None = None, code: int = 200
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
            problem=problem,
            typed=form.values() if form else row.get("values", {}),
            variables=_variables(study, action),
            now={"number": number, "action": action},
        )


def _now(study: Study, row: dict[str, Any]) -> dict[str, Any]:
    """What a person is to do in a round, and why."""
    action = Intervention.parse(row["action"])
    return {"number": row["number"], "action": action, "worker": row["worker"], "why": study.reason(row["number"])}


def _variables(study: Study, action: Intervention | None) -> list[Any]:
    """The variables of which a person can tell values: the reward last, without those that the action sets."""
    graph = study.problem.graph
    names = [n for n in graph.observed if n != graph.reward and (action is None or n not in action)]
    return [graph.variable(n) for n in [*names, graph.reward or ""]]


def _drawn(study: Study, action: Intervention | None) -> str:
    """The graph under an action as SVG; empty when it is too large."""
    graph = study.problem.graph
    if len(graph.names) > _MOST_DRAWN:
        return ""
    return draw(graph, set[str]().union(*study.problem.actions), action, 640.0, styled=False)


def round_of(study: Study, number: int) -> dict[str, Any]:
    """The round of that number."""
    found = study.rounds(number - 1, 1)
    if not found or found[0]["number"] != number:
        raise BestdoError(f"there is no round {number}; ask for one first")
    return found[0]


def _told(study: Study, number: int | None) -> dict[str, Any] | None:
    """The round that was just told, so that the page can offer to undo that; None when there is none."""
    if number is None:
        return None
    found = study.rounds(number - 1, 1)
    return found[0] if found and found[0]["number"] == number and found[0]["status"] == "told" else None
