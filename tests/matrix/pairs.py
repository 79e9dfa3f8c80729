"""Two features of a study together: a small example of each feature, and a short way through a study that has both."""

import csv
import itertools
from dataclasses import replace

import bestdo
from bestdo.bandit import combinations as table
from bestdo.study import Study
from matrix.kinds import Kind, context, options, outcome, text

KINDS = {
    table.SUCCESS: {},
    table.WORTH: {"reward": "worth"},
    table.NUMBER: {"reward": "number"},
    table.UNBOUNDED: {"reward": "number"},
    table.COUNT: {"reward": "count"},
    table.CONTEXTS: {"contexts": True},
    table.LIMITS: {"limits": True},
    table.ALWAYS: {"limits": True},
    table.EARN: {"earn": True},
    table.DOUBTS: {"doubts": True},
    table.COSTS: {"costs": True},
    table.LATE: {"late": True},
}
"""Features of a problem's file, as the kinds of studies have them."""
ARGUMENTS = {
    table.AT_ONCE: {"at_once": 3},
    table.WAIT: {"wait": True},
    table.UNTIL_SURE: {"until_sure": 0.9},
    table.BLOCKS: {"learner": "thompson", "parameters": {"block": 3}},
    table.PLAIN_LEARNER: {"learner": "successive-rejects"},
    table.LAW_LEARNER: {"learner": "algorithm-2"},
}
"""Features that are arguments of `Study.create`."""


def _tables(words):
    """The file with tables of all variables with values but the reward."""
    graph = bestdo.read(words.replace("?->", "->")).graph
    parts = [words]
    for name in graph.names:
        variable, causes = graph.variable(name), graph.parents[name]
        if name == graph.reward or variable.number is not None:
            continue
        if not variable.kind.values:
            whens = itertools.product(*(graph.variable(cause).values for cause in causes))
            rows = [f"{{ when = {list(when)}, mean = 5.0, spread = 2.0 }}" for when in whens]
            parts.append(f'[numbers.{name}]\ngiven = {list(causes)}\nshape = "beta"\nrows = [{", ".join(rows)}]')
            continue
        shares = [0.7, *[0.3 / (len(variable.values) - 1)] * (len(variable.values) - 1)]
        whens = itertools.product(*(graph.variable(cause).values for cause in causes))
        rows = [f"{{ when = {list(when)}, p = {shares} }}" for when in whens]
        parts.append(f"[tables.{name}]\ngiven = {list(causes)}\nrows = [{', '.join(rows)}]" if causes else "")
        parts += [] if causes else [f"[tables]\n{name} = {shares}"]
    first = [part for part in parts if part.startswith("[tables]")]
    alone = "[tables]\n" + "\n".join(part.removeprefix("[tables]\n") for part in first)
    return "\n\n".join([*(part for part in parts if part not in first), alone]).replace("'", '"')


def _tables_if_one_graph(words):
    """The file with tables, which a fixed plan and some learners need; as it is where arrows are in doubt."""
    return words if "[tables" in words or "?->" in words else _tables(words)


_NUMBER = "[variables.relief]\nnumber = true\n"

EDITS = {
    table.UNBOUNDED: lambda words: words.replace(f"{_NUMBER}low = 0.0\nhigh = 10.0\n", _NUMBER),
    table.DOUBTS_AT_REWARD: lambda words: words.replace('"marker -> relief"', '"marker -> relief", "dose ?-> relief"'),
    table.HIDDEN: lambda words: words.replace('"marker -> relief"', '"marker -> relief", "mood -> relief"').replace(
        "[variables.marker]", '[variables.mood]\nvalues = ["low", "high"]\nhidden = true\n\n[variables.marker]'
    ),
    table.ALWAYS: lambda words: words.replace("at_most = 0.4", 'at_most = 0.4\nalways = true\nsafe = ["do(drug=A)"]'),
    table.NO_WATCHING: lambda words: words.replace(
        'set = ["drug", "dose"]\nat_most = 1', 'list = ["do(drug=A)", "do(drug=B)", "do(dose=low)", "do(dose=high)"]'
    ),
    table.TABLES: _tables,
    table.LAW_LEARNER: _tables_if_one_graph,
    table.FIXED_PLAN: _tables_if_one_graph,
}
"""Features that are changes of the text of a file; the last ones are of the whole text."""


def tried(one, other, folder, storage):
    """Plans or plays a small study with two features; raises the error of what refuses them."""
    both, kind = (one, other), Kind()
    for feature in both:
        kind = replace(kind, **KINDS.get(feature, {}))
    words = text(kind)
    for feature, edit in EDITS.items():
        words = edit(words) if feature in both else words
    file = folder / "problem.toml"
    file.write_text(words, encoding="utf-8")
    said = options(kind)
    for feature in both:
        said |= ARGUMENTS.get(feature, {})
    if table.FIXED_PLAN in both:
        amount = {"budget": 20.0} if kind.costs else {"rounds": 6}
        problem = bestdo.compose(file, goal=said["goal"])
        if table.OLD_DATA in both:
            problem = bestdo.compose(file, data=_old_rounds(problem.problem, folder / "old.csv"))
        assert bestdo.fixed_plan(problem, **amount).sheet()
        return
    study = Study.create(file, name=f"{one.name} and {other.name}", storage=storage, **said)
    if table.OLD_DATA in both:
        assert study.observe(_old_rounds(study.problem, folder / "old.csv")).rows == 12
    _played(kind, study, 12 if table.UNBOUNDED in both else 2)  # so many show how far numbers are apart
    assert study.best().in_words
    assert study.findings().as_data()["recommendation"]
    assert bestdo.rehearse(study, rounds=2, worlds=2, progress=False).advice


def _played(kind, study, rounds):
    """Rounds of a study, told; where results are late, with one more that is out."""
    out = []
    for number in range(rounds + kind.late):
        seen = context(kind, number)
        (one,) = study.ask(f"worker {number}", context=seen)
        out.append((one, seen))
        if len(out) > kind.late:
            one, seen = out.pop(0)
            study.tell(one.number, _seen(study.problem, one.number, one.action, seen))


def _seen(problem, number, action, seen):
    """The values of a round but those of hidden variables."""
    return {k: v for k, v in outcome(problem, number, action, seen).items() if k not in problem.graph.hidden}


def _old_rounds(problem, path):
    """A table of twelve rounds in which nobody set anything."""
    rows = [_seen(problem, number, {}, None) for number in range(12)]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
