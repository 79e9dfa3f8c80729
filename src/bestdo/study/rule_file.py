"""A rule as a file that other programs can use: JSON, a table as CSV, or a Python program that needs nothing else."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bestdo.bandit.rule import Rule
from bestdo.errors import BestdoError, shown
from bestdo.files.atomic_io import write_bytes

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = ["FORMAT", "rule_file", "save_rule"]

FORMAT = 1
"""The version of the exported JSON."""

_PROGRAM = '''\
"""A rule written by bestdo: what to do, by what is seen first ({first}).

{lines}

In Python: rule({{{example}}}) returns what to set, {{}} for nothing. On the command line: python {name} {shell}
"""

from bisect import bisect_right

VALUES = {values}
CUTS = {cuts}  # a number is one of the values by these
ACTIONS = {actions}
CONTEXTS = {contexts}  # for each: how often it occurs, the number of its action, the mean of each action
CAN_BE_BEST = {best}
SIGN = {sign}  # 1: a larger mean is better; -1: a smaller one
SURE = {sure}  # how sure it must be that an action keeps all limits
KEEPS = {keeps}  # for each context: how sure it is that each action does; empty without limits


def rule(seen):
    """What to set for what was seen, a mapping; what is not known is left out, and decided by the others."""
    named = {{_alike(name, VALUES): value for name, value in seen.items()}}
    for name in named:
        if name not in VALUES:
            raise ValueError(f"{{name!r}} is not seen first; seen first: {{', '.join(VALUES)}}")
    known = {{name: _value(name, value) for name, value in named.items() if value is not None}}
    if len(known) == len(VALUES):
        return dict(ACTIONS[CONTEXTS[tuple(known[name] for name in VALUES)][1]])
    sums, near, allowed = [0.0] * len(ACTIONS), [0.0] * len(ACTIONS), set(CAN_BE_BEST)
    for values, (share, _, means) in CONTEXTS.items():
        if all(known.get(name, value) == value for name, value in zip(VALUES, values)):
            sums = [total + share * mean for total, mean in zip(sums, means)]
            keeps = KEEPS.get(values, [SURE] * len(ACTIONS))
            near = [total + share * min(chance, SURE) for total, chance in zip(near, keeps)]
            allowed = {{action for action in allowed if keeps[action] >= SURE}}
    if allowed:
        return dict(ACTIONS[max(sorted(allowed), key=lambda action: SIGN * sums[action])])
    return dict(ACTIONS[max(CAN_BE_BEST, key=lambda action: near[action])])


def _alike(text, words):
    """The one of these words that differs by capitals alone, otherwise the text itself."""
    alike = [word for word in words if word.casefold() == text.casefold()]
    return alike[0] if text not in words and len(alike) == 1 else text


def _value(name, value):
    text = _alike(str(value).strip(), VALUES[name])
    if text not in VALUES[name] and name in CUTS:
        try:
            text = VALUES[name][bisect_right(CUTS[name], float(text.replace(",", ".")))]
        except ValueError:
            pass  # neither a value nor a number: the next lines say so
    if text not in VALUES[name]:
        raise ValueError(f"unknown value {{text!r}} of {{name!r}}; allowed: {{', '.join(VALUES[name])}}")
    return text


if __name__ == "__main__":
    import sys

    try:
        for pair in sys.argv[1:]:
            if "=" not in pair:
                raise ValueError(f"{{pair!r}} is not of the form NAME=VALUE")
        found = rule(dict(pair.split("=", 1) for pair in sys.argv[1:]))
    except ValueError as error:
        sys.exit(f"{{sys.argv[0]}}: {{error}}")
    for name, value in found.items():
        print(f"{{name}}={{value}}")
'''


def rule_file(rule: Rule, name: str) -> bytes:
    """The contents of a file with this name, which ends in .json, .csv or .py."""
    ending = PurePath(name).suffix.lower()
    if ending not in _WRITERS:
        raise BestdoError(f"{shown(name, 300)}: a rule is written to a name that ends in .json, .csv or .py")
    return _WRITERS[ending](rule, PurePath(name).name).encode()


def save_rule(study: Study, path: str | os.PathLike[str]) -> None:
    """Writes the rule as it is now into a file.

    path: ends in .json, .csv, or .py for a program that needs nothing else.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/visits.toml", rounds=60, name="saved")
    >>> study.save_rule("rule.py")
    """
    write_bytes(os.fspath(path), rule_file(study.rule(), os.fspath(path)))


def _json(rule: Rule, name: str) -> str:
    """The rule as JSON."""
    return json.dumps({"bestdo rule": FORMAT, **rule.as_data()}, indent=2, ensure_ascii=False) + "\n"


def _csv(rule: Rule, name: str) -> str:
    """The rule as a table with a row for each context: what is seen, what is set (empty: left as it is), what is known.

    Where a number is cut, two columns say from where on and below what it has the value; empty where there is no end.
    Values are exact, for programs: nothing is put before those that a spreadsheet would take for a formula.
    """
    limits = rule.problem.limits
    settable = list(dict.fromkeys(n for action in rule.problem.actions for n in action))
    cut = [v for v in map(rule.problem.graph.variable, rule.problem.first) if v.cut]
    rows: list[list[object]] = [
        [
            *rule.problem.first,
            *(f"{v.name} {end}" for v in cut for end in ("from", "below")),
            *(f"set {n}" for n in settable),
            "action",
            "mean",
            "low",
            "high",
            "p_best",
            "share",
            "rounds",
            *limits.columns("keeps_limits"),
        ]
    ]
    for one in rule.contexts:
        told: list[object] = [one.mean, one.low, one.high, one.p_best, one.share, one.rounds]
        told += limits.columns(one.keeps)
        ends = [["", *v.cut, ""][(k := v.values.index(one.context[v.name])) : k + 2] for v in cut]
        seen = [*one.context.values(), *(end for pair in ends for end in pair)]
        rows.append([*seen, *(one.action.get(n, "") for n in settable), str(one.action), *told])
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _python(rule: Rule, name: str) -> str:
    """The rule as a Python program without imports outside the standard library."""
    problem, graph = rule.problem, rule.problem.graph
    variables = [graph.variable(n) for n in problem.first]
    rows = zip(problem.contexts, rule.shares.tolist(), rule.actions.tolist(), rule.means.tolist(), strict=True)
    contexts = {tuple(context.values()): (share, action, tuple(means)) for context, share, action, means in rows}
    example = {v.name: v.values[0] for v in variables}
    return _PROGRAM.format(
        first=_in_docstring(", ".join(problem.first)),
        lines=_in_docstring("\n".join([*_lines(rule), *_about_limits(rule)])),
        example=_in_docstring(", ".join(f"{n!r}: {v!r}" for n, v in example.items())),
        shell=_in_docstring(" ".join(shlex.quote(f"{n}={v}") for n, v in example.items())),
        name=_in_docstring(shlex.quote(name)),
        values=_literal({v.name: v.values for v in variables}),
        cuts=_literal({v.name: v.cut for v in variables if v.cut}),
        actions=_listed([dict(action) for action in problem.actions]),
        contexts=_literal(contexts),
        best=tuple(int(a) for a in problem.contenders.nonzero()[0]),
        sign=int(graph.rewarded.scale.sign),
        sure=problem.sure,
        keeps=_literal(dict(problem.limits.columns(*zip(contexts, rule.keeps.tolist(), strict=True)))),
    )


def _lines(rule: Rule) -> list[str]:
    """The rule in words."""
    return [str(rule)] if rule.is_single else [str(line) for line in rule.lines]


def _about_limits(rule: Rule) -> list[str]:
    """A sentence whether the rule keeps all limits; empty where there are none."""
    limits = rule.problem.limits
    return list(limits.columns("", f"Limits: {limits.words}: {rule.about_limits}."))


def _in_docstring(text: str) -> str:
    """Text that cannot end the docstring that it stands in."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _literal(table: Mapping[Any, object]) -> str:
    """A dictionary as Python text, with one entry on each line."""
    lines = "".join(f"    {key!r}: {value!r},\n" for key, value in table.items())
    return f"{{\n{lines}}}" if lines else "{}"


def _listed(items: list[dict[str, str]]) -> str:
    """A list as Python text, with one item on each line."""
    return "[\n" + "".join(f"    {item!r},\n" for item in items) + "]"


_WRITERS: dict[str, Callable[[Rule, str], str]] = {".json": _json, ".csv": _csv, ".py": _python}
