"""The old data of a study, as queries and other files need them: rounds of do() observed before the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds, concatenate
from bestdo.study.log import Log

if TYPE_CHECKING:
    from bestdo.evidence.answers import Answer
    from bestdo.study.study import Study

__all__ = ["answered", "old_data", "old_rounds"]


def old_data(study: Study) -> list[OldData]:
    """The old data of a study, in the order in which they were observed.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="old")
    >>> study.old_data()
    []
    """
    with study.reading() as log:
        return [OldData.from_data(body, study.problem.graph) for body in log.old()]


def old_rounds(log: Log, problem: Problem) -> Rounds | None:
    """The rows of old data whose counts were kept, as rounds of do(); None if there are none.

    Without those that a policy chose: they are no rounds of do(), and count by parts.
    """
    bodies = [body for body in log.old() if "sums" not in body and "probability" not in body]
    lots = [OldData.from_data(body, problem.graph).rounds(problem) for body in bodies]
    return concatenate(lots) if lots else None


def answered(study: Study, found: OldData) -> list[Answer]:
    """The answers of these data alone about each action; an empty list where only sums were kept, or a policy chose.

    found: old data, as `observe` and `old_data` return.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="answered")
    >>> old = study.observe("examples/farm_log.csv")
    >>> len(study.answered(old))
    7
    """
    from bestdo.evidence.answers import answers

    return [] if found.sums is not None or found.probability is not None else answers(study.problem, lambda _: found)
