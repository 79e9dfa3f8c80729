"""Numbers far outside what was told before are questioned on the page, by REST, by commands and on a server."""

import pytest
from click.testing import CliRunner

from bestdo.cli import bestdo as command_line
from bestdo.errors import BestdoError
from bestdo.study import Study, Unusual
from support import problem_text
from web_support import EDITOR, start

SHOP = problem_text(
    {"photo": ["old", "new"], "revenue": 'number = true, unit = "euro"'},
    "photo -> revenue",
    'reward = "revenue"; aim = "maximise"',
    ["photo"],
)
USUAL = [290, 250, 300, 260, 240, 280, 275, 255, 265, 270]
FAR = "is 12,000 euro, 40 times the largest so far (300 euro); if it is right, say that you are sure"


def said(storage, *arguments):
    """What a command says, or its error, and its exit code."""
    try:
        done = CliRunner().invoke(command_line, [*arguments, "--storage", storage], catch_exceptions=False)
    except BestdoError as error:
        return str(error), 1
    return done.stderr, done.exit_code


@pytest.fixture
def shop(client):
    """A study in which round 11 is out."""
    assert client.post("/api/v1/studies", json={"name": "shop", "problem": SHOP, "rounds": 40}).status_code == 201
    assert client.post("/api/v1/studies/shop/ask", json={"worker": "Ada", "n": 11}).status_code == 200
    rounds = [{"number": n, "values": {"revenue": revenue}} for n, revenue in enumerate(USUAL, 1)]
    told = client.post("/api/v1/studies/shop/tell", json={"rounds": rounds})
    assert [each["trouble"] for each in told.json()] == [None] * 10


def test_programs_confirm_a_far_number(client, shop):
    at, far = "/api/v1/studies/shop/rounds/11/tell", {"values": {"revenue": 12_000}}
    refused = client.post(at, json=far)
    assert (refused.status_code, refused.json()["kind"]) == (422, "unusual")
    assert FAR in refused.json()["detail"]
    several = client.post("/api/v1/studies/shop/tell", json={"rounds": [{"number": 11, **far}]})
    assert several.json()[0]["trouble"]["kind"] == "unusual"
    for _ in range(2):
        assert client.post(at, json={**far, "sure": True}).status_code == 204
    assert client.post(at, json=far).status_code == 204  # the same again
    amended = {"values": {"revenue": 0.001}, "why": "misread"}
    at = "/api/v1/studies/shop/rounds/11/amend"
    assert client.post(at, json=amended).json()["kind"] == "unusual"
    assert client.post(at, json={**amended, "sure": True}).status_code == 204


def test_people_confirm_a_far_number_on_the_page(client, shop):
    typed = {"v:revenue": "12000"}
    for answer, code in (
        (client.post("/studies/shop/rounds/11/check", data=typed), 200),
        (client.post("/studies/shop/rounds/11", data=typed), 422),
    ):
        assert answer.status_code == code
        assert "40 times the largest so far" in answer.text
        assert '<input type="checkbox" name="sure" value="yes"> Yes, I am sure' in answer.text
        assert 'name="happened"' not in answer.text
    assert 'value="12000"' in answer.text  # nothing that was typed is lost
    sure = client.post("/studies/shop/rounds/11/check", data={**typed, "sure": "yes"}).text
    assert "Will be recorded" in sure
    assert 'name="sure" value="yes" checked' in sure
    other = client.post("/studies/shop/rounds/11/check", data={"v:revenue": "280", "sure": "yes"}).text
    assert 'name="sure"' not in other  # another number is not confirmed by it
    assert client.post("/studies/shop/rounds/11", data={**typed, "sure": "yes"}).status_code == 303
    corrected = {"v:revenue": "0,5", "why": "misread"}
    refused = client.post("/studies/shop/rounds/11/amend", data=corrected)
    assert refused.status_code == 422
    assert 'name="sure" value="yes"> Yes' in refused.text
    assert client.post("/studies/shop/rounds/11/amend", data={**corrected, "sure": "yes"}).status_code == 303


def test_commands_and_programs_here_and_on_a_server(tmp_path):
    running = start(f"sqlite:///{tmp_path}/page.db")
    try:
        there, here = f"{running.address}/?token={EDITOR}", f"sqlite:///{tmp_path}/here.db"
        (tmp_path / "shop.toml").write_text(SHOP)
        life = [
            ("new", str(tmp_path / "shop.toml"), "--rounds", "40"),
            ("ask", "-n", "12"),
            *(("tell", str(n), f"revenue={revenue}") for n, revenue in enumerate(USUAL, 1)),
        ]
        answers = [
            ("--sure", ("amend", "1", "revenue=-290", "--why", "misread")),
            ("amended round 1", ("amend", "1", "revenue=-290", "--why", "misread", "--sure")),
            ("amended round 1", ("amend", "1", "revenue=290", "--why", "misread again", "--sure")),
            (FAR + ": --sure", ("tell", "11", "revenue=12000")),
            ("told round 11", ("tell", "11", "revenue=12000", "--sure")),
        ]
        for command in life:
            assert said(here, *command)[-1] == said(there, *command)[-1] == 0
        for words, command in answers:
            one, other = said(here, *command), said(there, *command)
            assert one == other
            assert words in one[0]
        study = Study.open("shop", there)
        with pytest.raises(Unusual):
            study.tell(12, {"revenue": 1e6})
        study.tell(12, {"revenue": 1e6}, sure=True)
    finally:
        running.stop()
