"""The web shop's second question from a terminal: a log, four servers that ask by what they see, results a day late."""

import csv
import importlib
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import bestdo as library
from support import ROOT, bestdo

FILE = ROOT / "examples" / "orders.toml"
SERVERS = ("one", "two", "three", "four")
VISITORS = (("telephone", "home"), ("computer", "home"), ("telephone", "abroad"), ("computer", "abroad"))
SHOP = library.compose(FILE)


def test_four_servers_and_results_of_the_day_before(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    simulated, rng = importlib.import_module("simulated"), np.random.default_rng(3)

    def said(*arguments):
        done = bestdo(*arguments, "--storage", f"sqlite:///{tmp_path}/shop.db", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(server, device, country):
        seen = ("--seen", f"device={device}", "--seen", f"country={country}")
        (asked,) = json.loads(said("ask", "--worker", server, *seen, "-f", "json"))
        assert asked["context"] == {"device": device, "country": country}
        return asked

    def tell(asked, visit):
        said("tell", str(asked["number"]), *(f"{name}={value}" for name, value in visit.items()))

    simulated.write_log(simulated.draw(SHOP.model, library.do(), rng, 1500), tmp_path / "log.csv")
    said("new", str(FILE), "--graph-only", "--rounds", "16", "--lease", "2")
    said("observe", "log.csv")
    with ThreadPoolExecutor(4) as servers:  # at the same time
        yesterday = list(servers.map(ask, SERVERS, *zip(*VISITORS, strict=True)))
        today = list(servers.map(ask, SERVERS, *zip(*VISITORS, strict=True)))  # nothing has come back yet
        assert sorted(asked["number"] for asked in (*yesterday, *today)) == list(range(1, 9))
        visits = [
            simulated.draw(SHOP.model, library.do({**asked["set"], **asked["context"]}), rng)[0] for asked in yesterday
        ]
        list(servers.map(tell, yesterday, visits))
    status = json.loads(said("status", "-f", "json"))
    assert (status["told"], len(status["open"])) == (4, 4)
    assert "in each context its action keeps all limits with probability" in said("best")
    said("export", "--rule", "rule.csv")
    with (tmp_path / "rule.csv").open(newline="") as file:
        rule = {(row["device"], row["country"]): row["action"] for row in csv.DictReader(file)}
    means, _ = SHOP.model.means_given(SHOP.problem.actions, SHOP.problem.first)
    best = [str(SHOP.problem.actions[a]) for a in means.argmax(axis=1)]
    for visitor in VISITORS:  # at home the best without a limit, abroad the usual price
        assert ("price=usual" in rule[visitor]) == (visitor[1] == "abroad")
    assert [rule["telephone", "home"], rule["computer", "home"]] == [best[0], best[2]]
