"""The open questions before a draft is a problem, each with the option that answers it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bestdo.causal.number import read_number
from bestdo.errors import BestdoError, shown
from bestdo.text import counted
from bestdo.usecases.init_draft import Draft, Wishes, resolved
from bestdo.usecases.init_values import suspects

__all__ = ["MISSING", "NOTHING", "Question", "cuts_of", "open_questions", "refusal"]

NOTHING = "-"
"""The answer that a variable has no column, or that a list is empty."""
MISSING = "missing"
"""The answer that a text stands for a missing value."""
_MOST_NAMED = 12
"""Choices that a message names. Chosen, not measured."""


@dataclass(frozen=True)
class Question:
    """Something that a person has to say, or may."""

    key: str
    """The subject: "column", "same", "missing", "values", "hidden", "reward", "success", "aim", "set", "at_most",
    "first" or "cuts"."""
    text: str
    option: str
    """The option that answers it, as it is typed; for a column with the proposal."""
    choices: tuple[str, ...] = ()
    default: tuple[str, ...] | None = None
    """The answer where nothing is said; None where something has to be said."""
    several: bool = False
    """Whether several of the choices may be named."""
    about: str = ""
    """The variable, or what stands in the table."""
    needed: bool = True
    """Whether there must be an answer, on a terminal or as an option."""

    @property
    def identity(self) -> tuple[str, ...]:
        """The key that makes it another question, which is asked although others of its kind were."""
        return (self.key, self.about, self.text) if self.key == "same" else (self.key, self.about)

    def taken(self, answer: list[str]) -> tuple[str, ...]:
        """The answer with the names of the choices; raises an error for what is none of them."""
        if not answer or (len(answer) > 1 and not self.several):
            raise BestdoError(f"say {'at least one' if self.several else 'one'} of {', '.join(self.choices)}")
        if self.key == "cuts":
            cuts_of(answer)
        if not self.choices or (self.several and answer == [NOTHING]):
            return () if answer == [NOTHING] else tuple(answer)
        return tuple(resolved(one, self.choices, "answer", self.text) for one in answer)

    def answered(self, wishes: Wishes, answer: tuple[str, ...]) -> Wishes:
        """The wishes with this answer."""
        one = answer[0] if answer else ""
        reading = wishes.reading
        match self.key:
            case "column":
                columns = {**reading.columns, self.about: "" if one == NOTHING else one}
                return replace(wishes, reading=replace(reading, columns=columns))
            case "same" if one != MISSING:
                before = reading.same.get(self.about, ())
                meant = tuple(dict.fromkeys((*((before,) if isinstance(before, str) else before), one)))
                same = {**reading.same, self.about: one if len(meant) == 1 else meant}
                return replace(wishes, reading=replace(reading, same=same))
            case "same" | "missing":
                more = (self.about,) if one in (MISSING, "yes") else ()
                return replace(wishes, reading=reading.with_options(missing=more))
            case "values":
                return replace(wishes, values={**wishes.values, self.about: answer})
            case "set":
                return replace(wishes, settable=answer)
            case "hidden":
                return replace(wishes, hidden=(*(wishes.hidden or ()), *answer))
            case "first":
                return replace(wishes, first=answer)
            case "cuts":
                return replace(wishes, cuts={**wishes.cuts, **cuts_of(answer)})
            case "at_most":
                return replace(wishes, at_most=int(one))
            case "reward":
                return replace(wishes, reward=one)
            case "success":
                return replace(wishes, success=one)
            case "aim":
                return replace(wishes, aim=one)
        raise AssertionError(self.key)


def open_questions(draft: Draft) -> Iterator[Question]:
    """The open questions, in order; later ones may depend on the answers before."""
    yield from _columns(draft)
    yield from _seen(draft)
    if draft.reward is None:
        yield _reward(draft)
        return
    yield from _meanings(draft)
    yield from _suspects(draft)
    wanted = list(_good(draft, draft.reward))
    yield from wanted
    if not wanted:
        yield from _actions(draft, draft.reward)
        yield from _cuts(draft)


def _columns(draft: Draft) -> Iterator[Question]:
    """Columns that are like a variable but not called so."""
    free = {c.name for c in draft.table.columns} if draft.table is not None else set[str]()
    free -= {m.column for m in draft.matches.values() if m.sure and m.column is not None}
    for name, match in draft.matches.items():
        if not match.sure and match.column is not None:
            yield Question(
                "column",
                f"No column is called {shown(name)}: is it {shown(match.column)}?",
                f"--column {shlex.quote(f'{name}={match.column}')}",
                (*sorted(free), NOTHING),
                (match.column,),
                about=name,
            )


def _meanings(draft: Draft) -> Iterator[Question]:
    """The texts in a column that are none of the values of its variable."""
    from bestdo.data.labels import meaning

    for values in draft.values.values():
        column, variable = values.column, values.variable
        if column is None or variable.hidden:
            continue
        labels = column.labels, f"none of its values ({variable.allowed})"
        texts, what = (labels, (column.odd, "which is no number"))[variable.measured]
        known = {t for t in texts if variable.number is None and meaning(variable, t, draft.wishes.reading) is not None}
        for text, rows in texts.items():
            if text in known:
                continue
            able = variable.kind.values
            same = f", --same {shlex.quote(f'{text}={able[-1]}')} if it means {able[-1]}" if able else ""
            yield Question(
                "same",
                f"{shown(column.name)} holds {shown(text)} in {counted(rows, 'row')}, {what}: what does it mean?",
                f"--missing {shlex.quote(text)} if it stands for no value{same}",
                (*able, MISSING),
                about=text,
            )


def _suspects(draft: Draft) -> Iterator[Question]:
    """Numbers that may stand for a missing value."""
    for name, values in draft.values.items():
        for number in suspects(values.column) if values.column is not None and name not in draft.base.declared else ():
            assert values.column is not None
            rows = int(values.column.times[values.column.numbers == number].sum())
            yield Question(
                "missing",
                f"{shown(values.column.name)} is {number:g} in {counted(rows, 'row')}, far from all other numbers: "
                "does it stand for a missing value?",
                f"--missing={number:g}",
                ("yes", "no"),
                ("yes",),
                about=f"{number:g}",
                needed=False,
            )


def _seen(draft: Draft) -> Iterator[Question]:
    """Variables that nobody sees, and the values of those that no column holds."""
    graph = draft.graph
    if draft.wishes.hidden is None and draft.base.name:
        named = tuple(n for n in graph.observed if n != draft.reward)
        without = tuple(n for n in named if draft.table is not None and draft.matches[n].column is None)
        unheld = f" ({', '.join(without)}: no column)" if without else ""
        text = f"Can nobody see some of the variables{unheld}?"
        yield Question("hidden", text, "--hidden NAME", named, (), several=True, needed=False)
    for name, values in draft.values.items():
        if values.why == "default" and not values.variable.hidden:
            text = f"Which values does {shown(name)} have?"
            default = values.variable.values
            yield Question(
                "values",
                text,
                f"--values {shlex.quote(f'{name}=…')}",
                (),
                default,
                several=True,
                about=name,
                needed=False,
            )


def _reward(draft: Draft) -> Question:
    """The question which variable is the reward."""
    graph = draft.graph
    able = tuple(n for n in graph.observed if graph.size(n) > 1 or n in graph.numeric)
    if not able:
        raise BestdoError("no variable that is seen has two values or more: nothing could be better or worse")
    last = [n for n in able if graph.parents[n] and not graph.children[n]]
    default = (last[0],) if len(last) == 1 else None
    return Question("reward", "Which variable is the reward, that matters in the end?", "--reward NAME", able, default)


_WHICH_WAY = {
    "aim": ("Should {} be as large or as small as possible?", "--aim"),
    "success": ("Which value of {} is good?", "--success VALUE"),
}
"""The question which way is good, and the option that answers it, by the field that says it."""


def _good(draft: Draft, reward: str) -> Iterator[Question]:
    """The question which way is good, unless it is said."""
    if draft.good:
        return
    field, choices = draft.graph.variable(reward).kind.wishes
    text, option = _WHICH_WAY[field]
    yield Question(field, text.format(shown(reward)), option, choices)


def _actions(draft: Draft, reward: str) -> Iterator[Question]:
    """The questions which variables may be set, how many at once, and which are seen before."""
    graph, wishes = draft.graph, draft.wishes
    causes = graph.ancestors([reward]) if any(graph.parents.values()) else frozenset(graph.names)
    able = tuple(n for n in graph.observed if n in causes and n != reward)
    if draft.settable is None:
        if not able:
            raise BestdoError(f"nothing that is seen causes {shown(reward)}: no action could make it better")
        yield Question("set", "Which variables may be set?", "--set NAME,NAME", able, None, several=True)
        return
    changed = graph.descendants(draft.settable)
    rest = tuple(n for n in able if n not in changed)
    if wishes.at_most is None and len(draft.settable) > 1:
        text = "How many of them may be set at once?"
        numbers = tuple(str(n + 1) for n in range(len(draft.settable)))
        yield Question("at_most", text, "--at-most N", numbers, ("1",), needed=False)
    if wishes.first is None and rest:
        text = "Are some of the others seen before an action is chosen?"
        yield Question("first", text, "--first NAME", rest, (), several=True, needed=False)


def _cuts(draft: Draft) -> Iterator[Question]:
    """Whether numbers that are cut near their middle should be cut elsewhere."""
    cut = {name: values for name, values in draft.values.items() if values.why == "cut"}
    if cut:
        listed = ", ".join(f"{name} at {values.variable.cut[0]:g}" for name, values in cut.items())
        text = f"Numbers are cut near their middle: {listed}. Should some be cut elsewhere, as in {next(iter(cut))}=10?"
        yield Question("cuts", text, "--cut NAME=NUMBER", (), (), several=True, needed=False)


def cuts_of(given: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """The cuts of variables, from texts like age=65; one that is named several times has several cuts."""
    found: dict[str, list[float]] = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        if not equals or not name:
            raise BestdoError(f"the cut {shown(text)} is not of the form NAME=NUMBER, as in age=65")
        found.setdefault(name.strip(), []).append(read_number(f"the cut of {name}", number))
    return {name: tuple(sorted(cuts)) for name, cuts in found.items()}


def refusal(questions: list[Question]) -> BestdoError:
    """The error where something has to be said and nobody can be asked: what, and the options that say it."""
    same = [q for q in questions if q.key == questions[0].key]
    if same[0].key == "column":
        listed = "; ".join(
            f"{shown(q.about)} (did you mean the column {shown((q.default or ('',))[0])}?)" for q in same
        )
        options = " ".join(q.option for q in same)
        return BestdoError(
            f"no column is called like {counted(len(same), 'variable')}: {listed}. Say {options}, or --column NAME= for one "
            "that no column holds"
        )
    question = same[0]
    more = f" and {len(question.choices) - _MOST_NAMED} more" if len(question.choices) > _MOST_NAMED else ""
    choices = ", ".join(map(shown, question.choices[:_MOST_NAMED])) + more
    if question.key == "same":
        return BestdoError(f"{question.text} Say {question.option}")
    return BestdoError(f"{question.text} Say {question.option}, {'some' if question.several else 'one'} of {choices}")
