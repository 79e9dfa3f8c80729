"""Random means and spreads of a variable that is a number, in each row of its parents: before or after rounds.

Before anything is seen, the means are those of a success, stretched to the number's bounds, or to twice its stated spread:
so effects are as large, compared with the noise, as those of a success. After rounds they are drawn by normal models, of the
same members as the belief in families: some parents matter, in any way, or all do, each by itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.causal.graph import Graph
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.errors import BestdoError, shown
from bestdo.simulate.family_tables import Causes, drawn_tables, family

__all__ = ["RowSums", "drawn_outcome", "outcome_given"]


_AS_UNIFORM = 1 / math.sqrt(3)
"""The spread of a bounded number whose spread is not stated, as a share of the largest that its mean allows: as wide as a
uniform number where the mean is in the middle. Chosen, not measured."""
_INSIDE = 1e-3
"""The distance of means from both bounds, and of a stated spread from the largest possible, as a share of the range."""
_PER_LOGIT = 0.5
"""The standard deviations of a success in one unit of the logit, at a base rate of 1/2: 0.25 / 0.5."""


class RowSums(NamedTuple):
    """Sums over rounds of a number, for each row of its parents, in its own unit."""

    rounds: Floats
    total: Floats
    square: Floats

    @property
    def spread(self) -> tuple[float, float] | None:
        """The spread around the means of the rows and its degrees of freedom; None where no row has two rounds."""
        seen = self.rounds > 0
        freedom = float(self.rounds.sum() - seen.sum())
        if freedom < 1:
            return None
        within = float((self.square - self.total**2 / np.maximum(self.rounds, 1))[seen].sum())
        return math.sqrt(max(within, 0.0) / freedom), freedom


def drawn_outcome(graph: Graph, name: str, lanes: int, rng: np.random.Generator, causes: Causes) -> Outcome:
    """Means and spreads of a number for each lane (float[L, *parents]), before anything was seen."""
    number = graph.variable(name).number
    assert number is not None
    scale = number.usual
    if scale is None:
        raise BestdoError(
            f"how far apart the means of {shown(name)} may be is not known, so no worlds can be drawn: give its low and "
            "high, or its spread, or rounds in which it was measured"
        )
    share = drawn_tables(tuple(graph.size(p) for p in graph.parents[name]), 2, lanes, rng, causes)[..., 1]
    low, width = scale
    return _SHAPES[number.shape](number, low + width * share, number.spread)


def _normal(number: Number, mean: Floats, spread: float | Floats | None) -> Outcome:
    """The outcome with these means and this spread."""
    return Outcome(mean, np.ascontiguousarray(np.broadcast_to(np.asarray(spread, np.float64), mean.shape)), "normal")


def _counts(number: Number, mean: Floats, spread: float | Floats | None) -> Outcome:
    """Counts with these means: Poisson variables, or wider ones where the spread is larger."""
    mean = np.maximum(mean, _INSIDE * mean.max(initial=_INSIDE))
    return Outcome(mean, np.maximum(np.sqrt(mean), 0.0 if spread is None else spread), "counts")


def _bounded(number: Number, mean: Floats, spread: float | Floats | None) -> Outcome:
    """The outcome with these means, kept within the bounds of the number, and this spread where they allow it."""
    assert number.bounds is not None
    low, high = number.bounds
    share = np.clip((mean - low) / (high - low), _INSIDE, 1 - _INSIDE)
    most = (high - low) * np.sqrt(share * (1 - share))
    wide = _AS_UNIFORM * most if spread is None else np.minimum(spread, (1 - _INSIDE) * most)
    return Outcome(low + (high - low) * share, np.asarray(wide), "beta")


def _lognormal(number: Number, mean: Floats, spread: float | Floats | None) -> Outcome:
    """Numbers above 0 with these means, skewed to the right; as wide as their means where no spread is known."""
    mean = np.maximum(mean, _INSIDE * mean.max(initial=_INSIDE))
    return Outcome(
        mean, np.ascontiguousarray(np.broadcast_to(mean if spread is None else spread, mean.shape)), "lognormal"
    )


def _zeros(number: Number, mean: Floats, spread: float | Floats | None) -> Outcome:
    """Numbers from 0 with these means: exponential ones, or many zeros and a few large ones where the spread is larger."""
    mean = np.maximum(mean, _INSIDE * mean.max(initial=_INSIDE))
    return Outcome(mean, np.maximum(mean, 0.0 if spread is None else spread), "zeros")


_SHAPES = {"normal": _normal, "lognormal": _lognormal, "counts": _counts, "zeros": _zeros, "beta": _bounded}
"""The ways in which an outcome is made of a number, means and perhaps spreads, by the shape of the number."""


def outcome_given(
    graph: Graph, name: str, sums: RowSums, lanes: int, rng: np.random.Generator, causes: Causes
) -> Outcome:
    """Means and spreads of a number for each lane (float[L, *parents]), given these sums (each float[*parents])."""
    number = graph.variable(name).number
    assert number is not None
    stated = sums.spread
    if stated is None or stated[0] <= 0:
        return drawn_outcome(graph, name, lanes, rng, causes)
    spread, freedom = stated
    parents = tuple(graph.size(p) for p in graph.parents[name])
    rounds, total = sums.rounds.reshape(-1), sums.total.reshape(-1)
    middle = total.sum() / rounds.sum()
    members = _members(parents, causes, rounds, (total - rounds * middle) / spread)
    weight = np.array([m.log_weight for m in members])
    chance = np.exp(weight - weight.max())
    chosen = rng.choice(len(members), size=lanes, p=chance / chance.sum())
    means = np.empty((lanes, len(rounds)))
    for k in np.unique(chosen):
        lots = np.flatnonzero(chosen == k)
        means[lots] = members[k].draw(len(lots), rng)
    wide = spread * np.sqrt(freedom / rng.chisquare(freedom, size=(lanes, 1)))  # float[L, 1]
    middles = middle + wide / math.sqrt(rounds.sum()) * rng.standard_normal((lanes, 1))
    mean = (middles + wide * means).reshape(lanes, *parents)
    wide_of_rows = np.broadcast_to(wide, means.shape).reshape(mean.shape)
    return _SHAPES[number.shape](number, mean, wide_of_rows)


class _Member(NamedTuple):
    """A normal model of the rows' means: columns, and the posterior of their coefficients, in spreads around the middle."""

    log_weight: float
    row: NDArray[np.integer] | None
    """int[rows]: which coefficient each row has; None where `columns` say it."""
    columns: Floats
    mean: Floats
    root: Floats
    """The factor that turns standard normal numbers into deviations of the coefficients: float[F], or float[F, F]."""

    def draw(self, lanes: int, rng: np.random.Generator) -> Floats:  # float[L, rows]
        """The means of all rows, in each lane."""
        noise = rng.standard_normal((lanes, len(self.mean)))
        if self.row is not None:
            return np.asarray((self.mean + self.root * noise)[:, self.row])
        return np.asarray((self.mean + noise @ self.root.T) @ self.columns.T)


