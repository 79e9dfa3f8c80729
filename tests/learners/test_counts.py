"""Rewards that are counts: posteriors beside scipy and quadrature, coverage of intervals, worlds, files and studies."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma, poisson

import bestdo
from bestdo import Actions, Graph, Limit, Model, Number, Outcome, Problem, Study, Variable, World
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.number import Count
from bestdo.errors import BestdoError, GraphError
from bestdo.learners.families import cell_posterior, from_counts, own_means
from bestdo.web.graph_form import GraphForm
from bestdo.web.graph_form_contents import form_as_data, form_of, text_of

TEXT = """
bestdo = 1
[variables.tool]
values = ["old", "new"]
[variables.shift]
values = ["day", "night"]
[variables.hours]
number = true
low = 0.0
unit = "h"
[variables.tickets]
count = true
typical = 2.0
exposure = "hours"
[graph]
edges = ["tool -> tickets", "shift -> tickets"]
reward = "tickets"
aim = "minimise"
[actions]
set = ["tool", "shift"]
"""


def graph(aim="maximise", **stated):
    """X causes the count Y."""
    return Graph.of([Variable("X"), Variable("Y", number=Count(**stated))], [("X", "Y")]).rewarding("Y", aim=aim)


def sums(y, exposure=None):
    """The sums of counts (float[L, C, n]) as `Played` has them, with an exposure of each round."""
    e = np.ones(y.shape) if exposure is None else exposure
    n, w, s, q = np.full(y.shape[:2], float(y.shape[2])), e.sum(2), y.sum(2), (y**2 / e).sum(2)
    return Tally(n, w, (e**2).sum(2), s, (e * y).sum(2), q, (y**2).sum(2))


def drawn(rate, wide, rounds, lanes, rng):
    """Counts (float[L, C, rounds]) with these means, whose variance is `wide` times the mean."""
    rate = np.broadcast_to(np.asarray(rate)[:, None], (lanes, len(rate), rounds))
    return rng.poisson(rate if wide == 1 else rng.gamma(rate / (wide - 1), wide - 1)).astype(float)


# posteriors


@pytest.mark.parametrize("aim", ["maximise", "minimise"])
def test_posteriors_of_own_rounds_beside_scipy_and_quadrature(aim):
    """Three counts of 4 in an exposure of 1 each do not differ: 12 events in 3. Jeffreys' prior is λ^(-1/2)."""
    sign = 1 if aim == "maximise" else -1
    y = np.full((1, 2, 3), 4.0)
    y[0, 1] = 0.0
    found = sums(y)
    found = found._replace(reward=sign * found.reward)
    own, exact = own_means(found, graph(aim)), [gamma(12.5, scale=1 / 3), gamma(0.5, scale=1 / 3)]
    assert own.mean[0].tolist() == pytest.approx([sign * each.mean() for each in exact])
    assert own.error[0].tolist() == pytest.approx([each.std() for each in exact])
    for bound in (0.05, 1.0, 4.5):
        below = own.below(sign * bound)[0]
        assert (below if sign > 0 else 1 - below).tolist() == pytest.approx([each.cdf(bound) for each in exact])

    def likelihood(rate):
        return poisson.pmf(4, rate) ** 3 * rate**-0.5

    whole, part = quad(likelihood, 0, 40, limit=200)[0], quad(likelihood, 0, 3.5, limit=200)[0]
    assert gamma(12.5, scale=1 / 3).cdf(3.5) == pytest.approx(part / whole, rel=1e-6)
    assert (own.below(3.5)[0, 0] if sign > 0 else 1 - own.below(-3.5)[0, 0]) == pytest.approx(part / whole, rel=1e-6)
    interval = from_counts(found, np.full((1, 2), 3.0), graph(aim))
    ends = sorted(sign * end for end in exact[0].interval(0.95))
    assert [interval.low[0, 0], interval.high[0, 0]] == pytest.approx(ends)
    draws = np.stack([own.draw(np.random.default_rng(k)) for k in range(4000)])[:, 0]
    assert abs(draws.mean(axis=0) - own.mean[0]).max() < 4 * max(each.std() for each in exact) / np.sqrt(
        4000
    )  # 4 sigma


