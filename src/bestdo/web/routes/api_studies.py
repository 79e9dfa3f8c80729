"""Routes of whole studies, for programs: begin, import, delete, old data, rehearsals."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from bestdo.data.problem_options import NAMES
from bestdo.errors import BestdoError, Conflict
from bestdo.files import parse
from bestdo.study import Study
from bestdo.study.verbs.observe import Observe
from bestdo.usecases.known_learners import registered
from bestdo.web import api_answers as answers
from bestdo.web import api_orders as orders
from bestdo.web.routes.api_verbs import BY, Name, fits
from bestdo.web.routes.rehearse import horizons
from bestdo.web.slow_routes import slow
from bestdo.web.study_cache import Missing, StudyCache, from_slug, imported_safely, problem_text
from bestdo.web.workers.rehearsal_queue import RehearsalQueue, RehearsalRun
from bestdo.web.workers.sandbox_client import Sandbox

__all__ = ["studies_routes"]


def studies_routes(cache: StudyCache, sandbox: Sandbox, rehearsals: RehearsalQueue) -> APIRouter:
    """Routes of whole studies and of rehearsals."""
    router = APIRouter()
    _beginnings(router, cache, sandbox)
    _old_data(router, cache, sandbox)
    _rehearsals(router, cache, rehearsals)
    return router


def _beginnings(router: APIRouter, cache: StudyCache, sandbox: Sandbox) -> None:
    """Adds the routes that list, begin, import and delete studies."""

    @router.get("/studies")
    def studies(
        archived: Annotated[bool, Query(description="Those in the archive too.")] = True,
    ) -> list[answers.Status]:
        """All studies."""
        found = [_status(cache.study(name)) for name in cache.names()]
        return [status for status in found if archived or not status.archived]

    @router.post("/studies", status_code=201)
    @slow
    def begin(order: orders.Beginning, response: Response) -> answers.Status:
        """Begin a study. The same again changes nothing and answers 200; another one of that name is a conflict.

        Every single action is taken where the problem names none. The tables that it gives for variables other than the
        reward are known to the learner, unless `graph_only` says that they are not.
        """
        made, there = _begun(order, cache, sandbox)
        response.status_code = 200 if there else 201
        return _status(made)

    @router.post("/studies/import", status_code=201)
    @slow
    def import_study(order: orders.Importing) -> answers.Status:
        """Take a study that `export` gave, here or elsewhere; it goes on as it would have where it was."""
        return _status(imported_safely(cache, order.study, order.name))

    @router.get("/studies/{name}")
    def status(name: Name) -> answers.Status:
        """The state of a study."""
        return _status(cache.study(from_slug(name)))

    @router.get("/studies/{name}/problem")
    def problem(name: Name) -> answers.Problem:
        """The problem of a study, in bestdo's own format."""
        return answers.Problem(problem=problem_text(cache, from_slug(name)))

    @router.get("/studies/{name}/version")
    def version(name: Name) -> answers.Version:
        """A text that changes whenever anything happens in the study; fast to ask for."""
        return answers.Version(version=cache.version(from_slug(name)))

    @router.delete("/studies/{name}", status_code=204)
    def delete(name: Name) -> Response:
        """Forget the study and all its rounds."""
        cache.study(from_slug(name)).delete()
        return Response(status_code=204)


def _begun(order: orders.Beginning, cache: StudyCache, sandbox: Sandbox) -> tuple[Study, bool]:
    """The study that an order begins, and whether it was there already."""
    horizon = _horizon(order.rounds, order.budget)
    said = order.model_dump(include={"problem", *NAMES})
    stated = sandbox.run({"verb": "state", **said, "rounds": horizon})
    if stated["error"]:
        raise BestdoError(stated["error"]["message"])
    problem = parse(stated["problem"].encode(), "problem.toml").problem
    assert problem is not None
    fits(problem, order.budget is not None)
    learner = registered(order.learner or stated["learner"])
    settings: dict[str, Any] = order.model_dump(
        include={"seed", "until_sure", "alarm", "at_once", "wait", "lease", "parameters"}
    )
    try:
        made = Study.create(
            problem,
            order.rounds,
            budget=order.budget,
            learner=learner,
            name=order.name,
            storage=cache.url,
            **settings,
            who=order.who or BY,
        )
    except Conflict:
        made = cache.study(order.name)
        status = made.status()
        if (made.problem, status["horizon"], status["learner"]) != (problem, horizon, learner):
            raise
        return made, True
    return made, False


def _old_data(router: APIRouter, cache: StudyCache, sandbox: Sandbox) -> None:
    """Adds the routes of old data."""

    @router.get("/studies/{name}/old")
    def old(name: Name) -> list[answers.Old]:
        """The old data of a study."""
        found = cache.study(from_slug(name)).old_data()
        return [answers.Old(fingerprint=each.fingerprint, rows=each.rows) for each in found]

    @router.post("/studies/{name}/observe", description=Observe.about)
    @slow
    def observe(name: Name, order: orders.Observing) -> answers.Observed:
        study = from_slug(name)
        cache.study(study)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            path.write_bytes(order.table.encode("utf-8", "replace"))
            said = {"url": cache.url, "study": study, "path": str(path), "name": "table", "force": order.force}
            said["reading"] = order.reading.model_dump()
            found = sandbox.run({"verb": "observe", **said, "who": order.who or BY})
        if error := found.pop("error", None):
            raise (Conflict if error.get("conflict") else BestdoError)(error["message"])
        return answers.Observed(**found)


def _rehearsals(router: APIRouter, cache: StudyCache, rehearsals: RehearsalQueue) -> None:
    """Adds the routes of rehearsals."""

    @router.post("/studies/{name}/rehearse", status_code=202)
    def rehearse(name: Name, order: orders.Rehearsing) -> answers.Rehearsal:
        """Play the rest of a study on many worlds that agree with what is known; ask for the answer by its key."""
        study = cache.study(from_slug(name))
        status = study.status()
        left = status["horizon"] - status["used"]
        if order.rounds is None and left <= 0:
            raise BestdoError("no round is left")
        rounds = order.rounds or horizons(left, status["unit"] == "rounds")
        return _rehearsal(rehearsals.begin({"url": cache.url, "study": study.name, "rounds": rounds}))

    @router.get("/rehearsals/{key}")
    def watch(key: str) -> answers.Rehearsal:
        """How far a rehearsal is, and its answer at the end."""
        return _rehearsal(_known(rehearsals, key))

    @router.delete("/rehearsals/{key}", status_code=204)
    def cancel(key: str) -> Response:
        """End a rehearsal."""
        _known(rehearsals, key).cancel()
        return Response(status_code=204)


def _known(rehearsals: RehearsalQueue, key: str) -> RehearsalRun:
    """A rehearsal by its key; raises Missing where there is none."""
    try:
        return rehearsals.get(key)
    except BestdoError as error:
        raise Missing(str(error)) from None


def _rehearsal(run: RehearsalRun) -> answers.Rehearsal:
    """A rehearsal as JSON."""
    return answers.Rehearsal(key=run.key, running=run.running, share=run.share, answer=run.answer)


def _status(study: Study) -> answers.Status:
    """The state of a study as JSON."""
    found = study.status()
    return answers.Status(**{name: found[name] for name in answers.Status.model_fields if name in found})


def _horizon(rounds: int | None, budget: float | None) -> float:
    """The horizon that was said: rounds or a budget."""
    said = [amount for amount in (rounds, budget) if amount is not None]
    if len(said) != 1:
        raise BestdoError("say rounds, or budget where actions have costs: one of them")
    return said[0]
