"""Old data that are taken into a study, and taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestdo.bandit.combinations import OLD_DATA_WITHOUT_WATCHING
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.reading import Reading
from bestdo.bandit.statistic import weighs_by_design
from bestdo.causal.action import do
from bestdo.data.counting import observed
from bestdo.data.logged_policy import logged
from bestdo.errors import BestdoError, Conflict, NotValid, shown, unknown
from bestdo.study.book import Book
from bestdo.study.remote_answers import OBSERVED
from bestdo.study.verbs.horizon_and_learner import change_settings
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal, Journal
    from bestdo.study.study import Study

__all__ = ["Observe", "Unobserve", "observe", "unobserve"]


@dataclass(frozen=True)
class Observe(Verb[OldData]):
    """A table of old data."""

    path = command = "observe"
    about = "Take a table of old data into a study, and say what it answers by itself."
    shape = OBSERVED
    source: object
    reading: Reading
    force: bool
    who: str
    columns: tuple[str, ...]
    """Names of columns that the table probably has: by them its heading is found."""

    def carry_out(self, journal: DatabaseJournal) -> OldData:
        """Counts the rows, and tells them to the learner before all rounds."""
        with journal.reading() as log:
            settings = journal.book(log).settings
        game, problem = settings.game, settings.game.problem
        said = problem.reading.over(self.reading)
        statistic = game.statistic(settings.horizon)
        if said.chosen and not said.probability:
            raise BestdoError(
                f"what a policy chose ({', '.join(map(shown, said.chosen))}) is said, and not with which probability: "
                "say --probability COLUMN, or leave out --chosen, and the rows count as seen (in Python, "
                "reading={'probability': …})"
            )
        if said.probability:
            if weighs_by_design(statistic):
                raise NotValid(
                    f"{settings.learner} weighs rounds by its own design: rows that a policy chose cannot be added; choose "
                    "another learner, or leave out --probability"
                )
            found = logged(self.source, problem, said)
        elif do() not in problem.actions:
            raise NotValid(OLD_DATA_WITHOUT_WATCHING.why("study's problem"))
        else:
            found = observed(self.source, problem, said, statistic)
        with journal.changing(self.who) as (log, book):
            if found.sums is not None and book.game != settings.game:
                raise Conflict("the study's learner was changed while the data were counted: observe them again")
            before = log.old()
            if not self.force and any(body["fingerprint"] == found.fingerprint for body in before):
                raise Conflict(
                    f"these {found.rows:,} rows were observed already (fingerprint {found.fingerprint}); say --force (in "
                    "Python force=True) if they are different data with the same rows"
                )
            if found.sums is not None and weighs_by_design(statistic):
                raise NotValid(
                    f"there are too many different rows to be kept, and {book.settings.learner} weights rounds by their "
                    "number: choose another learner, or the estimator 'plug-in'"
                )
            _must_be_first(book)
            fixed = {} if found.sums is None else {"learner": book.settings.learner}
            change_settings(log, book, "observed", {**found.as_data(), **fixed})
        return found

    def body(self) -> dict[str, Any]:
        """The fields of the request: the table as CSV, and how it is read."""
        from bestdo.data.sent_table import as_csv

        said = self.reading
        reading: dict[str, Any] = {
            "columns": dict(said.columns),
            "same": {text: value if isinstance(value, str) else list(value) for text, value in said.same.items()},
            "missing": list(said.missing),
            "ignore": list(said.ignore),
            "probability": said.probability or None,
            "chosen": list(said.chosen),
        }
        table = as_csv(self.source, said, self.columns)
        return {"table": table, "reading": reading, "force": self.force, "who": self.who}

    def read(self, answer: Any, journal: Journal) -> OldData:
        """The old data as they are in the log."""
        with journal.reading() as log:
            graph = journal.book(log).game.problem.graph
            (found, *_) = (body for body in reversed(log.old()) if body["fingerprint"] == answer["fingerprint"])
        return OldData.from_data(found, graph)


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
    problem, said = study.problem, Reading.of(reading, columns)
    whole = problem.reading.over(said)
    said = said.with_options(sheet=whole.sheet)
    names = tuple(whole.columns.get(name, name) for name in problem.graph.observed)
    return study.do(Observe(source, said, force, who, names))


@dataclass(frozen=True)
class Unobserve(Verb[None]):
    """Old data to be taken back."""

    path = command = "unobserve"
    about = "Take old data out of a study again."
    fingerprint: str
    why: str = ""
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Computes the state again without the old data."""
        with journal.changing(self.who) as (log, book):
            there, fingerprint = log.old(), self.fingerprint
            known = [body["fingerprint"] for body in there]
            meant = [body for body in there if body["fingerprint"].startswith(fingerprint)] if fingerprint else []
            if len({body["fingerprint"] for body in meant}) != 1:
                raise Conflict(
                    f"{unknown('fingerprint', fingerprint, known)}"
                    if not meant
                    else f"several fingerprints begin with {shown(fingerprint)}"
                )
            _must_be_first(book)
            gone = {key: meant[-1][key] for key in ("fingerprint", "whole")}
            change_settings(log, book, "unobserved", {**gone, "why": self.why})


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
    study.do(Unobserve(fingerprint, why, who))


def _must_be_first(book: Book) -> None:
    """Fails if the learner needs the old data before its first plan, and a block is planned already."""
    if book.blocks and weighs_by_design(book.game.statistic(book.settings.horizon)):
        raise NotValid(
            f"{book.settings.learner} plans its rounds by the number of old rounds: old data can only be observed, or taken "
            "back, before the first round is asked for (with the estimator 'plug-in', later too)"
        )
