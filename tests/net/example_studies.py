"""Example studies: each with a fixed seed, and fed with outcomes that depend on the study, the round and the action alone."""

import random
import zlib
from dataclasses import dataclass, field

import bestdo
from bestdo.errors import Finished, Waiting
from bestdo.study import Study
from support import ROOT

EXAMPLES = ROOT / "examples"
SHADE = (EXAMPLES / "shade.toml").read_text(encoding="utf-8")

WRONG = {"drying=4h part": -30.0, "drying=2h part": 30.0}
"""Effects of an arrow that the graph does not have."""


@dataclass(frozen=True)
class Example:
    """A study to be played."""

    problem: object
    """A file, or the text of one."""
    options: dict
    """Of `Study.create`."""
    rounds: int = 30
    """How many are played, if it does not end before."""
    at_once: int = 1
    """How many are asked for before the first of them is told."""
    behind: bool = False
    """Whether results are told only when the next rounds were asked for; those of the last ones stay out."""
    old: str = ""
    """A table of old data."""
    corrections: bool = False
    """Whether some rounds are withdrawn, amended and undone, and remarks are made."""
    changes: bool = False
    """Whether the study is extended and gets another learner on its way."""
    beyond: dict = field(default_factory=dict)
    """Causes of a variable that the graph does not know, by variable."""
    effects: dict = field(default_factory=dict)
    """Effects of a cause's value on a variable, where they are not those made from the names."""


STUDIES = {
    "farm": Example("farm.toml", {"rounds": 60}, corrections=True),
    "farm with old data": Example("farm.toml", {"rounds": 40, "seed": 1}, rounds=16, old="farm_log.csv"),
    "farm until sure": Example("farm.toml", {"rounds": 200, "until_sure": 0.9, "seed": 2}, rounds=200,
                               effects={"moisture=wet yield": 30.0, "moisture=dry yield": -4.0}),
    "paper in phases": Example("paper.toml", {"rounds": 40, "learner": "successive-rejects"}, rounds=25, at_once=3),
    "paper waits": Example("paper.toml", {"rounds": 40, "learner": "ucb", "wait": True, "at_once": 4}, rounds=13, at_once=4),
    "school late": Example("school.toml", {"rounds": 50, "at_once": 6, "lease": 0}, rounds=24, at_once=3, behind=True),
    "moulding": Example("moulding.toml", {"budget": 60.0}, rounds=24),
    "harvest": Example("harvest.toml", {"rounds": 60}, rounds=30, changes=True),
    "service": Example("service.toml", {"rounds": 60}, rounds=30),
    "psa": Example("psa.toml", {"rounds": 60, "learner": "top-two"}, rounds=24),
    "visits": Example("visits.toml", {"rounds": 80}, rounds=30),
    "visits until sure": Example("visits.toml", {"rounds": 80, "until_sure": 0.9}, rounds=20),
    "orders": Example("orders.toml", {"rounds": 80}, rounds=24, at_once=2, behind=True),
    "orders earn": Example("orders.toml", {"rounds": 80, "goal": "earn"}, rounds=20),
    "ads earn": Example("ads.toml", {"rounds": 60, "goal": "earn"}, rounds=30),
    "moulding earn": Example("moulding.toml", {"budget": 60.0, "goal": "earn"}, rounds=20),
    "shade": Example("shade.toml", {"rounds": 60}, rounds=30),
    "shade and hidden": Example(
        SHADE.replace('"shade ?-> yield"]', '"shade ?0.3-> yield", "watering ?0.4<-> yield"]'), {"rounds": 60}, rounds=24
    ),
    "shade which way": Example(
        SHADE.replace('"watering -> moisture"', '"watering ?-? moisture"'), {"rounds": 60, "goal": "earn"}, rounds=20
    ),
    "graph mended": Example("moulding.toml", {"budget": 300.0}, rounds=100, beyond={"part": ("drying",)}, effects=WRONG),
    "graph contradicted": Example("moulding.toml", {"budget": 300.0, "learner": "algorithm-1"}, rounds=100,
                                  beyond={"part": ("drying",)}, effects=WRONG),
}  # fmt: skip
"""Success, worth and numbers; limits; contexts; both goals; doubts; costs; old data; late results; certainty; phases."""