def test_nothing_is_known_of_what_was_never_counted():
    own = own_means(Tally.zeros(1, 2), graph())
    assert own.below(3.0).tolist() == [[0.5, 0.5]]
    found = from_counts(Tally.zeros(1, 2), np.zeros((1, 2)), graph())
    assert np.isinf(found.low).all()
    assert np.isinf(found.high).all()
    posterior = cell_posterior(Tally.zeros(1, 2), graph())
    assert np.isfinite(posterior.draw(np.random.default_rng(0))).all()


def test_chances_of_being_best_beside_draws():
    """Within 4 sigma of 40,000 draws, 0.01."""
    y = np.array([[[3, 5, 4, 4], [6, 5, 7, 6], [5, 7, 4, 6]]], float)
    for aim, sign in (("maximise", 1), ("minimise", -1)):
        tally = sums(y)
        posterior = cell_posterior(tally._replace(reward=sign * tally.reward), graph(aim))
        chance = posterior.estimates(np.full((1, 3), 4.0), np.ones(3, bool)).p_best[0]
        draws = posterior.draw(np.random.default_rng(5), np.zeros(40_000, np.int64))
        assert chance.tolist() == pytest.approx(np.bincount(draws.argmax(axis=1), minlength=3) / 40_000, abs=0.01)
        some = posterior.estimates(np.full((1, 3), 4.0), np.array([True, False, True])).p_best[0]
        assert some[1] == 0
        assert some.sum() == pytest.approx(1)


def coverage(wide, rounds, exposure=False, ignored=False):
    """How often 95 % intervals of four means hold them, in 2,000 studies of so many rounds of each; seed 7."""
    rng, rate = np.random.default_rng(7), np.array([0.3, 1.0, 2.0, 5.0])
    e = rng.uniform(0.5, 4.0, (2000, 4, rounds)) if exposure else np.ones((2000, 4, rounds))
    mean = rate[None, :, None] * e
    y = rng.poisson(mean if wide == 1 else rng.gamma(mean / (wide - 1), wide - 1)).astype(float)
    tally = sums(y, e)
    if ignored:  # as if all counts of a cell were the same: the intervals of Poisson variables
        tally = tally._replace(square=tally.reward**2 / tally.weight)
    found = from_counts(tally, tally.rounds, graph())
    return float(((found.low <= rate) & (rate <= found.high)).mean())


@pytest.mark.parametrize("wide", [1, 2, 4])
@pytest.mark.parametrize("rounds", [3, 10, 30])
@pytest.mark.parametrize("exposure", [False, True])
def test_intervals_hold(wide, rounds, exposure):
    """8,000 intervals have a sigma of 0.0024, of 2,000 groups of four; at least 93.5 %, and at most 98.5 %."""
    assert 0.935 <= coverage(wide, rounds, exposure) <= 0.985


def test_poisson_intervals_would_not_hold_for_counts_that_differ_more():
    assert coverage(4, 10, ignored=True) < 0.75


# worlds


def world(aim="minimise", spread=None):
    """Two actions matter, and the best is known: new at night."""
    tool, shift = Variable("tool", ("old", "new")), Variable("shift", ("day", "night"))
    tickets = Variable("tickets", number=Count(typical=3))
    one = Graph.of([tool, shift, tickets], [("tool", "tickets"), ("shift", "tickets")]).rewarding("tickets", aim=aim)
    mean = np.array([[6.0, 4.0], [3.0, 1.0]])
    outcome = Outcome(mean, np.sqrt(mean) if spread is None else np.full((2, 2), spread), "counts")
    model = Model(one, {"tool": [0.5, 0.5], "shift": [0.5, 0.5]}, {"tickets": outcome})
    return World(Problem(one, Actions.up_to(one, 2)), model)


