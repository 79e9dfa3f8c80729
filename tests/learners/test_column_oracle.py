"""The posterior of a regression in plain numpy, against densities of whole rows, dense matrices and its own draws.

The compiled posterior is compared with the one that is checked here.
"""

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from bestdo.learners.beliefs import column_members as given
from bestdo.learners.beliefs.column_design import Design
from bestdo.learners.beliefs.column_members import Members
from learners import column_oracle
from learners.column_oracle import LanePosterior, Moments

DESIGNS = {
    "two of two values": Design((2, 2)),
    "a pair": Design((2, 2), ((0, 1),)),
    "two and three values": Design((3, 2), ((0, 1),)),
    "three causes, two pairs": Design((2, 3, 2), ((0, 1), (1, 2))),
    "one of many values": Design((6, 2)),
    "a pair with one of many values": Design((2, 5), ((0, 1),)),
    "four causes": Design((2, 2, 3, 2)),
    "four causes, all pairs": Design((2, 2, 2, 2), tuple((i, j) for j in range(4) for i in range(j))),
    "one cause seen first": Design((3, 2, 2), ((0, 1), (0, 2), (1, 2)), (0,)),
    "two causes seen first": Design((2, 2, 3), ((0, 1), (0, 2), (1, 2)), (0, 1)),
    "a cause seen first that has no products": Design((2, 2, 2), ((1, 2),), (0,)),
}
KINDS = [False, True]


class Rows(NamedTuple):
    """Rounds as rows: the values of the causes, the reward."""

    codes: np.ndarray
    y: np.ndarray


