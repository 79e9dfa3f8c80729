"""What the page shows of a study, read once for each state of its log."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.bandit.estimate import Estimate
from bestdo.bandit.horizon import Horizon
from bestdo.bandit.prices import Costs, RoundPrices
from bestdo.bandit.problem import Problem
from bestdo.causal.graph import BOTH
from bestdo.report.arrow_report import arrows_in_words, arrows_table, matter_in_words
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections.recommendation import Recommendation
from bestdo.study import Study
from bestdo.study.log import as_event
from bestdo.study.moment import Moment, read_moment, rounds_in
from bestdo.study.queries import answer_of, status_of
from bestdo.text import counted, percent
from bestdo.usecases.forecast import forecast
from bestdo.web.estimate_history import MOST_LINES
from bestdo.web.study_cache import StudyCache

__all__ = ["SnapshotCache", "StudySnapshot", "ranked"]

_MOST_KEPT = 32
"""Snapshots that are kept. Chosen, not measured."""

_EVENTS, _ROUNDS = 12, 10
"""How many lines of the log and how many rounds the page of a study shows. Chosen, not measured."""

_EVENTS_READ = 4 * _EVENTS
"""Lines of the log that are read to find these, as some are not shown. Chosen, not measured."""


@dataclass(frozen=True)
class StudySnapshot:
    """What the page shows of a study, the same for everybody."""

    version: str
    study: Study
    moment: Moment
    """What was read of it."""
    status: dict[str, Any]
    lines: tuple[Estimate, ...]
    """The recommended action first, then by mean."""
    rounds: tuple[dict[str, Any], ...]
    """The last ones, newest first."""
    events: tuple[dict[str, Any], ...]
    """The last ones, newest first."""
    recommendation: Recommendation
    """What is recommended, in words."""
    prices: RoundPrices | Costs
    """What a round of each action takes from the horizon."""
    limits: tuple[str, ...] = ()
    """The limits, in words."""
    arrows: tuple[tuple[str, ...], list[tuple[str, ...]]] | None = None
    """Where arrows are in doubt: the heading and the rows of a table of how probable each is, and how that moved."""
    arrows_matter: str = ""
    """In words, whether the recommendation depends on the arrows in doubt; empty where that is not worked out."""
    about_arrows: str = ""
    """How far these probabilities can be believed."""
    chances: Mapping[tuple[str, str, bool], float] = field(default_factory=dict)
    """How probable each doubtful arrow is now, by its ends and whether it stands for a hidden common cause."""

    @property
    def problem(self) -> Problem:
        """The problem at that moment."""
        return self.moment.problem

    @property
    def over(self) -> bool:
        """Whether the study has ended, so that nothing is "so far" any more."""
        return bool(self.status["closed"] or self.status["finished"])

    @property
    def scale(self) -> RewardScale:
        """How means are shown."""
        return self.recommendation.scale

    @property
    def recommends(self) -> bool:
        """Whether anything was seen, and anything is known of what would be recommended."""
        return self.recommendation.known

    @property
    def left_out(self) -> str:
        """In words, which actions the chart of the estimates leaves out; empty where it has all of them."""
        left = len(self.lines) - MOST_LINES
        if left <= 0:
            return ""
        shown = f"{MOST_LINES} of {len(self.lines)}"
        return f"The recommended action and those with the best means: {shown}, {left} are left out."

    @property
    def used(self) -> str:
        """In words, how much is used: rounds, or money where rounds cost it."""
        return self.horizon.spent(self.status["used"], self.status["told"])

    @property
    def used_in_table(self) -> str:
        """In words, how much is used, for a cell of a table."""
        return self.horizon.spent_in_table(self.status["used"], self.status["told"])

    @property
    def horizon(self) -> Horizon:
        """The horizon of the whole study."""
        return Horizon.of_status(self.status)

    @property
    def best(self) -> Estimate:
        """The recommended action."""
        return self.lines[0]

    @property
    def left(self) -> float:
        """What is left of the horizon."""
        return float(max(0, self.status["horizon"] - self.status["used"]))

    @property
    def buys(self) -> str:
        """In words, how precise the estimate of the best action would become with the rounds that are left."""
        if not self.left:
            return "Nothing is left: this is the answer."
        out = len(self.status["open"])
        left = f"{self.prices.unit.left(self.left)} left" + (f", {counted(out, 'round')} out" if out else "")
        expected = None if self.status["first"] else forecast(self.best, self.status["told"], self.left)
        if expected is None:
            return f"{left}: enough for {self.left / sum(self.prices.each):.1f} plays of each action."
        return (
            f"{left}. The best action is known to about ±{self.scale.with_unit(expected.now)} now; at the same pace it "
            f"would be about ±{self.scale.with_unit(expected.at_the_end)} at the end."
        )


def ranked(lines: Iterable[Estimate], best: object, scale: RewardScale) -> tuple[Estimate, ...]:
    """The lines in the order of a table: the recommended action first, then by mean, the best first."""
    return tuple(sorted(lines, key=lambda line: (line.action != best, scale.rank(line.mean))))


def take_snapshot(study: Study) -> StudySnapshot:
    """The snapshot of a study, read from its log in one transaction."""
    with study.reading() as log:
        moment, version = read_moment(study, log), f"{log.study}.{log.position}"
        recent = map(as_event, log.events(max(0, moment.position - _EVENTS_READ)))
        rounds = rounds_in(log, max(0, moment.book.next - 1 - _ROUNDS))
    events = [e for e in recent if e["kind"] != "planned"][-_EVENTS:]
    found = answer_of(study, moment)
    scale = RewardScale.of(found.problem.graph, found.lines)
    return StudySnapshot(
        version,
        study,
        moment,
        status_of(study, moment),
        ranked(found.lines, found.best.action, scale),
        tuple(reversed(rounds)),
        tuple(reversed(events)),
        Recommendation.of(found, scale, percent),
        found.problem.price_list,
        tuple(map(str, found.problem.limits)),
        arrows=arrows_table(found.arrows) if found.arrows else None,
        arrows_matter=matter_in_words(found.arrows),
        about_arrows=arrows_in_words(found.arrows),
        chances=_chances(found.arrows),
    )


def _chances(arrows: Iterable[ArrowChance]) -> dict[tuple[str, str, bool], float]:
    """How probable each doubtful arrow is now, each direction by itself, by cause, effect and whether the cause is hidden."""
    return {(arrow.cause, arrow.effect, arrow.kind == BOTH): arrow.now for arrow in arrows}


class SnapshotCache:
    """The latest snapshots of studies, so that many browsers that ask at once cause one reading."""

    def __init__(self, cache: StudyCache) -> None:
        self._cache = cache
        self._known: OrderedDict[str, StudySnapshot] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str) -> StudySnapshot:
        """The current snapshot of a study."""
        version, study = self._cache.at_version(name)
        with self._lock:
            known = self._known.get(name)
            if known is None or known.version != version:
                known = take_snapshot(study)
                self._known[name] = known
            self._known.move_to_end(name)
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
            return known
