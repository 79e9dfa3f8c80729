"""Renders templates; everything that people wrote is escaped."""

from __future__ import annotations

import gc
import hashlib
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from bestdo.bandit.confidence import level_name
from bestdo.bandit.estimate import best_of_independent
from bestdo.bandit.goal import GOALS
from bestdo.bandit.horizon import UNITS
from bestdo.bandit.limited_outcome import BESIDE, BOUND_IN_UNIT, HINT, OF_A_NUMBER
from bestdo.causal.arrows import forms_of
from bestdo.causal.number import NUMBERS
from bestdo.data.plan_sheet import in_words
from bestdo.files import extensions
from bestdo.formats import format_names
from bestdo.report.interval_pictures import interval_svg, share_svg
from bestdo.report.sections.actions import NEVER_BEST, SEEN
from bestdo.report.sections.recommendation import NOTHING_KNOWN
from bestdo.report.study_report import details
from bestdo.study.marks import STOPPING, stopped
from bestdo.text import capital, counted, percent, sentence
from bestdo.web.study_cache import to_slug

__all__ = ["on_to", "rendered", "shown_page", "warm"]


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """The environment of Jinja, with our filters and functions."""
    made = Environment(
        loader=PackageLoader("bestdo.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {
        "static": _static,
        "counted": counted,
        "units": UNITS,
        "level": level_name(),
        "graph_formats": format_names("DAGitty", last=" or "),
        "graph_files": lambda: ",".join(extensions()),
        "nothing_known": NOTHING_KNOWN,
        "never_best": NEVER_BEST,
        "seen_means": SEEN,
        "goals": {str(goal): goal for goal in GOALS},
        "limit_kinds": HINT,
        "of_a_number": OF_A_NUMBER,
        "limit_beside": BESIDE,
        "bound_in_unit": BOUND_IN_UNIT,
        "stopped": stopped,
        "stopping": STOPPING,
        "numbers": NUMBERS,
        "forms_of": forms_of,
        "interval": lambda line, best, axis: Markup(  # noqa: S704
            interval_svg(line.low, line.mean, line.high, best, axis)
        ),
        "share": lambda share: Markup(share_svg(share)),  # noqa: S704
    }
    made.filters |= {"to_slug": to_slug, "in_words": in_words, "details": details, "moment": _moment}
    made.filters |= {"percent": percent, "capital": capital, "sentence": sentence}
    made.filters |= {"drawn": lambda svg: Markup(svg)}  # noqa: S704
    return made


@lru_cache(maxsize=32)
def _static(name: str) -> str:
    """The address of a static file; it changes with the contents of the file."""
    data = files("bestdo.web").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(data).hexdigest()[:12]}"


def _moment(at: str) -> str:
    """A time of the log, to the minute, in UTC."""
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M} UTC"


def warm() -> None:
    """Loads templates and compiled code before the first request, and frees what importing left behind."""
    for name in _environment().list_templates():
        _environment().get_template(name)
    best_of_independent(np.zeros((1, 2)), np.ones((1, 2)))
    gc.collect()


def rendered(template: str, **values: Any) -> str:
    """The text of a template, filled with values."""
    return _environment().get_template(template).render(**values)


def on_to(address: str) -> RedirectResponse:
    """A redirect to another page, after a form was sent."""
    return RedirectResponse(address, 303)


def shown_page(request: Request, template: str, code: int = 200, **values: Any) -> HTMLResponse:
    """The answer with a page, or a part of one, that also knows who asks and their role."""
    scope = request.scope
    common = {"role": scope.get("role"), "who": scope.get("who", ""), "path": scope["path"]}
    return HTMLResponse(rendered(template, **common, **values), code)
