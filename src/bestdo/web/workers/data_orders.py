"""Orders about data, carried out in the sandbox: sheets of fixed plans, old data for a study, how estimates moved."""

from __future__ import annotations

import base64
import math
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bestdo.bandit.answer import Answer
from bestdo.data.compose import compose
from bestdo.errors import BestdoError, Conflict, FileError
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections.arrows import arrows_in_words, settling_in_words
from bestdo.report.sections.old_data import answers_in_words
from bestdo.report.sections.plan import filled_as_data, plan_as_data, plan_in_words
from bestdo.report.sections.recommendation import Recommendation
from bestdo.study import Study
from bestdo.study.estimate_history import moved
from bestdo.text import chance, percent
from bestdo.usecases.design import design
from bestdo.usecases.estimate import estimate
from bestdo.usecases.observe import observe

__all__ = ["estimated", "movement", "observed", "planned"]

_MOST_LINES = 200
"""Actions of which the answer says what old data show. Chosen, not measured."""


def planned(order: Mapping[str, Any]) -> dict[str, Any]:
    """The optimal fixed plan, and its sheet."""
    problem = compose(str(order["text"]).encode()).problem
    plan = design(problem, rounds=int(order["rounds"]))
    data = plan_as_data(plan)
    data["actions"].sort(key=lambda row: -row["rounds"])
    made = base64.b64encode(plan.sheet(order["separator"])).decode()
    words = {"words": plan_in_words(plan), "bill": plan.bill}
    return {"error": None, **data, "total": len(problem.actions), "sheet": made, **words}


def estimated(order: Mapping[str, Any]) -> dict[str, Any]:
    """The recommendation and the estimates from a filled sheet."""
    problem = compose(str(order["text"]).encode()).problem
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.csv"
        path.write_bytes(base64.b64decode(order["data"]))
        try:
            _, estimates, filled = estimate(problem, path, {"sheet": order.get("sheet")})
        except FileError as error:
            error.file = str(order["name"])
            raise
        except BestdoError as error:
            raise BestdoError(str(error).replace(str(path), str(order["name"]))) from None
    answer = Answer.of(problem, estimates, filled.empty)
    scale = RewardScale.of(problem.graph, answer.lines)
    kept = Recommendation.of(answer, scale, percent)
    limited = [{"variable": limit.variable, **limit.fields} for limit in problem.limits]
    words = {name: getattr(kept, name) for name in ("action", "whom", "mean", "interval", "certainty", "nearest")}
    words["keep"] = kept.keeping(over=True)
    words["limits"] = [{"sentence": remark.sentence, "look": remark.look} for remark in kept.limits]
    return {
        "error": None,
        **answer.as_data(),
        "sheet": filled_as_data(filled),
        "scale": asdict(scale),
        "words": words,
        "limited": limited,
    }


def observed(order: Mapping[str, Any]) -> dict[str, Any]:
    """Takes old data into a study, and says what they answer by themselves."""
    study = Study.open(str(order["study"]), str(order["url"]))
    try:
        found, answers, conclusion, arrows, settling, not_settled = observe(
            study, str(order["path"]), reading=order.get("reading"), force=bool(order["force"]), who=str(order["who"])
        )
    except BestdoError as error:
        message = str(error).replace(str(order["path"]), str(order["name"]))
        return {"error": {"message": message, "conflict": isinstance(error, Conflict)}}
    graph = study.problem.graph
    scale = RewardScale.of(graph, answers)
    lines = [
        {
            "action": str(a.action),
            "mean": scale.mean(a.mean),
            "interval": scale.interval(a.low, a.high) if a.known else "–",
            "rows": a.rows,
            "how": a.in_words,
            "why_not": a.why_not,
        }
        for a in sorted(answers, key=lambda a: scale.rank(a.mean))[:_MOST_LINES]
    ]
    words = answers_in_words(conclusion) if conclusion else []
    words += [f"{arrow} is there with probability {chance(arrow.now)}." for arrow in arrows[:_MOST_LINES]]
    words += [f"{about[0].upper()}{about[1:]}."] if (about := arrows_in_words(arrows)) else []
    words += settling_in_words(settling, not_settled)
    said = {"lines": lines, "words": words, "label": scale.label}
    data = {"rows": found.rows, "notes": list(found.notes), "fingerprint": found.fingerprint}
    return {"error": None, **data, **said}


def movement(order: Mapping[str, Any]) -> dict[str, Any]:
    """The means of the recommended action and of those with the best means at the end, over the rounds of a study."""
    started = time.process_time()
    study = Study.open(str(order["study"]), str(order["url"]))
    found = moved(study)
    last = found.mean[-1]
    sign = -study.problem.graph.rewarded.scale.sign
    kept = study.problem.actions.index(study.best().action)
    best = sorted(range(len(last)), key=lambda i: (i != kept, math.isnan(last[i]), sign * last[i]))[
        : int(order["most"])
    ]
    lines = [
        (str(study.problem.actions[i]), [float(f"{m:.6g}") if math.isfinite(m) else None for m in found.mean[:, i]])
        for i in sorted(best)
    ]
    took = time.process_time() - started
    return {"error": None, "rounds": found.told.tolist(), "lines": lines, "took": took}
