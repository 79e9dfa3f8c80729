"""A rule on the page, as a file, and within limits on the page, in the report and over HTTP."""

import json

from click.testing import CliRunner

from bestdo import Graph, Limit, Problem
from bestdo.cli import bestdo as command
from bestdo.study import Study
from bestdo.study.rule_file import rule_file


def test_a_rule_within_limits(client, url):
    graph = Graph.parse(
        "device -> sale; banner -> sale; banner -> refund; device -> refund", reward="sale", success="1"
    )
    problem = Problem(graph, set=["banner"], first=["device"], limits=Limit("refund", "1", at_most=0.3))
    study = Study.create(problem, 80, name="shop", storage=url)
    for i in range(60):
        (asked,) = study.ask(context={"device": str(i % 2)})
        banner = asked.action.get("banner", str(i // 2 % 2))
        refund = int(banner == "1" and i % 2 == 1 and i % 4 > 0)  # with the banner, on one device only
        study.tell(asked, {"banner": banner, "sale": int(banner == "1" or i % 5 == 0), "refund": refund})
    page = client.get("/studies/shop").text
    for words in ("Keeps limits", "What is known in each of 2 contexts", "in each context its action keeps all limits"):
        assert words.lower() in page.lower()
    assert "keeps all limits" in client.get("/studies/shop/report").text
    found = client.get("/api/v1/studies/shop/best").json()
    assert found["within_limits"] is True
    assert found["rule"]["sure"] == 0.9
    for one in found["rule"]["contexts"]:
        assert one["keeps_limits"] >= 0.9
        assert len(one["each_keeps"]) == len(problem.actions)
    asked = {"context": [{"device": "0"}, {"device": "1"}, {}]}
    assert len(client.post("/api/v1/studies/shop/ask", json=asked).json()["rounds"]) == 3


def by_device(sale, url):
    """A study of two devices and two banners after forty rounds; what is sold is said by `sale(device, banner)`."""
    graph = Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1")
    problem = Problem(graph, set=["banner"], first=["device"], limits=Limit("refund", "1", at_most=0.5))
    study = Study.create(problem, 80, name="shop", storage=url)
    for i in range(60):
        (asked,) = study.ask(context={"device": str(i % 2)})
        banner = asked.action.get("banner", str(i // 2 % 2))
        study.tell(asked, {"banner": banner, "sale": int(sale(i % 2, int(banner))), "refund": 0})
    return study


def test_the_recommendation_in_json_is_the_rule(client, url):
    """The top level named the best single action, which is not what is recommended."""
    study = by_device(lambda device, banner: device == banner, url)
    assert not study.rule().is_single
    found = client.get("/api/v1/studies/shop/best").json()
    assert found["recommendation"]["kind"] == "rule"
    assert found["recommendation"]["lines"] == found["rule"]["lines"]
    assert found["recommendation"]["within_limits"] is found["within_limits"] is study.best().within_limits
    assert not {"action", "set", "mean", "low", "high", "p_best", "played", "seen", "keeps_limits"} & set(found)
    command_line = CliRunner().invoke(command, ["best", "--storage", url, "-f", "json"])
    assert json.loads(command_line.output) == found


def test_the_recommendation_in_json_is_the_action(client, url):
    """Where the rule does the same for everybody, it is that action."""
    study = by_device(lambda device, banner: banner == 1, url)
    assert study.rule().is_single
    found = client.get("/api/v1/studies/shop/best").json()
    assert found["recommendation"] == {
        "kind": "action",
        "action": "do(banner=1)",
        "set": {"banner": "1"},
        "within_limits": True,
    }
    assert found["action"] == "do(banner=1)"
    assert found["keeps_limits"] == study.best().keeps


def test_the_question_in_the_report_and_the_rule_as_a_file(client, url):
    graph = Graph.parse("device -> sale; banner -> sale", reward="sale", success="1")
    study = Study.create(Problem(graph, set=["banner"], first=["device"], goal="earn"), 80, name="shop", storage=url)
    for i in range(40):
        (asked,) = study.ask(context={"device": str(i % 2)})
        banner = asked.action.get("banner", str(i // 2 % 2))
        study.tell(asked, {"banner": banner, "sale": int(banner == str(i % 2))})
    report = client.get("/studies/shop/report").text
    assert "while every round counts? An answer for each device, seen before the action is chosen." in report
    page = client.get("/studies/shop").text
    for kind in ("py", "csv", "json"):
        assert f'href="/studies/shop/rule.{kind}" download' in page
        answer = client.get(f"/studies/shop/rule.{kind}")
        assert answer.content == rule_file(study.rule(), f"rule.{kind}")
        assert f"shop rule.{kind}" in answer.headers["content-disposition"]
    assert client.get("/studies/shop/rule.exe").status_code == 404
    Study.create(Problem(graph, set=["banner"]), 80, name="plain", storage=url)
    assert client.get("/studies/plain/rule.py").status_code == 422