def problem_file(name, folder):
    """The file of a study's problem."""
    problem = STUDIES[name].problem
    if "\n" not in problem:
        return EXAMPLES / problem
    path = folder / "problem.toml"
    path.write_text(problem, encoding="utf-8")
    return path


def played_study(name, url, folder):
    """A study in a database, after its rounds."""
    example = STUDIES[name]
    study = Study.create(problem_file(name, folder), name=name, storage=url, **({"seed": 3} | example.options))
    if example.old:
        study.observe(EXAMPLES / example.old, who="Ann")
    _play(study, example, name)
    return study


def _play(study, example, name):
    """Asks and tells until the rounds are played, nothing is left, or nothing more can be known."""
    done, out = 0, []
    while done < example.rounds:
        worker = ("Ann", "Ben")[done // example.at_once % 2]
        context = _context(study.problem, name, done) if study.problem.first else None
        try:
            asked = study.ask(worker, example.at_once, context=context)
        except (Finished, Waiting):
            return
        out.append((worker, context, asked))
        if len(out) > example.behind:
            _tell(study, example, name, *out.pop(0))
        done += len(asked)
        if example.corrections and done in (6, 12, 18):
            _correct(study, example, name, done)
        if example.changes and done == 15:
            study.extend(70, "more plots", who="Ann")
            study.change_learner("top-two", "simpler", who="Ann")


def _tell(study, example, name, worker, context, asked):
    """Tells what these rounds showed, the last first: results come in another order than rounds went out."""
    for one in reversed(asked):
        study.tell(one.number, outcome(study.problem, example, name, one.number, one.action, context), who=worker)


def _correct(study, example, name, done):
    """Remarks, rounds that are lost or were never played, an amended and a retold round."""
    problem = study.problem
    study.note("rain on all days", done - 1, who="Ben")
    (lost,) = study.ask("Cem")
    study.withdraw(lost.number, "hail", lost=done == 12, who="Cem")
    study.undo(done - 2, "the wrong plot", who="Ben")
    again = next(each for each in study.rounds() if each["number"] == done - 2)
    action = bestdo.Intervention.parse(again["action"])
    study.tell(done - 2, outcome(problem, example, name, 1000 + done, action, None), who="Ben")
    amended = next(each for each in study.rounds() if each["number"] == done - 3)
    values = problem.graph.variable("yield").values
    study.amend(done - 3, {"yield": values[done // 6 % 2]}, f"{amended['action']} was misread", who="Ben")


def outcome(problem, example, name, number, action, context):
    """What a round shows: values of all observed variables, drawn from tables made from names alone."""
    graph, drawn = problem.graph, dict(action) | dict(context or {})
    chance = random.Random(f"{name} {number}")

    def value(variable):
        if variable not in drawn:
            causes = [*sorted(graph.parents[variable]), *example.beyond.get(variable, ())]
            effect = sum(_effect(f"{cause}={value(cause)} {variable}", example.effects) for cause in causes)
            drawn[variable] = _drawn(graph.variable(variable), effect, chance)
        return drawn[variable]

    for variable in sorted(graph.names):
        value(variable)
    return {variable: drawn[variable] for variable in graph.observed}


def _context(problem, name, number):
    """What is seen first; now and then one of the variables is not known."""
    chance = random.Random(f"{name} context {number}")
    seen = {variable: chance.choice(problem.graph.variable(variable).values) for variable in problem.first}
    if number % 7 == 6:
        seen.popitem()
    return seen


def _drawn(variable, effect, chance):
    """A value of a variable: the higher the effect, the likelier the last ones; a number around its middle or 5."""
    if variable.number is not None:
        low, high = variable.number.low or 0.0, variable.number.high or 10.0
        share = min(max(0.5 + 0.15 * effect + chance.uniform(-0.2, 0.2), 0.0), 1.0)
        return round(low + (high - low) * share, 2)
    weights = [
        1.0 + max(-0.9, effect * (place / (len(variable.values) - 1) - 0.5)) for place in range(len(variable.values))
    ]
    return chance.choices(variable.values, weights)[0]


def _effect(text, known):
    """The effect that is known of a text, or a number between -1 and 1 that the text always has."""
    return known[text] if text in known else (zlib.crc32(text.encode()) % 2001) / 1000 - 1
