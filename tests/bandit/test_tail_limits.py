"""Limits on a tail: how often a number is above or below another one; in Python, in files, and in simulated worlds."""

import numpy as np
import pytest

from bestdo import Actions, Graph, Limit, Model, Number, Outcome, Problem, Variable, World, do
from bestdo.bandit.limited_outcome import TailOfNumber
from bestdo.errors import ActionError, FileError, GraphError
from bestdo.files import Contents, toml
from bestdo.files.declarations import Source, Wanted
from bestdo.simulate.prior import Prior

FIRM = """\
bestdo = 1

[variables.carrier]
values = ["post", "own", "bike"]

[variables.delivery]
number = true
low = 0.0
high = 120.0
unit = "h"

[variables.complaint]
values = ["no", "yes"]

[variables.sale]
values = ["no", "yes"]

[graph]
edges = ["carrier -> delivery", "carrier -> sale", "carrier -> complaint"]
reward = "sale"
success = "yes"

[actions]
set = ["carrier"]

[[limits]]
variable = "delivery"
above = 48.0
at_most = 0.05
"""


def problem_of(text):
    return toml.read(Source("a.toml", text), Wanted()).problem


@pytest.mark.parametrize(
    ("shape", "mean", "spread", "bounds"),
    [
        ("normal", 3.0, 2.0, None),
        ("lognormal", 3.0, 2.0, None),
        ("zeros", 1.0, 2.0, None),
        ("counts", 3.0, 3**0.5, None),
        ("counts", 3.0, 3.0, None),
        ("beta", 3.0, 1.0, (0.0, 10.0)),
    ],
)
def test_the_distribution_of_a_number_beside_draws(shape, mean, spread, bounds):
    """200,000 draws; 5 sigma."""
    outcome = Outcome(np.array([mean]), np.array([spread]), shape)
    drawn = outcome.draw(np.zeros(200_000, np.int64), np.random.default_rng(0), bounds)
    for number in (-1.0, 0.0, 0.5, 2.0, 3.0, 6.0, 9.9):
        assert abs((drawn <= number).mean() - outcome.at_most(number, bounds)[0]) < 5 * 0.5 / 200_000**0.5


def test_words_and_fields():
    late, early = Limit("delivery", above=48, at_most=0.05), Limit("delivery", below=2, at_least=0.1)
    assert (str(late), str(early)) == ("P(delivery > 48) at most 0.05", "P(delivery < 2) at least 0.1")
    assert late.fields == {"above": 48.0, "at_most": 0.05}
    assert late.kind == TailOfNumber("delivery", "above", 48.0)
    assert late == Limit("delivery", above=48.0, at_most=0.05)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"above": 1, "below": 2}, "the limit on 'delivery' has both above and below; say one of them in each limit"),
        ({"value": "late", "above": 2}, "the limit on 'delivery' has both value and above"),
        ({"above": "x"}, "the limit on 'delivery' is above 'x'; it must be a number"),
        ({"above": True}, "is above True; it must be a number"),
        ({"below": float("nan")}, "is below nan; it must be a number"),
    ],
)
def test_a_limit_that_cannot_be(given, message):
    with pytest.raises(GraphError, match=message):
        Limit("delivery", **given, at_most=0.1)


@pytest.mark.parametrize(
    ("old", "new", "message", "place"),
    [
        (
            'variable = "delivery"',
            'variable = "complaint"',
            "'complaint' is no number that can be above 48: say value",
            28,
        ),
        ("above = 48.0", "above = 48.0\nbelow = 3.0", "has both above and below", 26),
        ("above = 48.0", 'above = 48.0\nvalue = "yes"', "has both value and above", 26),
        ("above = 48.0", "above = 120.0", "from 0 to 120 by the problem, so it is always or never above 120", 28),
        ("above = 48.0", "above = -1.0", "always or never above -1: say a number between", 28),
        ("above = 48.0", "below = 0.0", "always or never below 0", 28),
        ("above = 48.0", 'above = "two days"', "must be a number", 28),
        ("at_most = 0.05", "at_most = 1.0", "the limit is P(delivery > 48) at most 1, which every action keeps", 29),
        ("at_most = 0.05", "at_most = 5.0", "the limit is P(delivery > 48) at most 5, and it always is 0 to 1", 29),
        ("at_most = 0.05", "at_least = 0.0", "which every action keeps", 29),
        ("above = 48.0", "over = 48.0", "over", 28),
    ],
)
def test_every_mistake_in_a_file_has_its_place(old, new, message, place):
    with pytest.raises(FileError) as error:
        problem_of(FIRM.replace(old, new))
    assert message in str(error.value)
    assert error.value.line == place


def test_a_file_is_read_and_written():
    problem = problem_of(FIRM + '\n[[limits]]\nvariable = "delivery"\nbelow = 2.5\nat_least = 0.1\n')
    assert problem.limits == (Limit("delivery", above=48, at_most=0.05), Limit("delivery", below=2.5, at_least=0.1))
    assert problem.limits.measured == ("delivery",)
    assert problem_of(toml.write(Contents(problem.graph, problem))) == problem


def test_two_thresholds_on_one_side_are_two_limits_and_one_twice_is_an_error():
    graph = problem_of(FIRM).graph
    two = [Limit("delivery", above=48, at_most=0.05), Limit("delivery", above=72, at_most=0.01)]
    assert len(Problem(graph, set=["carrier"], limits=two).limits) == 2
    with pytest.raises(GraphError, match=r"P\(delivery > 48\) has two limits on the same side"):
        Problem(graph, set=["carrier"], limits=[two[0], Limit("delivery", above=48.0, at_most=0.01)])