def rows_of(design, number, rounds, seed, strong=1.0):
    """Random rounds in which the first cause matters most; some values are rare."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.choice(k, rounds, p=rng.dirichlet(np.full(k, 1.5))) for k in design.sizes], axis=1)
    effects = strong * rng.standard_normal(design.size) * np.where(np.arange(design.size) < 3, 0.6, 0.15)
    mean = design.columns(codes.astype(np.int64)) @ effects
    y = 3 + mean + rng.standard_normal(rounds) if number else (rng.random(rounds) < 1 / (1 + np.exp(-mean))) * 1.0
    return Rows(codes.astype(np.int64), y)


def posterior_of(design, number, rows, members=None):
    """The posterior by sums of the rows."""
    x = design.columns(rows.codes)
    members = members or Members(design, number, 0.5, 2.0)
    return LanePosterior(members, Moments(x.T @ x, x.T @ rows.y, float(rows.y @ rows.y)))


class Dense(NamedTuple):
    """A member by whole rows: its log weight up to a constant, and the mean and covariance of the effects."""

    log: float
    mean: np.ndarray
    covariance: np.ndarray


class Reference:
    """All members by densities of whole rows; nothing is taken from the posterior that is checked."""

    def __init__(self, design, number, rows):
        self.design, self.number, self.x, self.codes = design, number, design.columns(rows.codes), rows.codes
        self.spreads = given._OF_NUMBER if number else given._OF_SUCCESS
        n = len(rows.y)
        if number:
            self.base = rows.y.mean() if n else 0.5
            self.variance = rows.y.var(ddof=1) if n > 1 and rows.y.var() > 0 else 2.0
        else:
            self.base = (rows.y.sum() + 1) / (n + 2)
            self.variance = self.base * (1 - self.base)
        self.rest, self.n = rows.y - self.base, n

    def log_density(self, rest, covariance):
        """The log density of all rows, whose covariance is in units of the variance of a round."""
        if not self.n:
            return 0.0
        if self.number:
            freedom = Members.prior_rounds
            return stats.multivariate_t(np.zeros(self.n), self.variance * covariance, df=freedom).logpdf(rest)
        return stats.multivariate_normal(np.zeros(self.n), self.variance * covariance).logpdf(rest)

    def regression(self, z, spread, shift):
        """Effects of columns with these prior spreads around a shift: log density, mean, covariance, by n × n matrices."""
        prior = np.diag(spread**2)
        whole = np.eye(self.n) + z @ prior @ z.T
        rest = self.rest - z @ shift
        gain = np.linalg.solve(whole, z @ prior).T if self.n else np.zeros((len(spread), 0))
        mean = shift + gain @ rest
        covariance = prior - gain @ z @ prior
        noise = self.variance
        if self.number:
            squares = rest @ np.linalg.solve(whole, rest) if self.n else 0.0
            freedom = Members.prior_rounds
            noise = (freedom * self.variance + squares) / (freedom + self.n - 2)
        return self.log_density(rest, whole), mean, noise * covariance

    def none(self):
        """Nothing matters."""
        zero = np.zeros(self.design.size)
        return Dense(math.log(self.chances.none) + self.log_density(self.rest, np.eye(self.n)), zero, np.diag(zero))

    def normal(self, spread, chance):
        """A regression on the first columns; the constant is the base of the others, whose price it does not pay."""
        d = len(spread)
        log, mean, covariance = self.regression(self.x[:, :d], spread, np.zeros(d))
        free = 0.5 * math.log(1 + given._CONSTANT**2 * self.n)
        wide = np.zeros((self.design.size, self.design.size))
        wide[:d, :d] = covariance
        return Dense(math.log(chance) + log + free, np.pad(mean, (0, self.design.size - d)), wide)

    def table(self, causes, worth, chance):
        """A table of one cause or two: rows are independent, those of one cause of many values around their own mean."""
        sizes = [self.design.sizes[k] for k in causes]
        cell = np.ravel_multi_index(tuple(self.codes[:, k] for k in causes), sizes)
        z, states = np.eye(math.prod(sizes))[cell], math.prod(sizes)
        shift = 0.0
        if len(causes) == 1 and sizes[0] >= given._MANY:
            weights = means = 0.0
            for state in range(states):
                own = self.rest[cell == state]
                if len(own):
                    weight = len(own) / (len(own) + worth)
                    weights, means = weights + weight, means + weight * own.mean()
            shift = means / (weights + 0.5)
        log, mean, covariance = self.regression(z, np.full(states, worth**-0.5), np.full(states, shift))
        back = indicators(self.design, causes)
        return Dense(math.log(chance) + log, mean @ back, back.T @ covariance @ back)

    @property
    def in_contexts(self):
        """Whether a cause that is seen first has products with one that is not."""
        return any((i in self.design.seen) != (j in self.design.seen) for i, j in self.design.pairs)

    @property
    def chances(self):
        """The prior probabilities of the kinds of members."""
        return given._IN_CONTEXTS if self.in_contexts else given._USUAL

    def spread(self, scale, of_pair):
        """The prior spread of each column: three times as large for what is seen first, half for products of what is set."""
        design = self.design
        found = [given._CONSTANT]
        for k, size in enumerate(design.sizes):
            found += [scale * (3 if k in design.seen and self.in_contexts else 1)] * (1 if size == 2 else size)
        for i, j in design.pairs:
            columns = math.prod(1 if design.sizes[k] == 2 else design.sizes[k] for k in (i, j))
            none_seen = self.in_contexts and not {i, j} & set(design.seen)
            found += [of_pair / (2 if none_seen else 1)] * columns
        return np.array(found)

    def members(self):
        """The members of each kind, in the order of the posterior: none, normal, outliers, tables."""
        main, size, paired = self.design.main, self.design.size, self.design.size > self.design.main
        chances = self.chances
        more = 1.0 if paired else 1 + chances.paired / (chances.main + chances.outlier)
        normal, outlier = [], []
        for scale, chance in self.spreads.main.items():
            spread = self.spread(scale, scale)[:main]
            normal.append(self.normal(spread, chances.main * more * chance))
            for j in range(1, main) if scale < given._WIDE / 2 else ():
                wide = np.where(np.arange(main) == j, given._WIDE, spread)
                outlier.append(self.normal(wide, chances.outlier * more * chance / (main - 1)))
        products = self.spreads.paired
        if self.in_contexts:
            products = {(scale, scale): chance for scale, chance in self.spreads.in_contexts.items()}
        for (scale, of_pair), chance in products.items() if paired else ():
            normal.append(self.normal(self.spread(scale, of_pair)[:size], chances.paired * chance))
        ones, twos = [(k,) for k in range(len(self.design.sizes))], list(self.design.pairs)
        seen = [c for c in (*ones, *twos) if self.in_contexts and set(c) <= set(self.design.seen)]
        some = [[c for c in causes if c not in seen] for causes in (ones, twos)]
        one = (chances.one + (0 if some[1] else chances.two)) / len(some[0])
        two = chances.two / max(1, len(some[1]))
        tables = [
            self.table(causes, worth, (chances.none / len(seen) if causes in seen else part) * chance)
            for every, part in ((ones, one), (twos, two))
            for causes in every
            for worth, chance in self.spreads.worth.items()
        ]
        return [self.none()], normal, outlier, tables


def indicators(design, causes):
    """The indicators of the joint values of causes as combinations of the columns (float[S, D]): see `test_column_design`."""
    wanted = design.row_sets
    table = causes[0] if len(causes) == 1 else len(design.sizes) + design.pairs.index(causes)
    return wanted.row[wanted.set_of == table]


def chances_of(posterior):
    """The weights of all members, as `Reference.members` lists them."""
    return (
        np.array([posterior.none]),
        posterior.normal,
        posterior.outlier[:, 1:].reshape(-1),
        posterior.sets.reshape(-1),
    )


@pytest.fixture
def every_member(monkeypatch):
    """No member is left out of averages for being unlikely."""
    monkeypatch.setattr(column_oracle, "_UNLIKELY", 0.0)


def mixed(members, chances):
    """The mean and covariance of a mixture."""
    mean = chances @ np.array([member.mean for member in members])
    square = sum(w * (m.covariance + np.outer(m.mean, m.mean)) for w, m in zip(chances, members, strict=True))
    return mean, square - np.outer(mean, mean)


@pytest.mark.parametrize("number", KINDS)
@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("rounds", [0, 1, 2, 12, 60])
def test_weights_means_and_covariances_are_those_of_whole_rows(name, number, rounds, every_member):
    design = DESIGNS[name]
    rows = rows_of(design, number, rounds, seed=rounds)
    posterior = posterior_of(design, number, rows)
    members = [member for part in Reference(design, number, rows).members() for member in part]
    logs = np.array([member.log for member in members])
    chances = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    mine = np.log(np.concatenate(chances_of(posterior)))
    np.testing.assert_allclose(mine - mine[0], logs - logs[0], rtol=0, atol=1e-8)
    mean, covariance = mixed(members, chances)
    np.testing.assert_allclose(posterior.mean, mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(posterior.covariance_with(np.eye(design.size)), covariance, rtol=0, atol=1e-9)
    sums = np.random.default_rng(1).standard_normal((design.size, 3))
    np.testing.assert_allclose(posterior.covariance_with(sums), covariance @ sums, rtol=0, atol=1e-8)


def only(posterior, part, place):
    """The posterior with all weight on one member."""
    for name in ("normal", "outlier", "sets"):
        setattr(posterior, name, np.zeros_like(getattr(posterior, name)))
    posterior.none = 0.0
    getattr(posterior, part)[place] = 1.0
    posterior._average()
    return posterior


@pytest.mark.parametrize("number", KINDS)
@pytest.mark.parametrize("name", ["a pair", "one of many values", "three causes, two pairs"])
def test_each_member_alone(name, number):
    """However unlikely a member is; of the outliers, a regression in which that column alone is wide."""
    design = DESIGNS[name]
    rows = rows_of(design, number, 30, seed=5)
    posterior = posterior_of(design, number, rows)
    _, normal, outlier, tables = Reference(design, number, rows).members()
    places = {
        "normal": list(range(len(normal))),
        "outlier": [(slot, j) for slot in range(len(posterior.outlier)) for j in range(1, design.main)],
        "sets": [
            (t, c)
            for t in range(len(design.row_sets.causes))
            for c in range(len(Reference(design, number, rows).spreads.worth))
        ],
    }
    for (part, each), members in zip(places.items(), (normal, outlier, tables), strict=True):
        for place, member in zip(each, members, strict=True):
            alone = only(posterior, part, place)
            np.testing.assert_allclose(alone.mean, member.mean, rtol=0, atol=1e-10)
            found = alone.covariance_with(np.eye(design.size))
            np.testing.assert_allclose(
                found, member.covariance, rtol=0, atol=1e-9 * (1 + np.abs(member.covariance).max())
            )


@pytest.mark.parametrize("number", KINDS)
def test_equal_rewards_and_values_that_never_occur(number, every_member):
    """The variance of a number is as believed before; an effect that never showed keeps its prior."""
    design = Design((2, 3), ((0, 1),))
    rows = Rows(np.zeros((7, 2), np.int64), np.ones(7))
    posterior = posterior_of(design, number, rows)
    members = [member for part in Reference(design, number, rows).members() for member in part]
    logs = np.array([member.log for member in members])
    mine = np.log(np.concatenate(chances_of(posterior)))
    np.testing.assert_allclose(mine - mine[0], logs - logs[0], rtol=0, atol=1e-8)
    mean, covariance = mixed(members, np.exp(mine))
    np.testing.assert_allclose(posterior.mean, mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(posterior.covariance_with(np.eye(design.size)), covariance, rtol=0, atol=1e-8)


DRAWS = 200_000


def chances_by_columns(posterior):
    """The probability of each set of columns that can have an effect (as bytes), by the members that have these."""
    design, found = posterior.members.design, Counter()
    sets = design.row_sets
    found[np.zeros(design.size, bool).tobytes()] += posterior.none
    for t, chance in enumerate(posterior.sets.sum(axis=1)):
        found[(sets.row[sets.set_of == t] != 0).any(axis=0).tobytes()] += chance
    found[(~design.is_pair).tobytes()] += posterior.outlier.sum()
    for member, chance in zip(posterior.members.normal, posterior.normal, strict=True):
        found[(np.arange(design.size) < member.columns).tobytes()] += chance
    return found


@pytest.mark.parametrize("number", KINDS)
@pytest.mark.parametrize("name", ["a pair", "two and three values", "one of many values", "three causes, two pairs"])
def test_draws_have_the_mean_the_covariance_and_the_members_of_the_posterior(name, number, every_member):
    """200,000 draws, 4 standard errors."""
    design = DESIGNS[name]
    posterior = posterior_of(design, number, rows_of(design, number, 25, seed=3, strong=0.5))
    drawn = posterior.drawn(DRAWS, np.random.default_rng(7))
    error = drawn.std(axis=0) / math.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - posterior.mean) <= 4 * error).all()
    around = drawn - posterior.mean
    for j in range(design.size):
        products = around * around[:, [j]]
        gap = np.abs(products.mean(axis=0) - posterior.covariance_with(np.eye(design.size)[:, [j]])[:, 0])
        assert (gap <= 4 * products.std(axis=0) / math.sqrt(DRAWS)).all()
    chances, shares = chances_by_columns(posterior), Counter(row.tobytes() for row in drawn != 0)
    assert shares.keys() <= chances.keys()
    for columns, chance in chances.items():
        assert abs(shares[columns] / DRAWS - chance) <= 4 * math.sqrt(chance * (1 - chance) / DRAWS)


@pytest.mark.parametrize("number", KINDS)
def test_draws_of_each_member_alone(number):
    """20,000 draws of each, 4.5 standard errors: about a thousand numbers are compared."""
    design = DESIGNS["three causes, two pairs"]
    rows = rows_of(design, number, 30, seed=5)
    posterior = posterior_of(design, number, rows)
    rng, draws = np.random.default_rng(11), 20_000
    for part, place in (
        ("normal", 0),
        ("normal", 3),
        ("normal", 6),
        ("outlier", (0, 1)),
        ("outlier", (2, 3)),
        ("sets", (1, 2)),
        ("sets", (4, 0)),
    ):
        alone = only(posterior, part, place)
        drawn = alone.drawn(draws, rng)
        assert (np.abs(drawn.mean(axis=0) - alone.mean) <= 4.5 * drawn.std(axis=0) / math.sqrt(draws)).all()
        around = drawn - alone.mean
        products = around[:, :, None] * around[:, None]
        gap = np.abs(products.mean(axis=0) - alone.covariance_with(np.eye(design.size)))
        assert (gap <= 4.5 * products.std(axis=0) / math.sqrt(draws)).all(), (part, place)


def test_draws_of_members_in_which_something_matters():
    """400 rounds without any effect: most of the weight is on no effect, and none of such draws."""
    design = DESIGNS["two and three values"]
    rows = rows_of(design, False, 400, seed=1, strong=0.0)
    posterior = posterior_of(design, False, rows)
    assert posterior.none > 0.02
    some = posterior.drawn(4000, np.random.default_rng(0), some=True)
    assert (some != 0).any(axis=1).all()
    every = posterior.drawn(4000, np.random.default_rng(0))
    without = (every == 0).all(axis=1).mean()
    assert abs(without - posterior.none) < 4 * math.sqrt(posterior.none / 4000)


def test_the_same_seed_gives_the_same_draws_whatever_was_asked_before():
    design = DESIGNS["three causes, two pairs"]
    rows = rows_of(design, True, 60, seed=2, strong=3.0)
    one, other = posterior_of(design, True, rows), posterior_of(design, True, rows)
    other.covariance_with(np.eye(design.size))
    first, second = (p.drawn(500, np.random.default_rng(4)) for p in (one, other))
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)
