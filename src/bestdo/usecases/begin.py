"""Begins a study, with the learner that is named or the one that suits the problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bestdo.bandit.problem import Problem
from bestdo.evidence.alarm import LEVEL
from bestdo.study import Study
from bestdo.study.default_learner import choose
from bestdo.study.settings import LEASE

__all__ = ["NewStudy", "begin"]


class NewStudy(NamedTuple):
    """A study, and why its learner was chosen."""

    study: Study
    why: str
    """Empty where the learner was named, or where the study existed already with another one."""


def begin(
    url: str,
    name: str,
    problem: Problem,
    horizon: float,
    learner: str | None = None,
    *,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    lease: float = LEASE,
    until_sure: float | None = None,
    alarm: float = LEVEL,
    at_once: int | None = None,
    wait: bool = False,
    load_if_exists: bool = False,
    who: str = "",
) -> NewStudy:
    """A new study of a problem (see `Study.create`); without a learner the one that suits the problem is chosen."""
    why = ""
    if learner is None:
        learner, why = choose(problem, horizon)
    study = Study.create(
        url,
        name,
        problem,
        learner,
        horizon,
        seed=seed,
        parameters=parameters,
        lease=lease,
        until_sure=until_sure,
        alarm=alarm,
        at_once=at_once,
        wait=wait,
        load_if_exists=load_if_exists,
        who=who,
    )
    return NewStudy(study, why if study.status()["learner"] == learner else "")
