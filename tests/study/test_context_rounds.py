"""A study in which something is seen first: asked by context, told without repeating it, answered by a rule."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from bestdo import Actions, Graph, Problem, do
from bestdo.causal.model import Model
from bestdo.cli import bestdo as command
from bestdo.errors import BestdoError, Conflict, Deviates, Finished, NotValid, Waiting
from bestdo.learners import learner as learner_by_name
from bestdo.learners.count_state import beside
from bestdo.learners.game import game_of
from bestdo.simulate.driver import play_out
from bestdo.simulate.play import play as play_world
from bestdo.simulate.world import World
from bestdo.study import Study
from bestdo.study.context_rounds import _lanes, _pairs_out
from bestdo.study.exchange import exported, imported, table

GRAPH = Graph.parse(
    "device -> banner -> sale; device -> sale; country -> sale",
    reward="sale",
    values={"device": ("mobile", "desktop"), "banner": ("small", "large")},
)
PROBLEM = Problem(GRAPH, Actions.single(GRAPH, ["banner"]), first=("device", "country"))
CHANCE = {("mobile", "small"): 0.1, ("mobile", "large"): 0.9, ("desktop", "small"): 0.8, ("desktop", "large"): 0.2}


def new(folder, learner="causal-top-two", horizon=100, problem=PROBLEM, **options):
    storage = f"sqlite:///{folder}/study.db"
    return Study.create(problem, horizon, learner=learner, name="shop", storage=storage, **options)


def play(study, rounds, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        device = str(rng.choice(["mobile", "desktop"]))
        (asked,) = study.ask(context={"device": device, "country": int(rng.random() < 0.5)})
        banner = asked.action.get("banner", str(rng.choice(["small", "large"])))
        study.tell(asked.number, {"banner": banner, "sale": int(rng.random() < CHANCE[device, banner])})


@pytest.mark.parametrize("learner", ["causal-top-two", "top-two", "thompson"])
def test_a_rule_is_found_kept_and_goes_on_elsewhere(tmp_path, learner):
    study = new(tmp_path, learner)
    before = study.best()
    assert before.rule.contexts[0].context == {"device": "mobile", "country": "0"}
    play(study, 70)
    rule = study.best().rule
    assert rule.action({"device": "mobile", "country": "0"}) == do(banner="large")
    assert rule.action({"device": "desktop"}) == do(banner="small")
    assert rule.gain.mean > 0.1
    assert rule.p_worth > 0.9
    assert sum(one.rounds for one in rule.contexts) == 70
    assert sum(one.share for one in rule.contexts) == pytest.approx(1)
    assert rule.value.mean == pytest.approx(sum(one.share * one.mean for one in rule.contexts))
    assert rule.gain.mean == pytest.approx(rule.value.mean - rule.single_value.mean)
    json.dumps(rule.as_data())
    again = imported(f"sqlite:///{tmp_path}/other.db", json.loads(json.dumps(exported(study))))
    assert again.rule().as_data() == rule.as_data()
    assert again.rounds() == study.rounds()
    both = [each.ask(context={"device": "mobile"})[0] for each in (study, again)]
    assert both[0].action == both[1].action
    fresh = Study.open("shop", f"sqlite:///{tmp_path}/study.db")  # from the checkpoint
    assert fresh.rule().as_data() == rule.as_data()
    assert table(study)[0]["device"] in ("mobile", "desktop")
    assert [event["context"] for event in study.history() if event["kind"] == "asked"][-1] == {"device": "mobile"}


def test_what_a_rule_is_worth_does_not_depend_on_the_goal(tmp_path):
    study = new(tmp_path, "causal-thompson")
    play(study, 20)
    earning = study.rule()
    study.change_learner("causal-top-two", "the same belief")
    finding = study.rule()
    assert earning.gain == finding.gain
    assert earning.value == finding.value
    assert earning.p_worth == finding.p_worth


def test_what_was_seen_need_not_be_told_and_cannot_change_unnoticed(tmp_path):
    study = new(tmp_path)
    (asked,) = study.ask(context={"device": "mobile", "country": "1"})
    assert asked.context == {"device": "mobile", "country": "1"}
    assert "nothing is known yet" in asked.reason
    assert study.reason(asked.number) == asked.reason
    assert study.status()["open"][0]["context"] == asked.context
    with pytest.raises(Deviates, match="was seen as 'mobile' before the action was chosen, but 'desktop' is told"):
        study.tell(asked.number, {"device": "desktop", "sale": "1"})
    study.tell(asked.number, {"sale": "1"})
    study.tell(asked.number, {"sale": "1", "device": "mobile"})  # the same again
    assert study.rounds()[0]["values"]["device"] == "mobile"
    assert [one.rounds for one in study.rule().contexts] == [0, 1, 0, 0]
    study.amend(asked.number, {"sale": "0", "device": "desktop"}, "the wrong line")
    assert [one.rounds for one in study.rule().contexts] == [0, 0, 0, 1]
    study.withdraw(asked.number, "a robot")
    assert not any(one.rounds for one in study.rule().contexts)
    assert imported(f"sqlite:///{tmp_path}/other.db", exported(study)).rounds() == study.rounds()


def test_many_contexts_at_once_and_missing_values(tmp_path):
    study = new(tmp_path, horizon=30, at_once=25)
    asked = study.ask(context=[{"device": "mobile"}, {}, {"country": 1, "device": None}] * 10)
    assert [each.number for each in asked] == list(range(1, 26))
    assert asked[2].context == {"country": "1"}
    assert "25 rounds are out" in asked.fewer
    with pytest.raises(Waiting, match="25 rounds are out"):
        study.ask(context={"device": "mobile"})
    for each in asked:
        study.tell(each.number, {"sale": "1"})
    assert len(study.ask("me", 7, context={"device": "desktop"})) == 5
    with pytest.raises(Waiting):
        study.ask(context={})
    study.close()
    with pytest.raises(Finished):
        study.ask(context={})


def test_a_round_that_expires_is_not_handed_out_again(tmp_path):
    study = new(tmp_path, horizon=2, lease=0.0)
    numbers = [study.ask(context={"device": "mobile"})[0].number for _ in range(3)]
    assert numbers == [1, 2, 3]
    study.tell(1, {"sale": "1"})
    assert study.rounds()[0]["late"]
    assert imported(f"sqlite:///{tmp_path}/other.db", exported(study)).rounds() == study.rounds()


@pytest.mark.parametrize(
    ("context", "words"),
    [
        (None, "must be given: 'device', 'country'"),
        ({"device": "phone"}, "unknown value 'phone'"),
        ({"banner": "large"}, "'banner' is not seen first; seen first: 'device', 'country'"),
        ({"divice": "mobile"}, "unknown variable 'divice'"),
        ("mobile", "given by its values"),
        (["mobile"], "given by its values"),
        ([], "the list of contexts is empty"),
        (3, "given by its values"),
    ],
)
def test_bad_contexts_are_errors_that_change_nothing(tmp_path, context, words):
    study = new(tmp_path)
    with pytest.raises(BestdoError, match=words):
        study.ask(context=context)
    assert len(study.history()) == 1


def test_studies_that_cannot_have_contexts_say_so(tmp_path):
    plain = new(tmp_path, problem=replace(PROBLEM, first=()))
    with pytest.raises(BestdoError, match="nothing is seen first in this study"):
        plain.ask(context={"device": "mobile"})
    with pytest.raises(BestdoError, match="a key is for rounds in a context"):
        plain.ask(key="x")
    with pytest.raises(BestdoError, match="its answer is one action"):
        plain.rule()
    assert plain.best().rule is None
    for learner, options, words in (
        ("successive-rejects", {}, "does not look at what is seen first"),
        ("causal-top-two", {"wait": True}, "cannot wait for phases"),
        ("thompson", {"parameters": {"block": 3}}, "several rounds cannot be planned at once"),
    ):
        with pytest.raises(NotValid, match=words):
            Study.create(PROBLEM, 10, learner=learner, storage=f"sqlite:///{tmp_path}/other.db", **options)


def test_old_data_teach_about_contexts(tmp_path):
    study = new(tmp_path)
    lines = ["device,country,banner,sale", *["mobile,0,large,1"] * 30, *["mobile,0,small,0"] * 30, ",1,small,1"]
    (tmp_path / "old.csv").write_text("\n".join(lines) + "\n")
    study.observe(str(tmp_path / "old.csv"))
    rule = study.rule()
    assert rule.action({"device": "mobile", "country": "0"}) == do(banner="large")
    assert [one.rounds for one in rule.contexts] == [60, 0, 0, 0]
    assert study.best().left == 100


def test_many_rounds_in_few_contexts_take_turns():
    contexts = np.random.default_rng(0).integers(0, 5, 1000) * 3
    where, lane = _lanes(contexts)
    assert len(where) == 125
    assert (where[lane] == contexts).all()
    assert np.bincount(lane).min() >= 6
    where, lane = _lanes(np.array([4, 4, 2]))
    assert where.tolist() == [2, 4, 4]
    assert lane.tolist() == [1, 2, 0]


def test_fewer_rounds_than_asked_for_and_late_ones_are_said(tmp_path, monkeypatch):
    study = new(tmp_path, horizon=2, lease=1e-9)
    url = ["--storage", f"sqlite:///{tmp_path}/study.db"]
    (tmp_path / "four.csv").write_text("device,country\nmobile,0\nmobile,1\ndesktop,0\ndesktop,1\n")
    said = CliRunner().invoke(command, ["ask", "--contexts", str(tmp_path / "four.csv"), *url])
    assert said.exit_code == 0
    assert "only 2 rounds: " in said.output
    study.ask(context={"Device": "mobile"})  # the first two have expired
    for number in (1, 2, 3):
        told = CliRunner().invoke(command, ["tell", str(number), "sale=1", "banner=small", "--happened", *url])
        late = " late: its lease had ended" if number < 3 else ""
        assert told.output.splitlines()[-1] == f"told round {number}{late}"
    assert "2 of 2 rounds used, and 1 more told late" in CliRunner().invoke(command, ["status", *url]).output


def test_the_same_request_by_its_key_gives_the_same_rounds(tmp_path):
    study = new(tmp_path)
    seen = {"device": "mobile", "country": "1"}
    (first,) = study.ask("Ann", context=seen, key='visitor 17%_"é')
    (again,) = study.ask("Ann", context=seen, key='visitor 17%_"é')
    assert (again.number, again.action, again.expires) == (first.number, first.action, first.expires)
    (other,) = study.ask("Ann", context=seen, key="visitor 18")
    assert other.number == 2
    assert study.ask("Ann", context=seen, key="VISITOR 18").number == 3
    study.tell(first, {"banner": "small", "sale": "1", **first.action})
    assert study.ask(context=seen, key='visitor 17%_"é').number == 1  # though it has been told
    many = study.ask(context=[seen, {"device": "desktop"}], key="queue")
    assert [a.number for a in study.ask(context=[seen, {"device": "desktop"}], key="queue")] == [4, 5]
    assert [a.number for a in many] == [4, 5]
    for context in ({"device": "desktop"}, {}):
        with pytest.raises(Conflict, match="belongs to round 2, which was asked for in another context"):
            study.ask(context=context, key="visitor 18")
    with pytest.raises(BestdoError, match="a key is text"):
        study.ask(context=seen, key=3)
    again = imported(f"sqlite:///{tmp_path}/other.db", json.loads(json.dumps(exported(study))))
    assert again.ask(context=seen, key="visitor 18").number == 2
    command_line = ["ask", "--storage", study.storage.url, "--study", "shop", "--seen", "device=mobile", "-f", "json"]
    lines = [json.loads(CliRunner().invoke(command, [*command_line, "--key", "x"]).output) for _ in range(2)]
    assert lines[0][0]["number"] == lines[1][0]["number"] == 6


def test_rounds_that_are_out_count_in_their_context(tmp_path):
    """Top-two counts a round that is out as played: of four workers at once, none repeats what is out already."""
    study = new(tmp_path, "top-two")
    for device in ("mobile", "desktop", "mobile", "mobile"):
        study.ask("Ann", context={"device": device, "country": "1"})
    with study.reading() as log:
        book = study.book(log)
        out = _pairs_out(book.game, book.state, log.open())
    assert out.reshape(4, 3).sum(axis=1).tolist() == [0, 3, 0, 1]
    state = beside(book.state.own, out)
    assert state.played.sum() == 4
    assert state.money[0] == 96


@pytest.mark.parametrize("learner", ["causal-top-two", "top-two", "thompson"])
def test_rounds_in_flight_are_simulated_by_context(learner):
    """Eight rounds out at any time cost little: every round is played, and the rule is found all the same."""
    rows = {d: [[1 - CHANCE[d, b], CHANCE[d, b]] for b in ("small", "large")] for d in ("mobile", "desktop")}
    sale = np.array([[rows[d], rows[d]] for d in ("mobile", "desktop")])
    parents = {"sale": ("device", "country", "banner")}
    order = [GRAPH.parents["sale"].index(n) for n in parents["sale"]]
    table = np.empty([2, 2, 2, 2])
    table[...] = np.moveaxis(sale, range(3), order)
    half = np.array([0.5, 0.5])
    model = Model(GRAPH, {"device": half, "country": half, "banner": np.tile(half, (2, 1)), "sale": table})
    world = World(PROBLEM, model)
    state = play_out(world, game_of(learner_by_name(learner), PROBLEM), 50, 2, np.random.default_rng(0), 8)
    assert state.seen.sum(axis=1).tolist() == [50, 50]
    assert play_world(world, learner, 120, lanes=4, delay=7).mean() < 0.05
