"""Answers of an example study: over REST, as pages, in the terminal and in Python, without what depends on the clock."""

import atexit
import re
from functools import cache
from types import SimpleNamespace
from unittest import mock

from starlette.testclient import TestClient

from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.web.access import Access
from bestdo.web.app import application
from bestdo.web.study_cache import to_slug
from bestdo.web.workers.sandbox_client import Sandbox
from net.example_studies import STUDIES, played_study, problem_file
from net.kept import as_text
from support import ROOT, bestdo
from web_support import EDITOR, HERE, PORT, VIEWER

COMPANION = "a companion"
API_PARTS = ("", "/problem", "/version", "/best", "/rounds", "/history", "/old")
PAGES = ("", "/actions", "/rounds", "/live", "/report", "/log", "/settings", "/old", "/rounds/1", "/export.csv",
         "/problem.toml", "/moves.svg", "/rule.json", "/rule.csv", "/rule.py")  # fmt: skip
COMMANDS = ("best", "best -f json", "status", "status -f json", "history", "history -f json")


def study_answers(name, folder):
    """All texts of an example study; its log, imported elsewhere, must give the same."""
    url = f"sqlite:///{folder}/net.db"
    study = played_study(name, url, folder)
    Study.create(ROOT / "examples" / "farm.toml", 20, name=COMPANION, storage=url, learner="ucb", seed=5)
    before = without_clock(in_python(study), folder)
    copy = imported(f"sqlite:///{folder}/copy.db", exported(study))
    assert without_clock(in_python(copy), folder) == before
    assert exported(copy) == exported(study)
    texts = {f"python {k}": v for k, v in before.items()}
    texts |= {f"terminal {k}": v for k, v in in_terminal(name, url, folder).items()}
    with web_client(url) as client:
        texts |= {f"page {k}": v for k, v in pages(client, name).items()}
        texts |= {f"rest {k}": v for k, v in rest(client, name, STUDIES[name], study.problem.first).items()}
    return without_clock(texts, folder)


def in_python(study):
    """What a study says in Python."""
    best, texts = study.best(), {"study": repr(study), "html": study._repr_html_()}
    texts |= {"best": repr(best), "best in words": best.in_words, "limits": best.about_limits}
    texts |= {"status": as_text(study.status()), "alarms": as_text([repr(alarm) for alarm in study.alarms()])}
    texts |= {"estimates": estimates_text(study.estimates()), "estimates html": study.estimates()._repr_html_()}
    texts |= {"frame": repr(study.estimates().to_frame("polars").to_dicts())}
    if study.problem.first:
        texts |= {"rule": str(study.rule()), "rule as data": as_text(study.rule().as_data())}
    if study.problem.doubts is not None:
        texts["arrows"] = as_text([one.as_data() for one in study.arrows()])
    texts["rounds"] = as_text(study.rounds())
    return texts


def estimates_text(found):
    """The numbers of estimates by their `repr`, a line for each part."""
    parts = ("mean", "low", "high", "p_best", "played", "seen", "dropped", "keeps")
    if not found.limits:
        found = found._replace(keeps=None)  # written as before there was a value for no limits
    return "\n".join([repr(found), *(f"{part} {_list(getattr(found, part))}" for part in parts)])


def _list(value):
    return None if value is None else repr(value.tolist())


def in_terminal(name, url, folder):
    """What commands print on a study, and `check` on its problem, with exit code."""
    at = ("--storage", url, "--study", name)
    texts = {command: printed(*command.split(), *at) for command in COMMANDS}
    texts["export"] = printed("export", *at, "-o", folder / "rounds.csv") + (folder / "rounds.csv").read_text()
    texts["studies"] = printed("studies", "--storage", url)
    file = problem_file(name, folder)
    texts |= {"check": printed("check", file), "check -f json": printed("check", file, "-f", "json")}
    return texts


def printed(*arguments, cwd=None):
    """What a command prints, its messages and its exit code."""
    done = bestdo(*arguments, cwd=cwd)
    return f"{done.stdout}{done.stderr}[exit code {done.returncode}]\n"


@cache
def _sandbox():
    """One process for all pages that carries out orders."""
    made = Sandbox()
    atexit.register(made.close)
    return SimpleNamespace(run=made.run, warm=made.warm, leave=made.leave, close=lambda: None)


def web_client(url):
    """A program that may record, on a page of its own in this process."""
    with mock.patch("bestdo.web.app.Sandbox", _sandbox), mock.patch("bestdo.web.app.warm"):
        app = application(url, Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True))
    return TestClient(app, base_url=HERE, follow_redirects=False, headers={"Authorization": f"Bearer {EDITOR}"})


def pages(client, name):
    """The pages of a study, the list of studies, and the comparison with a companion."""
    at = f"/studies/{to_slug(name)}"
    texts = {each or "study": answered(client.get(at + each)) for each in PAGES}
    texts["list"] = answered(client.get("/", params={"sort": "name"}))
    texts["compare"] = answered(client.get("/compare", params={"study": [name, COMPANION]}))
    return texts


def rest(client, name, example, first):
    """Answers over REST; the last one hands out rounds, and says why these."""
    at = f"/api/v1/studies/{to_slug(name)}"
    texts = {each or "status": answered(client.get(at + each)) for each in API_PARTS}
    texts["studies"] = answered(client.get("/api/v1/studies"))
    order = {"worker": "Dora", "n": 2, **({"context": {first[0]: _first_value(client, at, first[0])}} if first else {})}
    texts["ask"] = answered(client.post(f"{at}/ask", json=order))
    texts["page with rounds in hand"] = answered(client.get(f"/studies/{to_slug(name)}"))
    texts["status after ask"] = answered(client.get(at))
    return texts


def _first_value(client, at, variable):
    """A value of a variable that is seen first: that of the first round."""
    return client.get(f"{at}/rounds").json()[0]["context"].get(variable, "")


def answered(answer):
    """An answer with its code: JSON with a line for each value, all else as it is."""
    kind = answer.headers.get("content-type", "")
    text = as_text(answer.json()) if "json" in kind else answer.text
    return f"{answer.status_code} {kind}\n{text}"


def described(folder):
    """The description of the JSON interface."""
    with web_client(f"sqlite:///{folder}/none.db") as client:
        return {"openapi.json": answered(client.get("/api/v1/openapi.json"))}


_CLOCK = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d( UTC)?"), "<time>"),
    (re.compile(r"\b1[789]\d{8}(\.\d+)?\b"), "<seconds>"),
    (re.compile(r": \d+\.\d s; "), ": <seconds> s; "),
    (re.compile(r"\?v=[0-9a-f]{12}"), "?v=<contents>"),
    (re.compile(r"guest [0-9a-f]{4}"), "guest"),
    (re.compile(re.escape(EDITOR)), "<token>"),
)
"""What depends on the clock, on chance or on static files, and what stands in its place."""


def without_clock(texts, folder):
    """The texts with words in the place of times, tokens and the folder."""
    return {entry: _plain(text, folder) for entry, text in texts.items()}


def _plain(text, folder):
    for pattern, word in _CLOCK:
        text = pattern.sub(word, text)
    return text.replace(str(folder), "<folder>").replace(str(ROOT), "<root>")