def world_of(shape="normal", number=None):
    """Deliveries of three carriers, a complaint that they cause, and a sale."""
    variables = [Variable("carrier", ("post", "own", "bike")), Variable("delivery", number=number or Number())]
    variables += [Variable("complaint", ("no", "yes")), Variable("sale", ("no", "yes"))]
    arrows = [("carrier", "delivery"), ("carrier", "sale"), ("delivery", "complaint")]
    graph = Graph.of(variables, arrows, reward="sale", success="yes")
    tables = {
        "carrier": [0.5, 0.3, 0.2],
        "complaint": [[0.9, 0.1]],
        "sale": [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]],
    }
    outcome = Outcome(np.array([24.0, 40.0, 30.0]), np.array([6.0, 12.0, 11.0]), shape)
    model = Model(graph, tables, {"delivery": outcome})
    return graph, model


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize("shape", ["normal", "lognormal", "counts"])
def test_the_truth_of_a_world_beside_many_rounds(shape, side):
    """100,000 rounds of each action; 5 sigma. Whole numbers that equal the bound lie on neither side of it."""
    graph, model = world_of(shape)
    limit = Limit("delivery", **{side: 45.0}, at_most=0.1)
    world = World(Problem(graph, Actions.single(graph, ["carrier"]), limits=[limit]), model)
    own = limit.model(model)
    mean = own.means(Actions(own.graph, world.problem.actions))
    for a, action in enumerate(world.problem.actions):
        x = model.sample(world.actions, np.full(100_000, a), np.random.default_rng(a))
        number = model.draw_numbers(x, np.random.default_rng(a))["delivery"]
        share = ((number > 45) if side == "above" else (number < 45)).mean()
        assert abs(share - mean[a]) < 5 * 0.5 / 100_000**0.5, action
    np.testing.assert_array_equal(world.breaks, mean > 0.1)
    np.testing.assert_allclose(own.means(Actions(own.graph, [do()])), [0.5, 0.3, 0.2] @ mean[1:])


def test_worlds_of_a_rehearsal_know_the_truth():
    """Each lane has the truth of its own world."""
    graph, _ = world_of("beta", Number(0, 60))
    problem = Problem(graph, set=["carrier"], limits=[Limit("delivery", above=48, at_most=0.2)])
    worlds = Prior.of(problem, None, "any").worlds(20, np.random.default_rng(1))
    for lane in range(20):
        np.testing.assert_array_equal(worlds.breaks[lane], worlds.one(lane).breaks)
    assert 0 < worlds.breaks.mean() < 1


def test_never_by_the_tables():
    """The file says with which mean and spread each carrier delivers: what breaks the limit is left out."""
    text = FIRM.replace("at_most = 0.05", "at_most = 0.05\nnever = true")
    with pytest.raises(FileError, match="is not known beforehand"):
        problem_of(text)
    numbers = """
[tables]
carrier = [0.4, 0.3, 0.3]
[tables.sale]
given = ["carrier"]
rows = [
    { when = ["post"], p = [0.4, 0.6] },
    { when = ["own"], p = [0.5, 0.5] },
    { when = ["bike"], p = [0.6, 0.4] },
]
[tables.complaint]
given = ["carrier"]
rows = [
    { when = ["post"], p = [0.9, 0.1] },
    { when = ["own"], p = [0.8, 0.2] },
    { when = ["bike"], p = [0.9, 0.1] },
]
[numbers.delivery]
given = ["carrier"]
shape = "beta"
rows = [
    { when = ["post"], mean = 24.0, spread = 4.0 },
    { when = ["own"], mean = 50.0, spread = 4.0 },
    { when = ["bike"], mean = 30.0, spread = 5.0 },
]
"""
    problem = problem_of(text + numbers)
    assert set(problem.limits[0].never) == {do(carrier="own"), do()}
    assert list(problem.actions) == [do(carrier="post"), do(carrier="bike")]


def test_what_is_limited_cannot_be_set():
    graph = problem_of(FIRM).graph
    with pytest.raises(ActionError, match="which do\\(delivery=3\\) sets"):
        Problem(graph, [do(), do(delivery=3)], limits=[Limit("delivery", above=48, at_most=0.05)])


def test_two_limits_are_on_the_same_quantity_whatever_their_bounds():
    limit = Limit("delivery", above=48, at_most=0.05)
    assert limit.same_but_bound(Limit("delivery", above=48.0, at_most=0.1))
    others = [
        Limit("delivery", above=49, at_most=0.05),
        Limit("delivery", below=48, at_most=0.05),
        Limit("delivery", above=48, at_least=0.05),
        Limit("delivery", above=48, at_most=0.05, over="everybody"),
        Limit("delivery", at_most=0.05),
        Limit("arrival", above=48, at_most=0.05),
    ]
    assert not any(limit.same_but_bound(other) for other in others)


def test_the_mean_of_a_limited_outcome_is_compared_with_its_bound():
    for limit in (Limit("a", "yes", at_most=0.2), Limit("b", at_least=0.2), Limit("b", above=3, at_most=0.2)):
        assert limit.compared == limit.bound == 0.2
