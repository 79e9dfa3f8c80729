"""Logs that version 0.1 wrote: what they say after they are read, and how they go on."""

import gzip
import json
import shutil

from bestdo.errors import BestdoError
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.storage import Storage
from bestdo.study.study import names
from net.answers import estimates_text, in_python, without_clock
from net.kept import as_text
from support import DATA

HERE = DATA / "v0.1"
EXPORTS = tuple(sorted(path.stem for path in (HERE / "exports").glob("*.json")))
ANSWERS = json.loads((HERE / "answers.json").read_text(encoding="utf-8"))
LEARNERS_THEN = tuple(ANSWERS["learners"])
STUDIES_THEN = tuple(ANSWERS["studies"])
MORE = 4
"""Rounds that are played after those of the log."""


def export_read(stem, folder):
    """An export, imported: what it says, and how it goes on."""
    data = json.loads((HERE / "exports" / f"{stem}.json").read_text(encoding="utf-8"))
    study = imported(f"sqlite:///{folder}/there.db", data)
    assert exported(study) == data
    return _texts(study, folder)


def database_read(file, name, folder):
    """A study in a database of version 0.1: what it says, and how it goes on."""
    (folder / "old.db").write_bytes(gzip.decompress((HERE / f"{file}.db.gz").read_bytes()))
    return _texts(Study.open(name, f"sqlite:///{folder}/old.db"), folder)


def first_schema_read(folder):
    """The studies in a database of the first schema."""
    shutil.copy(DATA / "schema-0001.db", folder / "first.db")
    url, texts = f"sqlite:///{folder}/first.db", {}
    for name in names(Storage(url)):
        texts |= {f"{name} {entry}": text for entry, text in _texts(Study.open(name, url), folder).items()}
    return texts


def _texts(study, folder):
    """What a study says now, the rounds that it hands out next, and what it says then."""
    said = in_python(study)
    before = {entry: said[entry] for entry in ("study", "best", "status", "alarms", "estimates", "rounds")}
    before["history"] = as_text(study.history())
    went_on = _goes_on(study)
    after = {"went on": went_on, "estimates then": estimates_text(study.estimates()), "best then": repr(study.best())}
    return without_clock(before | after, folder)


def _goes_on(study):
    """The rounds that a study hands out next, or why it does not, a line each."""
    lines = []
    for _ in range(MORE):
        try:
            (asked,) = study.ask("eve")
            lines.append(f"{asked.number} {asked.action}: {asked.reason}")
            study.tell(asked.number, _seen(study.problem, asked.action, asked.number), who="eve")
        except BestdoError as error:
            lines.append(f"{type(error).__name__}: {error}")
            break
    return "\n".join(lines)


def _seen(problem, action, number):
    """What a round shows, by a formula."""
    graph, values = problem.graph, {}
    for place, name in enumerate(graph.observed):
        options = graph.variable(name).values
        values[name] = action[name] if name in action else options[(number * (place + 2) + number // 3) % len(options)]
    return values