@pytest.mark.parametrize("learner", ["causal-top-two", "thompson", "top-two", "uniform", "successive-rejects"])
@pytest.mark.parametrize("aim", ["maximise", "minimise"])
def test_the_best_action_of_a_known_world_is_found(learner, aim):
    """At least 90 % of 100 studies of 120 rounds; chance alone is 1 in 9 (seed 1, sigma 0.03)."""
    regret = bestdo.play(world(aim), learner, rounds=120, lanes=100, seed=1, progress=False)
    assert (regret < 1e-9).mean() > 0.9


def test_rounds_of_a_world_are_counts_with_its_means():
    own = world()
    rounds = own.rounds(Plan(np.full((1, 9), 4000)), np.random.default_rng(0))
    y = own.problem.graph.rewarded.scale.in_unit(rounds.y)
    assert (y == y.round()).all()
    assert y.min() == 0
    means = y.reshape(9, 4000).mean(axis=1)
    assert abs(means - own.means).max() < 5 * np.sqrt(6 / 4000)  # 5 sigma


@pytest.mark.parametrize("learner", ["ucb", "kl-ucb"])
def test_learners_that_need_bounds_refuse_counts_in_words(learner):
    with pytest.raises(BestdoError, match="tickets"):
        bestdo.play(world(), learner, rounds=20, lanes=2, progress=False)


def test_rehearsals_draw_worlds_of_counts_where_a_usual_count_is_stated(tmp_path):
    path = tmp_path / "tickets.toml"
    path.write_text(TEXT)
    found = bestdo.rehearse(path, rounds=20, worlds=20, learners=["thompson"], progress=False)
    assert found.worlds
    path.write_text(TEXT.replace("typical = 2.0\n", ""))
    with pytest.raises(BestdoError, match="how far apart the means of 'tickets' may be is not known"):
        bestdo.rehearse(path, rounds=20, worlds=20, learners=["thompson"], progress=False)


# files, forms and studies


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_files_hold_counts(tmp_path, ending):
    (tmp_path / "a.toml").write_text(TEXT)
    contents = bestdo.read(tmp_path / "a.toml")
    assert contents.graph.variable("tickets").number == Count(typical=2, exposure="hours")
    bestdo.write(contents, tmp_path / f"b{ending}")
    assert bestdo.read(tmp_path / f"b{ending}").graph == contents.graph


def test_forms_hold_counts(tmp_path):
    (tmp_path / "a.toml").write_text(TEXT)
    contents = bestdo.read(tmp_path / "a.toml")
    form, whole = form_of(contents)
    assert whole
    row = next(row for row in form.rows if row.name == "tickets")
    assert (row.kind, row.stated) == ("count", {"typical": "2", "exposure": "hours"})
    again = GraphForm.of_data({k: v for k, v in form_as_data(form).items() if k != "labels"})
    (tmp_path / "b.toml").write_text(text_of(again, None))
    assert bestdo.read(tmp_path / "b.toml").problem == contents.problem


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("typical = 0", "a usual count is above 0"),
        ("typical = 2.0\nlow = 1", "low is for a number"),
        ("typical = 2.0\nvalues = ['a', 'b']", "is a count, which has no values"),
        ('exposure = "tool"', "'tickets' is counted per 'tool', which must be a number that is seen"),
        ('exposure = "nothing"', "unknown variable 'nothing'"),
    ],
)
def test_files_that_cannot_be(tmp_path, line, message):
    key = line.partition(" ")[0]
    (tmp_path / "a.toml").write_text("\n".join(line if row.startswith(key) else row for row in TEXT.split("\n")))
    with pytest.raises(BestdoError, match=message):
        bestdo.read(tmp_path / "a.toml")