def _members(parents: tuple[int, ...], causes: Causes, rounds: Floats, total: Floats) -> list[_Member]:
    """The members with their log posterior weights, given rounds and sums (in spreads around the middle) of each row."""
    layout, size, members = family(parents, 2, causes), len(rounds), []
    nothing = np.zeros((0, 0))
    worth = layout.concentration + 1  # as many rounds as make the variance between rows that of a success
    for j, priors in enumerate(layout.prior):
        row = layout.row[layout.at[j] : layout.at[j] + size]
        n, s = (np.bincount(row, part, minlength=layout.rows[j]) for part in (rounds, total))
        for prior, weight in zip(priors, worth, strict=True):
            if prior > -math.inf:
                fit = float((np.log(weight / (n + weight)) + s**2 / (n + weight)).sum() / 2)
                members.append(_Member(prior + fit, row, nothing, s / (n + weight), 1 / np.sqrt(n + weight)))
    if not layout.features[0] or layout.effects_prior[0] == -math.inf:
        return members
    columns = layout.design[: size * layout.features[0]].reshape(size, layout.features[0])
    for precision in layout.precision:
        prior_precision = np.full(columns.shape[1], precision / _PER_LOGIT**2)
        inverse = np.linalg.inv((columns.T * rounds) @ columns + np.diag(prior_precision))
        mean = inverse @ (columns.T @ total)
        fit = (np.log(prior_precision).sum() + np.linalg.slogdet(inverse)[1] + mean @ (columns.T @ total)) / 2
        log_weight = float(layout.effects_prior[0] + fit)
        members.append(_Member(log_weight, None, columns, mean, np.linalg.cholesky(inverse)))
    return members
