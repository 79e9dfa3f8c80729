"""The columns of a regression, against columns and indicators written out for every state."""

import itertools
import math

import numpy as np
import pytest

from bestdo.errors import TooLarge
from bestdo.learners.beliefs import column_design
from bestdo.learners.beliefs.column_design import Design, pairs_by_promise

DESIGNS = [
    Design((2,)),
    Design((3,)),
    Design((2, 2), ((0, 1),)),
    Design((2, 3, 2), ((0, 1), (1, 2))),
    Design((3, 4), ((0, 1),)),
    Design((1, 2), ((0, 1),)),
    Design((2, 5, 3)),
    Design((2, 2, 3, 2), ((0, 3), (1, 2), (2, 3))),
]


def states_of(design):
    return np.array(list(itertools.product(*map(range, design.sizes))), np.int64)


def columns_of_cause(value, size):
    return [math.sqrt(0.5) * (1 if value else -1)] if size == 2 else [1.0 if k == value else 0.0 for k in range(size)]


@pytest.mark.parametrize("design", DESIGNS)
def test_columns_of_every_state(design):
    states = states_of(design)
    found = design.columns(states)
    assert found.shape == (len(states), design.size)
    for state, row in zip(states, found, strict=True):
        each = [columns_of_cause(value, size) for value, size in zip(state, design.sizes, strict=True)]
        wanted = [1.0, *itertools.chain(*each)]
        for i, j in design.pairs:
            wanted += [one * two for one in each[i] for two in each[j]]
        np.testing.assert_allclose(row, wanted, atol=1e-15)
    assert (design.is_pair == (np.arange(design.size) >= design.main)).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_rows_of_tables_are_indicators_at_every_state(design):
    """Each row of each table is 1 where its values are, and 0 at all other states; tables follow causes, then pairs."""
    states, sets = states_of(design), design.row_sets
    found = design.columns(states) @ sets.row.T  # float[S, R]
    tables = [(k,) for k in range(len(design.sizes))] + list(design.pairs)
    assert sets.causes.tolist() == [len(causes) for causes in tables]
    wanted, set_of = [], []
    for t, causes in enumerate(tables):
        for values in itertools.product(*(range(design.sizes[k]) for k in causes)):
            wanted.append((states[:, list(causes)] == values).all(axis=1))
            set_of.append(t)
    np.testing.assert_allclose(found, np.array(wanted).T, atol=1e-14)
    assert sets.set_of.tolist() == set_of


@pytest.mark.parametrize("design", DESIGNS)
def test_rows_of_tables_need_the_columns_of_their_causes_alone(design):
    """So that what a table says of one cause is no effect of another."""
    sets = design.row_sets
    tables = [(k,) for k in range(len(design.sizes))] + list(design.pairs)
    for t, causes in enumerate(tables):
        own = np.zeros(design.size, bool)
        own[0] = True
        for k in causes:
            own[design.start[k] : design.start[k + 1]] = True
        if len(causes) == 2:
            at = design.pairs.index(causes)
            own[design.start_of_pairs[at] : design.start_of_pairs[at + 1]] = True
        assert not sets.row[sets.set_of == t][:, ~own].any()


@pytest.mark.parametrize("design", DESIGNS)
def test_products_of_expected_columns_where_causes_are_independent(design):
    """Expected products are products of expected columns: the sum over all states, by their probabilities."""
    rng, states = np.random.default_rng(0), states_of(design)
    shares = [rng.dirichlet(np.ones(size)) for size in design.sizes]
    chance = np.array([math.prod(s[v] for s, v in zip(shares, state, strict=True)) for state in states])
    expected = chance @ design.columns(states)
    np.testing.assert_allclose(design.products(expected[: design.main]), expected[design.main :], atol=1e-14)
    np.testing.assert_allclose(design.products(expected), expected[design.main :], atol=1e-14)


def test_effects_of_two_and_of_more_values_have_the_same_spread():
    """Independent effects of the same spread: the difference of two values has the same variance, whatever their number."""
    for size in (2, 3, 6):
        design = Design((size,))
        columns = design.columns(np.arange(size)[:, None])
        assert ((columns[0] - columns[1]) ** 2).sum() == pytest.approx(2)


def test_as_many_pairs_as_there_is_room_for(monkeypatch):
    sizes = (2,) * 8
    groups = [[(0, 1), (0, 2)], [(i, j) for i, j in itertools.combinations(range(3, 8), 2)], [(1, 2)]]
    assert Design.of(sizes, groups).pairs == tuple(sorted([*groups[0], *groups[1], *groups[2]]))
    monkeypatch.setattr(column_design, "MOST_COLUMNS", 9 + 4)
    assert Design.of(sizes, groups).pairs == ((0, 1), (0, 2), (1, 2))  # the second group has no room, the third has
    monkeypatch.setattr(column_design, "MOST_COLUMNS", 9)
    assert Design.of(sizes, groups).pairs == ()


def test_columns_say_how_many_of_their_causes_are_seen_first():
    """Two causes of three and two values are seen first, two of two values are set."""
    design = Design.of((3, 2, 2, 2), [[(0, 1), (0, 2), (2, 3)]], (0, 1))
    assert design.seen == (0, 1)
    assert design.seen_in.tolist() == [0, 1, 1, 1, 1, 0, 0, 2, 2, 2, 1, 1, 1, 0]
    assert not Design.of((3, 2), [[(0, 1)]]).seen_in.any()


def test_too_many_columns_are_refused():
    with pytest.raises(TooLarge, match="501 columns"):
        Design.of((2,) * 500, [])


def test_pairs_of_what_is_seen_first_and_what_is_set_come_first():
    always, settable = [True, False, False, False], [True, True, True, False]
    groups = pairs_by_promise((2, 2, 2, 2), always, settable)
    assert groups == [[(0, 1), (0, 2)], [(1, 2)], [(0, 3), (1, 3), (2, 3)]]