def study(tmp_path, text=TEXT, **options):
    (tmp_path / "tickets.toml").write_text(text)
    return Study.create(tmp_path / "tickets.toml", rounds=30, storage=f"sqlite:///{tmp_path}/a.db", seed=1, **options)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tickets": 2.5, "hours": 1}, "'tickets' is 2.5; it is a count, a whole number from 0"),
        ({"tickets": -1, "hours": 1}, "'tickets' is -1; it is a count, a whole number from 0"),
        ({"tickets": "many", "hours": 1}, "'tickets' is 'many'; it must be a number"),
        ({"tickets": 2}, "'tickets' is counted per 'hours': 'hours' must be told"),
        ({"tickets": 2, "hours": 0}, "'hours' is 0; events are counted per unit of it, so it must be above 0"),
        ({"hours": 2}, "the reward 'tickets' must be told: a whole number, 0 or more"),
    ],
)
def test_what_is_no_count_is_refused_in_words(tmp_path, values, message):
    own = study(tmp_path)
    asked = own.ask()
    with pytest.raises(BestdoError, match=message):
        own.tell(asked.number, values)


def test_a_study_counts_per_unit_of_exposure(tmp_path):
    """Means are events divided by hours; a round that is amended or undone changes them."""
    own, events, hours = study(tmp_path, learner="thompson"), {}, {}
    for number in range(1, 21):
        asked = own.ask()
        count, time = number % 4, 1.0 + number % 3
        events.setdefault(asked.action, []).append(count)
        hours.setdefault(asked.action, []).append(time)
        own.tell(asked.number, {"tickets": count, "hours": time})
    found = own.estimates()
    for place, action in enumerate(own.problem.actions):
        mean, low, high = (-float(part[0, place]) for part in (found.mean, found.high, found.low))
        if action in events:
            assert low <= sum(events[action]) / sum(hours[action]) <= high
            assert mean == pytest.approx(sum(events[action]) / sum(hours[action]), abs=0.5)
    before = own.estimates().mean.tolist()
    own.amend(20, {"tickets": 50, "hours": 1}, "counted again", sure=True)
    changed = own.estimates().mean.tolist()
    assert changed != before
    own.undo(20)
    assert own.estimates().mean.tolist() not in (before, changed)


def test_old_data_with_an_exposure(tmp_path):
    own = study(tmp_path, learner="causal-top-two")
    lines = [f"{'new' if k % 2 else 'old'},day,{2 if k % 2 else 8},2" for k in range(40)]
    rows = ["tool,shift,tickets,hours", *lines, "old,day,3,"]
    (tmp_path / "old.csv").write_text("\n".join(rows))
    own.observe(tmp_path / "old.csv")
    best = own.best()
    assert best.action == bestdo.do(tool="new")
    (tmp_path / "bad.csv").write_text("tool,shift,tickets,hours\nold,day,2.5,1\n")
    with pytest.raises(BestdoError, match=r"'tickets' is 2.5; it is a count"):
        own.observe(tmp_path / "bad.csv")


def test_a_limit_on_the_mean_of_a_count(tmp_path):
    """No event in 40 rounds: at most 0.2 on average is kept; Student's posterior would know nothing yet."""
    text = TEXT.replace("[graph]", "[variables.yield]\n[graph]").replace('aim = "minimise"', 'success = "1"')
    text = text.replace('reward = "tickets"', 'reward = "yield"')
    text = text.replace('"shift -> tickets"]', '"shift -> tickets", "tool -> yield"]')
    own = study(tmp_path, f'{text}[[limits]]\nvariable = "tickets"\nat_most = 0.2\n')
    for _ in range(30):
        asked = own.ask()
        own.tell(asked.number, {"tool": "old", "shift": "day", **asked.action, "yield": 1, "tickets": 0, "hours": 2.0})
    assert own.best().keeps > 0.9


def test_counts_are_whole_numbers():
    number = Count()
    assert number.read("tickets", "3") == 3
    for text in ("2.5", "-1"):
        with pytest.raises(GraphError, match="it is a count"):
            number.read("tickets", text)
    assert Variable("Y", number=Number(0, 5)).number.read("Y", "2.5") == 2.5
    assert isinstance(Limit("Y", at_most=2.0), Limit)


def test_means_have_the_unit_of_events_per_exposure():
    assert Count(exposure="hours").unit_of_mean("") == "events per hours"
    assert Count(exposure="hours").unit_of_mean("calls") == "calls per hours"
    assert Count().unit_of_mean("calls") == "calls"
