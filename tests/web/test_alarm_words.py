"""What the alarm could have found, on the page, in the report, on the command line and over HTTP."""

import numpy as np
from click.testing import CliRunner

from bestdo import Graph, Problem, Study
from bestdo.cli import bestdo as command


def test_status_best_and_the_page_say_what_the_alarm_could_have_found(client, url):
    """With something seen first the alarm is weak: it was silent, and nobody was told."""
    graph = Graph.parse("source -> sale; discount -> sale", reward="sale", success="1")
    study = Study.create(Problem(graph, set=["discount"], first=["source"]), 200, name="shop", storage=url)
    rng = np.random.default_rng(1)
    for i in range(40):
        (asked,) = study.ask(context={"source": str(i % 2)})
        discount = asked.action.get("discount", str(rng.integers(0, 2)))
        study.tell(asked, {"discount": discount, "sale": str(int(rng.random() < 0.3 + 0.3 * int(discount)))})
    status = study.status()
    assert status["alarm"]["action"] == "do(discount=1)"
    said = status["about_alarm"]
    assert "the alarm cannot have noticed yet" in said or "the alarm would probably have noticed by now" in said
    for line in ("status", "best"):
        assert said in CliRunner().invoke(command, [line, "--study", "shop", "--storage", url]).output
    assert said[1:] in client.get("/studies/shop").text
    assert said[1:] in client.get("/studies/shop/report").text
    assert client.get("/api/v1/studies/shop").json()["about_alarm"] == said
    off = Study.create(Problem(graph, set=["discount"]), 20, name="off", storage=url, alarm=0)
    assert off.status()["about_alarm"] == "the alarm is off: nothing compares the rounds with the graph"
