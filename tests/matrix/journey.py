"""The journey of a study of any kind: created, asked, told, answered here and on a server, exported, imported, rehearsed."""

import json
import urllib.request
from dataclasses import dataclass

from click.testing import CliRunner

import bestdo
from bestdo.cli import bestdo as command_line
from bestdo.study import Study
from matrix.kinds import context, options, outcome, text
from web_support import EDITOR

ROUNDS = 8
RETIRING, GONE = 5, "do(drug=B)"
"""Before which round an action is retired."""


@dataclass(frozen=True)
class Travelled:
    """What a journey showed."""

    study: Study
    texts: dict
    """Texts for people by where they stand."""
    data: dict
    """The answer as JSON by where it was taken from."""
    views: dict
    """Every other view as JSON by where it was taken from; those that must be the same here and on the server as pairs."""
    files: dict
    """What the report and the page offer for download, by name."""
    rehearsals: list


def travelled(kind, folder, server):
    """The journey of a kind in a folder and on a server; both must go the same way."""
    file, name = folder / "problem.toml", str(kind)
    file.write_text(text(kind), encoding="utf-8")
    here, there = f"sqlite:///{folder}/here.db", f"{server.address}/?token={EDITOR}"
    studies = [Study.create(file, name=name, storage=storage, **options(kind)) for storage in (here, there)]
    asked = [played(kind, study) for study in studies]
    assert asked[0] == asked[1]
    study, remote = studies
    exported = folder / "study.json"
    printed("export", "-o", exported, "--study", name, "--storage", here)
    printed("import", exported, "--storage", f"sqlite:///{folder}/copy.db")
    copies = {
        "here": study,
        "on the server": remote,
        "opened again": Study.open(name, here),
        "opened again on the server": Study.open(name, there),
        "imported": Study.open(name, f"sqlite:///{folder}/copy.db"),
    }
    data = {where: json.loads(json.dumps(each.findings().as_data())) for where, each in copies.items()}
    data |= {f"command {w}": json.loads(printed("best", "-f", "json", "--study", name, "--storage", at))
             for w, at in (("here", here), ("on the server", there))}  # fmt: skip
    data["rest"] = json.loads(got(server, f"/api/v1/studies/{name}/best"))
    texts = {}
    for command in ("best", "status", "history"):
        one, other = (printed(command, "--study", name, "--storage", at) for at in (here, there))
        assert command == "history" or one == other, command
        texts[f"bestdo {command}"] = one
    texts["bestdo check"] = printed("check", file)
    texts |= {"in words": study.best().in_words, "limits in words": study.best().about_limits}
    texts |= {"card of the study": study._repr_html_(), "card of the answer": study.findings()._repr_html_()}
    texts |= {f"page{part}": got(server, f"/studies/{name}{part}") for part in ("", "/report", "/actions")}
    goal = options(kind)["goal"]
    rehearsals = [bestdo.rehearse(each, rounds=4, worlds=4, progress=False) for each in (study, remote)]
    assert rehearsals[0].rows == rehearsals[1].rows
    learner = study.status()["learner"]
    rehearsals[1] = bestdo.rehearse(file, rounds=4, worlds=4, goal=goal, learners=learner, progress=False)
    texts |= {f"advice {number}": each.advice for number, each in enumerate(rehearsals)}
    assert GONE in texts["bestdo status"]
    assert all(str(one.action) != GONE for one in study.findings().rule.contexts)
    return Travelled(
        study, texts, data, views_of(name, file, here, there, server), downloads(kind, name, server), rehearsals
    )


def views_of(name, file, here, there, server):
    """Every view as JSON: of the commands, of a study in Python and over HTTP."""
    studies = [Study.open(name, at) for at in (here, there)]
    views = {"check": parsed(printed("check", file, "-f", "json"))}
    for command in ("status", "history", "studies"):
        at = [["--storage", storage, *(["--study", name] if command != "studies" else [])] for storage in (here, there)]
        views[f"command {command}"] = [parsed(printed(command, "-f", "json", *words)) for words in at]
    for query in ("status", "rounds", "history"):
        views[query] = [parsed(json.dumps(getattr(study, query)(), default=str)) for study in studies]
    for part in ("", "/problem", "/version", "/rounds", "/history", "/old", "/export"):
        views[f"rest{part}"] = parsed(got(server, f"/api/v1/studies/{name}{part}"))
    return views


def downloads(kind, name, server):
    """The files that the page of a study offers, by what they are called."""
    files = ["export.json", "export.csv", "export.parquet", "problem.toml", "moves.json", "moves.svg", "log"]
    files += [f"rule.{form}" for form in ("json", "csv", "py")] if kind.contexts else []
    return {file: fetched(server, f"/studies/{name}/{file}") for file in files}


def parsed(text):
    """A text of JSON as data; NaN and infinity are no JSON."""

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def played(kind, study):
    """Plays rounds; the actions and reasons in their order. Late results are told when two more rounds are out."""
    said, out = [], []
    for number in range(ROUNDS):
        seen = context(kind, number)
        if number == RETIRING:
            study.retire(GONE, "no longer sold")
        (one,) = study.ask(f"worker {number}", context=seen)
        assert number < RETIRING or str(one.action) != GONE
        said.append((one.number, str(one.action), one.reason))
        out.append((one, seen))
        if len(out) > 2 * kind.late:
            one, seen = out.pop(0)
            study.tell(one.number, outcome(study.problem, one.number, one.action, seen), who="Ben")
    return said


def printed(*arguments):
    """What a command prints; it must end well."""
    done = CliRunner().invoke(command_line, [str(each) for each in arguments], catch_exceptions=False)
    assert done.exit_code == 0, (arguments, done.output)
    return done.stdout


def got(server, path):
    """The text of a page or of an answer in JSON."""
    return fetched(server, path).decode()


def fetched(server, path):
    """The bytes of a page, of a file or of an answer in JSON."""
    request = urllib.request.Request(
        server.address + path.replace(" ", "%20"), headers={"Authorization": f"Bearer {EDITOR}"}
    )
    with urllib.request.urlopen(request) as answer:
        return answer.read()
