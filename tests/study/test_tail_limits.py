"""A study with a limit on a tail: one answer at every door, numbers that are told, old data, a rehearsal."""

import json
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from bestdo.cli import bestdo as command
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.usecases.rehearse import rehearse
from bestdo.web.access import Access
from bestdo.web.app import application
from support import problem_text
from web_support import EDITOR, HERE, PORT, VIEWER

TEXT = problem_text(
    {
        "carrier": ["post", "own"],
        "delivery": 'number = true, low = 0.0, high = 120.0, unit = "h"',
        "sale": ["no", "yes"],
    },
    "carrier -> delivery; carrier -> sale",
    'reward = "sale"; success = "yes"',
    ["carrier"],
    """\
[[limits]]
variable = "delivery"
above = 48.0
at_most = 0.25
""",
)
WORDS = "P(delivery > 48) at most 0.25"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "firm.toml").write_text(TEXT)
    return str(tmp_path / "firm.toml")


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/a.db"


def told(file, url, rounds=60):
    """The post sells more, and one in two of its deliveries comes late; the mean of both carriers is the same."""
    study, rng = Study.create(file, rounds=100, name="firm", storage=url, seed=1), np.random.default_rng(4)
    for _ in range(rounds):
        (each,) = study.ask()
        post = each.action.get("carrier", "post") == "post"
        hours = (50.0 if rng.random() < 0.5 else 2.0) if post else rng.uniform(10, 40)
        sale = rng.random() < (0.9 if post else 0.6)
        study.tell(
            each.number,
            {"carrier": "post" if post else "own", "delivery": f"{hours:.1f}", "sale": "yes" if sale else "no"},
        )
    return study


def test_one_answer_at_every_door(file, url, tmp_path):
    study = told(file, url)
    best = study.best()
    assert str(best.action) == "do(carrier=own)"
    assert best.within_limits
    assert study.estimates().keeps[0, 1] < 0.05
    run = CliRunner().invoke(command, ["best", "--storage", url])
    assert f"within the limit: {WORDS}" in run.output
    assert best.about_limits in run.output
    data = json.loads(CliRunner().invoke(command, ["best", "--storage", url, "-f", "json"]).output)
    assert (data["limits"], data["keeps_limits"]) == ([WORDS], best.keeps)
    access = Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)
    with TestClient(application(url, access), base_url=HERE) as client:
        client.headers["Authorization"] = f"Bearer {EDITOR}"
        api = client.get("/api/v1/studies/firm/best").json()
        page, report = (unescape(client.get(f"/studies/firm{more}").text) for more in ("", "/report"))
    assert (api["limits"], api["keeps_limits"]) == ([WORDS], best.keeps)
    for text in (page, report):
        assert best.about_limits[1:] in text
    assert WORDS in report
    again = imported(f"sqlite:///{tmp_path}/b.db", json.loads(json.dumps(exported(study))))
    assert again.problem == study.problem
    assert again.best() == best
    assert Study.open("firm", url).best() == best


def test_check_and_rehearsal_speak_of_it(file):
    run = CliRunner().invoke(command, ["check", file])
    assert WORDS in run.output, run.output
    table = rehearse(file, rounds=[20], learners=["top-two"], worlds=40, seed=1, progress=False).rows
    assert all(0 <= row["breaks"] <= 1 and 0 < row["no_action_keeps"] < 1 for row in table)


def test_old_data_count_only_for_what_was_done(file, url, tmp_path):
    """Old rounds show the number, or do not: those in which it is not known say nothing of the limit."""
    study = Study.create(file, rounds=100, name="firm", storage=url, seed=1)
    nothing = study.estimates().keeps
    (tmp_path / "old.csv").write_text("carrier,delivery,sale\n" + "own,,yes\n" * 20)
    study.observe(tmp_path / "old.csv")
    np.testing.assert_array_equal(study.estimates().keeps, nothing)
    (tmp_path / "more.csv").write_text("carrier,delivery,sale\n" + "own,20,yes\n" * 20)
    study.observe(tmp_path / "more.csv")
    keeps = study.estimates().keeps[0]
    assert keeps[2] > 0.9
    assert keeps[1] <= 0.25 + 1e-9


def test_a_number_on_the_border_is_within(file, url):
    study = Study.create(file, rounds=100, name="firm", storage=url, learner="top-two")
    for _ in range(30):
        (each,) = study.ask()
        study.tell(each.number, {"carrier": "own", **each.action, "delivery": "48", "sale": "yes"})
    assert study.estimates().keeps.min() > 0.25
