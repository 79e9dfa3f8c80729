"""The rule of a study wherever it is read: command line, JSON, CSV, a Python program on its own, the web interface."""

import csv
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from bestdo.cli import bestdo as command
from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.study.rule_file import rule_file
from bestdo.web.access import Access
from bestdo.web.app import application
from support import problem_text
from web_support import EDITOR, HERE, PORT, VIEWER

TEXT = problem_text(
    {
        "device": ["mobile", 'a "desktop"'],
        "age": 'values = ["young", "old"], cut = [40.0]',
        "banner": ["small", "=large"],
        "revenue": "number = true",
    },
    "device -> revenue; age -> revenue; banner -> revenue",
    'reward = "revenue"; aim = "minimise"',
    ["banner"],
    """\
[problem]
first = ["device", "age"]
""",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file and a study of it in which 48 rounds were told."""
    place = tmp_path_factory.mktemp("shop")
    (place / "shop.toml").write_text(TEXT)
    study = Study.create(place / "shop.toml", 60, storage=f"sqlite:///{place}/study.db")
    for i in range(48):
        device = ("mobile", 'a "desktop"')[i % 2]
        (asked,) = study.ask(context={"device": device, "age": 30 + i % 3 * 10})
        banner = asked.action.get("banner", ("small", "=large")[i % 4 // 2])
        lost = 5 * ((device == "mobile") == (banner == "small"))
        study.tell(asked.number, {"banner": banner, "revenue": 1 + lost + i % 5 / 9})
    return place


def run(folder, *arguments):
    return CliRunner().invoke(command, [*arguments, "--storage", f"sqlite:///{folder}/study.db"])


def test_the_command_line(folder):
    shown = run(folder, "best")
    assert shown.exit_code == 0, shown.output
    rule = Study.open("shop", f"sqlite:///{folder}/study.db").rule()
    for line in rule.lines:
        assert str(line) in shown.output
    assert "worth having with probability" in shown.output
    assert "device=mobile, age=young" in shown.output
    assert json.loads(run(folder, "best", "-f", "json").output)["rule"] == rule.as_data()
    asked = json.loads(run(folder, "ask", "--seen", "device=mobile", "--seen", "age=39,5", "-f", "json").output)
    assert asked[0]["context"] == {"device": "mobile", "age": "39,5"}
    assert "device=mobile, age=39,5" in run(folder, "history").output
    assert "device=mobile" in run(folder, "status").output
    told = run(folder, "tell", str(asked[0]["number"]), "revenue=5,5")
    assert told.exit_code == 0, told.output
    (folder / "queue.csv").write_text("device;age;visitor\nmobile;;1\n;51;2\n")
    several = json.loads(run(folder, "ask", "--contexts", str(folder / "queue.csv"), "-f", "json").stdout)
    assert [each["context"] for each in several] == [{"device": "mobile"}, {"age": "51"}]
    for wrong, words in (
        ([], "--seen 'device=…' --seen 'age=…'"),
        (["--seen", "device=phone"], "unknown value 'phone'"),
        (["--seen", "age=youngg"], "(did you mean 'young'?)"),
        (["--seen", "banner=small"], "is not seen first"),
        (["--seen", "colour=red"], "allowed: 'device', 'age'"),
        (["--seen", "age=old", "--contexts", "x.csv"], "either by --seen or by --contexts"),
    ):
        done = run(folder, "ask", *wrong)
        assert done.exit_code == 1
        assert words in str(done.exception) + done.output


def test_the_files(folder):
    rule = Study.open("shop", f"sqlite:///{folder}/study.db").rule()
    for name in ("rule.json", "rule.csv", "rule.py"):
        done = run(folder, "export", "--rule", str(folder / name))
        assert done.exit_code == 0, done.output
    data = json.loads((folder / "rule.json").read_text())
    assert data.pop("bestdo rule") == 1
    assert data == rule.as_data()
    assert data["cuts"] == {"age": [40]}
    Study.open("shop", f"sqlite:///{folder}/study.db").save_rule(folder / "same.json")
    assert (folder / "same.json").read_bytes() == (folder / "rule.json").read_bytes()
    rows = list(csv.DictReader((folder / "rule.csv").read_text().splitlines()))
    assert [row["action"] for row in rows] == [str(one.action) for one in rule.contexts]
    assert {row["set banner"] for row in rows} <= {"small", "=large"}  # exact, for programs
    assert {(row["age"], row["age from"], row["age below"]) for row in rows} == {
        ("young", "", "40.0"),
        ("old", "40.0", ""),
    }
    with pytest.raises(BestdoError, match=r"\.json, \.csv or \.py"):
        rule_file(rule, "rule.txt")


def test_the_program_runs_alone_and_does_what_the_rule_does(folder):
    rule = Study.open("shop", f"sqlite:///{folder}/study.db").rule()
    (folder / "alone.py").write_bytes(rule_file(rule, "alone.py"))
    space = {"__name__": "alone"}
    exec(compile((folder / "alone.py").read_text(), "alone.py", "exec"), space)
    for device in ("mobile", 'a "desktop"', None):
        for age in ("old", 39.9, 40, "12,5", None):
            assert space["rule"]({"device": device, "age": age}) == dict(rule.action({"device": device, "age": age}))
    for wrong in ({"device": "phone"}, {"banner": "small"}):
        with pytest.raises(ValueError, match=r"unknown value|not seen first"):
            space["rule"](wrong)
    assert space["rule"]({"Device": "MOBILE", "age": "OLD "}) == space["rule"]({"device": "mobile", "age": "old"})
    line = [sys.executable, "-I", "-S", str(folder / "alone.py"), "device=mobile", "age=50"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    expected = rule.action({"device": "mobile", "age": 50})
    assert done.stdout == "".join(f"{n}={v}\n" for n, v in expected.items())
    assert "python alone.py device=mobile age=young" in (folder / "alone.py").read_text()
    for wrong in ("device=phone", "age=x", "age"):
        failed = subprocess.run([*line[:4], wrong], capture_output=True, text=True, check=False)
        assert failed.returncode == 1
        assert failed.stderr.startswith(str(folder / "alone.py")), failed.stderr
        assert "Traceback" not in failed.stderr


def test_programs_ask_with_a_context(folder):
    access = Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)
    with TestClient(application(f"sqlite:///{folder}/study.db", access), base_url=HERE) as client:
        client.headers["Authorization"] = f"Bearer {EDITOR}"
        asked = client.post("/api/v1/studies/shop/ask", json={"context": {"device": "mobile", "age": 70}})
        assert asked.status_code == 200, asked.text
        assert asked.json()["rounds"][0]["context"] == {"device": "mobile", "age": "70"}
        wrong = client.post("/api/v1/studies/shop/ask", json={"seen": {"device": "mobile"}})
        assert wrong.json()["detail"].endswith("; allowed: worker, n, context, key")
        many = client.post("/api/v1/studies/shop/ask", json={"context": [{"device": "mobile"}, {"age": None}]})
        assert [each["context"] for each in many.json()["rounds"]] == [{"device": "mobile"}, {}]
        assert client.get("/api/v1/studies/shop/best").json()["rule"]["first"]["device"] == ["mobile", 'a "desktop"']
        assert client.get("/api/v1/studies/shop").json()["first"] == ["device", "age"]
        for wrong in ({}, {"context": {"device": "phone"}}, {"context": "mobile"}, {"context": {"x": "y"}}):
            refused = client.post("/api/v1/studies/shop/ask", json=wrong)
            assert 400 <= refused.status_code < 500, refused.text
        assert client.get("/studies/shop").status_code == 200
        assert client.get("/studies/shop/report").status_code == 200
