"""Old data in a study: rounds of do() observed before the study, told to the learner before all blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.bandit.rounds import Rounds, concatenate
from bestdo.bandit.statistic import weighs_by_design
from bestdo.causal.action import do
from bestdo.data.counting import observed
from bestdo.data.logged_policy import logged
from bestdo.errors import BestdoError, Conflict, NotValid, shown, unknown
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.log import Log

if TYPE_CHECKING:
    from bestdo.evidence.answers import Answer
    from bestdo.study.study import Study

__all__ = ["answered", "observe", "old_data", "old_rounds", "unobserve"]


def observe(
    study: Study,
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    reading: Reading | Mapping[str, Any] | None = None,
    force: bool = False,
    who: str = "",
) -> OldData:
    """Adds old data as rounds of do() that use up none of the horizon.

    source: the path of a CSV, Excel or Parquet file, or a data frame. `columns` gives for a variable the name of its
    column; `reading` say more about the table, as a mapping with the keys columns, missing, same, ignore and sheet. The
    same data again are a Conflict, unless `force` says that they are others with the same counts. Where more than a
    million different rows occur, only the sums of the study's learner are kept, and the learner cannot be changed from
    then on.

    Rows that a policy wrote which chose at random count as plays of what it chose, by importance weighting: `reading` names
    the column with the probability of what was chosen, {"probability": "propensity"}, and with "chosen" the variables that
    it chose, where these are not all that can be set.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="observed")
    >>> old = study.observe("examples/farm_log.csv")
    >>> old.rows
    400
    """
    with study.reading() as log:
        settings = study.book(log).settings
    problem, learner = settings.setup
    said = problem.reading.over(Reading.of(reading, columns))
    statistic = learner.statistic(problem, settings.horizon)
    if said.chosen and not said.probability:
        raise BestdoError(
            f"what a policy chose ({', '.join(map(shown, said.chosen))}) is said, and not with which probability: say "
            "--probability COLUMN, or leave out --chosen, and the rows count as seen (in Python, reading={'probability': …})"
        )
    if said.probability:
        if weighs_by_design(statistic):
            raise NotValid(
                f"{settings.learner} weighs rounds by its own design: rows that a policy chose cannot be added; choose "
                "another learner, or leave out --probability"
            )
        found = logged(source, problem, said)
    elif do() not in problem.actions:
        raise NotValid("old data are rounds of do(), and the study's problem does not allow the action do()")
    else:
        found = observed(source, problem, said, statistic)
    with study.changing(who) as (log, book):
        if found.sums is not None and book.setup != settings.setup:
            raise Conflict("the study's learner was changed while the data were counted: observe them again")
        before = log.old()
        if not force and any(body["fingerprint"] == found.fingerprint for body in before):
            raise Conflict(
                f"these {found.rows:,} rows were observed already (fingerprint {found.fingerprint}); say --force (in "
                "Python force=True) if they are different data with the same rows"
            )
        if found.sums is not None and weighs_by_design(statistic):
            raise NotValid(
                f"there are too many different rows to be kept, and {book.settings.learner} weights rounds by their number: "
                "choose another learner, or the estimator 'plug-in'"
            )
        _must_be_first(book)
        fixed = {} if found.sums is None else {"learner": book.settings.learner}
        log.add("observed", {**found.as_data(), **fixed})
        _refold(log, book, found.whole)
    return found


def unobserve(study: Study, fingerprint: str, why: str = "", *, who: str = "") -> None:
    """Removes old data, as if they had never been observed. The first letters of the fingerprint are enough.

    Raises Conflict where no data, or several, have this fingerprint.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="unobserved")
    >>> old = study.observe("examples/farm_log.csv")
    >>> study.unobserve(old.fingerprint, "another farm")
    >>> study.old_data()
    []
    """
    with study.changing(who) as (log, book):
        there = log.old()
        known = [body["fingerprint"] for body in there]
        meant = [body for body in there if body["fingerprint"].startswith(fingerprint)] if fingerprint else []
        if len({body["fingerprint"] for body in meant}) != 1:
            raise Conflict(
                f"{unknown('fingerprint', fingerprint, known)}"
                if not meant
                else f"several fingerprints begin with {shown(fingerprint)}"
            )
        _must_be_first(book)
        log.add("unobserved", {"fingerprint": meant[-1]["fingerprint"], "whole": meant[-1]["whole"], "why": why})
        _refold(log, book, -int(meant[-1]["whole"]))


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
    """All rows of old data whose counts were kept, as rounds of do(); None if there are none.

    Without those that a policy chose: they are no rounds of do(), and count by parts.
    """
    bodies = [body for body in log.old() if "sums" not in body and "probability" not in body]
    lots = [OldData.from_data(body, problem.graph).rounds(problem) for body in bodies]
    return concatenate(lots) if lots else None


def answered(study: Study, found: OldData) -> list[Answer]:
    """What these data alone say about each action; an empty list where only sums were kept, or a policy chose.

    found: old data, as `observe` and `old_data` return.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="answered")
    >>> old = study.observe("examples/farm_log.csv")
    >>> len(study.answered(old))
    7
    """
    from bestdo.evidence.answers import answers

    return [] if found.sums is not None or found.probability is not None else answers(study.problem, lambda _: found)


def _must_be_first(book: Book) -> None:
    """Fails if the learner needs the old data before its first plan, and a block is planned already."""
    problem, learner = book.setup
    if book.blocks and weighs_by_design(learner.statistic(problem, book.settings.horizon)):
        raise NotValid(
            f"{book.settings.learner} plans its rounds by the number of old rounds: old data can only be observed, or taken "
            "back, before the first round is asked for (with the estimator 'plug-in', later too)"
        )


def _refold(log: Log, book: Book, more: int) -> None:
    """Computes the state again, with the old data as they are now."""
    settings = replace(book.settings, watched=book.settings.watched + more)
    book.settings = settings
    book.state = blocks.fold_log(log, book)
