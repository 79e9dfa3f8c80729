"""Rows of a policy that chose at random with known probabilities count as plays: unbiased, in each context."""

import itertools

import numpy as np
import pytest
from click.testing import CliRunner

from bestdo import Graph, Problem, compose, do
from bestdo.bandit.old_rounds import OldData, logged_rounds
from bestdo.cli import bestdo as command
from bestdo.errors import BestdoError, NotValid
from bestdo.study import Study
from bestdo.study.exchange import exported, imported

GRAPH = Graph.parse(
    "device -> sale; banner -> sale; wish -> sale; wish -> device",
    reward="sale",
    success="1",
    values={"device": ("mobile", "desktop")},
)
PROBLEM = Problem(GRAPH, set=["banner"], first=["device"])
WISH = 0.4
DEVICE = {0: 0.3, 1: 0.8}  # P(mobile | wish)
POLICY = {("mobile", 0): 0.9, ("mobile", 1): 0.2, ("desktop", 0): 0.3, ("desktop", 1): 0.7}
"""P(banner = 1 | device, wish): the policy looked at the wish, too, which causes the sale."""


def sale(device, banner, wish):
    return 0.1 + 0.3 * (banner ^ (device == "mobile")) + 0.5 * wish


def rows():
    """Every row that can occur, with its probability and that of what the policy chose."""
    for wish, device, banner, won in itertools.product((0, 1), ("mobile", "desktop"), (0, 1), (0, 1)):
        p = (WISH if wish else 1 - WISH) * (DEVICE[wish] if device == "mobile" else 1 - DEVICE[wish])
        chosen = POLICY[device, wish] if banner else 1 - POLICY[device, wish]
        good = sale(device, banner, wish)
        yield device, banner, won, chosen, p * chosen * (good if won else 1 - good)


def truth(device, banner):
    """E[sale | do(banner), device] by enumeration."""
    weight = [(WISH if w else 1 - WISH) * (DEVICE[w] if device == "mobile" else 1 - DEVICE[w]) for w in (0, 1)]
    return sum(w * sale(device, banner, i) for i, w in enumerate(weight)) / sum(weight)


def test_weighted_sums_are_unbiased_where_the_policy_looked_at_more():
    """Expectations over all rows, to 1e-12: Σ weight × reward over Σ weight is the mean of playing the action.

    The plain mean of the rows of an action is not: the policy looked at the wish, which causes the sale.
    """
    sums = {}
    plain = {}
    for device, banner, won, chosen, p in rows():
        for found, weight in ((sums, p / chosen), (plain, p)):
            total = found.setdefault((device, banner), np.zeros(2))
            total += weight * np.array([1, won])
    for (device, banner), (weight, reward) in sums.items():
        assert reward / weight == pytest.approx(truth(device, banner), abs=1e-12)
    assert max(abs(r / w - truth(*pair)) for pair, (w, r) in plain.items()) > 0.05
    # and these are the weights of the code, up to a factor for each pair of context and action
    each = list(rows())
    codes = {"mobile": 0, "desktop": 1}
    x = np.full((len(each), len(GRAPH.names)), -1, np.int16)
    for i, (device, banner, won, _, _) in enumerate(each):
        for name, code in (("device", codes[device]), ("banner", banner), ("sale", won)):
            x[i, GRAPH.names.index(name)] = code
    times = np.round([1e6 * row[4] for row in each]).astype(np.int64)
    old = OldData(x, times, len(each), "f", probability=np.array([row[3] for row in each]), chosen=("banner",))
    rounds = logged_rounds(old, PROBLEM)
    for device, banner in itertools.product(codes, (0, 1)):
        mine = (x[:, GRAPH.names.index("device")] == codes[device]) & (x[:, GRAPH.names.index("banner")] == banner)
        assert {PROBLEM.actions[a] for a in rounds.action[mine]} == {do(banner=banner)}
        mean = (rounds.times * rounds.y)[mine].sum() / rounds.times[mine].sum()
        assert mean == pytest.approx(truth(device, banner), abs=1e-4)  # times are rounded to whole rows
        assert rounds.times[mine].sum() < times[mine].sum()  # unequal weights are worth fewer rounds


def write(folder, rng, n, policy=POLICY):
    lines = ["device,banner,sale,propensity,wish"]
    for _ in range(n):
        wish = int(rng.random() < WISH)
        device = "mobile" if rng.random() < DEVICE[wish] else "desktop"
        p = policy[device, wish]
        banner = int(rng.random() < p)
        won = int(rng.random() < sale(device, banner, wish))
        lines.append(f"{device},{banner},{won},{p if banner else 1 - p:.4f},{wish}")
    (folder / "log.csv").write_text("\n".join(lines) + "\n")
    return folder / "log.csv"


@pytest.mark.parametrize("learner", ["causal-top-two", "top-two"])
def test_a_study_learns_the_rule_from_a_log_and_spends_nothing(tmp_path, learner):
    """3,000 rows: the means of all pairs within 0.06 (4 sigma of a pair with 700 rows, weights up to 5)."""
    graph = Graph.parse(
        "device -> sale; banner -> sale", reward="sale", success="1", values={"device": ("mobile", "desktop")}
    )
    problem = Problem(graph, set=["banner"], first=["device"])
    study = Study.create(problem, 50, learner=learner, storage=f"sqlite:///{tmp_path}/a.db", name="shop")
    path = write(tmp_path, np.random.default_rng(0), 3000)
    old = study.observe(path, reading={"probability": "propensity"})
    assert old.chosen == ("banner",)
    assert "chosen by a policy" in " ".join(old.notes)
    rule = study.rule()
    for c, device in enumerate(("mobile", "desktop")):
        for banner in (0, 1):
            found = rule.means[c, problem.actions.index(do(banner=banner))]
            assert found == pytest.approx(truth(device, banner), abs=0.06)
    assert str(rule.action({"device": "mobile"})) == "do(banner=0)"
    assert str(rule.action({"device": "desktop"})) == "do(banner=1)"
    assert study.best().left == 50
    assert study.answered(old) == []
    assert study.alarms() == []
    again = imported(f"sqlite:///{tmp_path}/b.db", exported(study))
    assert again.rule().as_data() == rule.as_data()
    assert again.old_data()[0].probability == pytest.approx(old.probability)
    assert "probability" not in study.history()[-1]
    study.unobserve(old.fingerprint)
    assert not any(one.rounds for one in study.rule().contexts)


