"""Routes of the list of studies: search, sort, duplicate, compare two, import."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from bestdo.bandit.horizon import MONEY
from bestdo.errors import BestdoError
from bestdo.report.problem_differences import differences
from bestdo.study.exchange import duplicated
from bestdo.study.overview import StudyLine
from bestdo.web.error_answers import code_of
from bestdo.web.forms import Form, Sent
from bestdo.web.guard import who
from bestdo.web.rendering import on_to, shown_page
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import Missing, StudyCache, from_slug, imported_safely, to_slug
from bestdo.web.study_snapshot import SnapshotCache

__all__ = ["study_list_routes"]

_ON_A_PAGE = 24
"""Studies on one page of the list: only these are opened. Chosen; `benchmarks/page.py` measures pages."""

_SORTS = {"changed": "last changed first", "new": "newest first", "name": "by name"}


def study_list_routes(cache: StudyCache, snapshots: SnapshotCache) -> APIRouter:
    """Routes of the list of studies."""
    router = APIRouter(include_in_schema=False)

    def listed(request: Request, view: dict[str, str], code: int = 200, **said: Any) -> HTMLResponse:
        """The list, with what is searched for and what was typed."""
        lines = cache.overview()
        away = view["show"] == "away"
        found = _sorted([x for x in lines if x.marks.archived == away and _matches(x.name, view["q"])], view["sort"])
        pages = max(1, -(-len(found) // _ON_A_PAGE))
        page = min(max(1, int(view["page"])), pages) if view["page"].isdecimal() and len(view["page"]) < 7 else 1
        shown = []
        for line in found[_ON_A_PAGE * (page - 1) : _ON_A_PAGE * page]:
            try:
                shown.append((line, snapshots.of(line.name)))
            except Missing:  # somebody deleted it meanwhile
                continue
        counts = {"here": sum(not x.marks.archived for x in lines), "away": sum(x.marks.archived for x in lines)}
        common = {"problem": "", "typed": {"study": "", "name": ""}, "gone": "", "next": _next_name(lines)}
        place = {"page": page, "pages": pages, "total": len(found), "counts": counts, "sorts": _SORTS}
        return shown_page(request, "studies.html", code, studies=shown, view=view, **place, **{**common, **said})

    @router.get("/")
    def studies(
        request: Request, q: str = "", sort: str = "changed", show: str = "", page: str = "1", gone: str = ""
    ) -> HTMLResponse:
        view = _view(q=q, sort=sort, show=show, page=page)
        put_away = {x.name for x in cache.overview() if x.marks.archived} if gone else set[str]()
        return listed(request, view, gone=gone if gone in put_away else "")

    @router.post("/studies/{slug}/duplicate")
    def duplicate(request: Request, slug: str, form: Form) -> Response:
        study, name = cache.study(from_slug(slug)), form.get("name")
        try:
            duplicated(study, name, who(request))
        except BestdoError as error:
            typed = {"study": study.name, "name": name}
            return listed(request, _view(**form.fields), code_of(error), problem=str(error), typed=typed)
        return on_to(f"/studies/{to_slug(name)}")

    @router.post("/import")
    @slow
    def take_in(request: Request, form: Form) -> Response:
        try:
            made = imported_safely(cache, _uploaded(form), form.get("name") or None)
        except BestdoError as error:
            typed = {"study": "", "name": form.get("name")}
            return listed(request, _view(), code_of(error), problem=str(error), typed=typed)
        return on_to(f"/studies/{to_slug(made.name)}")

    @router.get("/compare")
    def compare(request: Request, study: list[str] = Query(default=[])) -> HTMLResponse:  # noqa: B008
        names, problem, sides, differ = cache.names(), "", list[Any](), list[str]()
        chosen = [name for name in dict.fromkeys(study) if name in names]
        if len(chosen) > 2:
            problem = f"Two studies can be compared at once: {len(chosen)} are chosen, and the first two are shown."
        if len(chosen) >= 2:
            sides = [(one, one.problem) for one in map(snapshots.of, chosen[:2])]
            differ = differences(sides[0][1], sides[1][1])
        values: dict[str, Any] = {
            "names": names,
            "chosen": chosen,
            "sides": sides,
            "differ": differ,
            "problem": problem,
        }
        return shown_page(request, "compare.html", **values, **_headings(sides))

    return router


def _headings(sides: list[Any]) -> dict[str, Any]:
    """The headings of a comparison that depend on what the studies count: rounds or money, and what was earned."""
    used = {one.horizon.unit.heading for one, _ in sides}
    earned = dict.fromkeys(heading for _, problem in sides for heading in problem.goal.columns("Earned"))
    return {"used": used.pop() if len(used) == 1 else MONEY.heading, "earned": earned}


def _view(q: str = "", sort: str = "", show: str = "", page: str = "1", **_: str) -> dict[str, str]:
    """The part of the list that is looked at, from an address or a form."""
    return {"q": q.strip(), "sort": sort if sort in _SORTS else "changed", "show": show, "page": page}


def _matches(name: str, wanted: str) -> bool:
    """Whether a name contains every word that is searched for."""
    return all(word in name.casefold() for word in wanted.casefold().split())


def _sorted(lines: list[StudyLine], by: str) -> list[StudyLine]:
    """The lines in the order that was chosen."""
    if by == "name":
        return sorted(lines, key=lambda line: (line.name.casefold(), line.number))
    return sorted(lines, key=lambda line: (line.changed if by == "changed" else "", line.number), reverse=True)


def _next_name(lines: list[StudyLine]) -> Any:
    """A function from the name of a study to a name for its duplicate that is free."""
    taken = {line.name for line in lines}

    def name_after(name: str) -> str:
        return next(new for k in range(2, len(taken) + 3) if (new := f"{name[:190]} ({k})") not in taken)

    return name_after


def _uploaded(form: Sent) -> Any:
    """The JSON in the file that was sent."""
    if "file" not in form.files:
        raise BestdoError("choose the file that was exported: its name ends in .json")
    name, data = form.files["file"]
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise BestdoError(f"{name} is not a study: choose a file that Export gave, which is JSON") from None