def test_rows_of_a_policy_that_looked_at_the_context_alone_are_whole_plays(tmp_path):
    policy = {(d, w): {"mobile": 0.8, "desktop": 0.25}[d] for d, w in POLICY}
    study = Study.create(PROBLEM, 50, learner="top-two", storage=f"sqlite:///{tmp_path}/a.db", name="shop")
    study.observe(write(tmp_path, np.random.default_rng(1), 300, policy), reading={"probability": "propensity"})
    assert sum(one.rounds for one in study.rule().contexts) == 300


def test_the_command_the_file_and_what_is_wrong(tmp_path):
    path = write(tmp_path, np.random.default_rng(1), 40)
    storage = ["--storage", f"sqlite:///{tmp_path}/a.db", "--study", "shop"]
    study = Study.create(PROBLEM, 50, storage=storage[1], name="shop")
    run = CliRunner().invoke(command, ["observe", str(path), "--probability", "propensity", *storage])
    assert run.exit_code == 0, run.output
    assert "chosen by a policy with known probabilities: 'banner'" in run.output
    for reading, words in (
        ({"probability": "chance"}, "no column 'chance'"),
        ({"probability": "banner"}, "is a variable of the graph"),
        ({"probability": "propensity", "chosen": ["device"]}, "device"),
        ({"probability": 3}, "name of a column"),
        ({"chosen": ["banner"]}, "not with which probability"),
    ):
        with pytest.raises(BestdoError, match=words):
            study.observe(path, reading=reading)
    for text, words in (
        ("0", "probability above 0"),
        ("1.5", "1.5"),
        ("", "nothing can be counted"),
        ("16.7 %", "write 16.7 % as 0.167"),
        ("k.A.", "--missing TEXT says"),
    ):
        (tmp_path / "wrong.csv").write_text(f"device,banner,sale,p\nmobile,1,1,{text}\nmobile,1,0,{text}\n")
        with pytest.raises(BestdoError, match=words):
            study.observe(tmp_path / "wrong.csv", reading={"probability": "p"})
    assert len(study.old_data()) == 1
    two = Problem(GRAPH, set=["banner", "device"])
    with pytest.raises(BestdoError, match="say --chosen NAME"):
        Study.create(two, 9, storage=storage[1], name="two").observe(path, reading={"probability": "propensity"})
    some = Problem(GRAPH, [do(), do(banner=1)])
    with pytest.raises(NotValid, match="chose do\\(banner=0\\), which is no action"):
        Study.create(some, 9, storage=storage[1], name="some").observe(path, reading={"probability": "propensity"})
    text = (
        "bestdo = 1\n[variables]\ndevice = {}\nbanner = {}\nsale = {}\n"
        '[graph]\nedges = ["device -> sale", "banner -> sale"]\nreward = "sale"\nsuccess = "1"\n'
        '[actions]\nset = ["banner"]\n[data]\nprobability = "propensity"\nchosen = ["banner"]\n'
    )
    (tmp_path / "shop.toml").write_text(text)
    problem = compose(tmp_path / "shop.toml").problem
    assert (problem.reading.probability, problem.reading.chosen) == ("propensity", ("banner",))
    from bestdo import read
    from bestdo import write as write_file

    write_file(problem, tmp_path / "again.toml")
    assert read(tmp_path / "again.toml").problem.reading == problem.reading


def notes(study, folder, rows):
    (folder / "some.csv").write_text("device,banner,sale,p\n" + "".join(f"{row}\n" for row in rows))
    return " | ".join(study.observe(folder / "some.csv", reading={"probability": "p"}).notes)


def test_what_the_rows_are_worth_is_said_and_probabilities_that_cannot_be(tmp_path):
    study = Study.create(PROBLEM, 50, goal="earn", storage=f"sqlite:///{tmp_path}/a.db", name="shop")
    rows = [f"mobile,{i % 2},1" for i in range(12)]
    right = notes(study, tmp_path, [f"{row},0.5" for row in rows] + ["desktop,1,0,0.5", "desktop,,1,0.5"])
    assert "1 row is left out: the probability, or what was chosen, is missing" in right
    assert "they are worth 13 rounds: from least to most, 1 where device=desktop, 12 where device=mobile" in right
    assert "right?" not in right
    few = notes(study, tmp_path, [f"{row},0.99" for row in rows])
    assert "are the probabilities right? By them 1 choices were possible in a row on average, and 2 occur" in few
    assert "; none in 1 context" in few
    many = notes(study, tmp_path, [f"{row},0.1" for row in rows])
    assert "By them 10 choices were possible in a row on average, of 2" in many
    storage = ["--storage", f"sqlite:///{tmp_path}/a.db", "--study", "shop"]
    run = CliRunner().invoke(
        command, ["observe", str(tmp_path / "some.csv"), "--probability", "p", "--force", *storage]
    )
    assert "likeliest, while every round counts?" in run.output
