"""Shows a study: as text and tables, as data for JSON, as CSV and as Parquet."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bestdo.arguments import shown_value
from bestdo.bandit.horizon import ROUNDS, Horizon, Unit
from bestdo.errors import BestdoError
from bestdo.report.document_blocks import Paragraph, Remark
from bestdo.report.sections import limits
from bestdo.report.sections.arrows import arrow_table, status_of_arrows
from bestdo.report.sections.certainty import certainty_lines
from bestdo.report.sections.contexts import seen_first
from bestdo.report.sections.earned import earned_in_words, earned_of_status
from bestdo.report.writers.terminal import say, table
from bestdo.report.writers.terminal import show as write
from bestdo.study.marks import standing
from bestdo.text import counted, quoted

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer
    from bestdo.bandit.problem import Problem
    from bestdo.causal.graph import Graph
    from bestdo.study.study import Asked, Study

__all__ = [
    "as_csv",
    "as_parquet",
    "asked_as_data",
    "details",
    "show",
    "show_answer",
    "show_asked",
    "show_goal",
    "show_history",
    "show_limits",
    "show_new",
    "show_status",
    "show_studies",
    "status_in_words",
]


def asked_as_data(asked: Asked) -> dict[str, Any]:
    """A round to be played, as data for JSON."""
    return {
        "number": asked.number,
        "action": str(asked.action),
        "set": dict(asked.action.items()),
        **({"context": dict(asked.context)} if asked.context else {}),
        "reason": asked.reason,
        "expires": asked.expires.isoformat(),
    }


def show_goal(problem: Problem) -> None:
    """Prints what the actions are for: the first line of every result."""
    say(problem.question)


def show_limits(problem: Problem) -> None:
    """Prints the limits of a problem, and how sure it must be that an action keeps them; nothing where it has none."""
    write(limits.stated(problem))


def show_new(status: Mapping[str, Any], problem: Problem, why: str) -> None:
    """Prints that a study was created, and how to go on."""
    write(seen_first(problem))
    actions = counted(len(problem.actions), "action")
    say(f"study {status['name']}: {actions}, {Horizon.of_status(status)}, learner {status['learner']}")
    seen = "".join(f" --seen {shlex.quote(f'{name}=…')}" for name in status["first"])
    said = (*filter(None, (why, _out_at_once(status))), *limits.promise(problem), *status.get("cautions", ()))
    write(map(Remark, (*said, f"bestdo ask{seen} says what to do first")))


def show_asked(asked: Sequence[Asked], graph: Graph, tell: str) -> None:
    """Prints what to do in each round, why, and the command that tells what was seen."""
    reward = graph.reward or ""
    for each in asked:
        seen = [n for n in graph.observed if n != reward and n not in each.action and n not in each.context]
        values = " ".join(map(_to_fill_in, [*seen, reward]))
        context = ", ".join(f"{quoted(n)}={quoted(v)}" for n, v in each.context.items())
        say(f"round {each.number}{f' ({context})' if context else ''}: {each.action}")
        say(f"  {each.reason}")
        say(f"  then: {tell} {each.number} {values}")
        say(f"  {reward} is {graph.variable(reward).allowed}; it is yours until {each.expires:%Y-%m-%d %H:%M %Z}")


def _to_fill_in(name: str) -> str:
    """NAME=… as a word of a command line, in quotes where a shell needs them."""
    return f"{name}=…" if shlex.quote(name) == name else shlex.quote(f"{name}=…")


def show(study: Study, found: Answer | None = None) -> None:
    """Prints what a study recommends and what is known of all actions, as `bestdo best` does.

    study: a Study; `found` are findings of one moment, when they are known already. Raises StorageError where the database
    cannot be read.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, storage="sqlite:///shown.db")
    >>> bestdo.show(study)
    Which action makes yield = good likeliest?
    too early: no round has been told yet
      60 rounds left
    """
    if not hasattr(study, "findings"):
        raise BestdoError(f"what is shown is a study, as Study.open('farm') returns, not {shown_value(study)}")
    found, status = study.findings() if found is None else found, study.status()
    unit, out = found.problem.unit, len(status["open"])
    show_goal(found.problem)
    show_limits(found.problem)
    show_answer(found, unit, out)
    write(map(Paragraph, earned_in_words(found)))
    write(arrow_table(found.arrows))
    write(certainty_lines(status))


def show_answer(answer: Answer, unit: Unit = ROUNDS, out: int = 0) -> None:
    """Prints the recommendation, the number of rounds behind it, and a table of all actions, or of all contexts."""
    from bestdo.report.sections.recommendation import shown_answer

    left = f"{unit.left(answer.left)} left"
    write(shown_answer(answer, f"{left}, {out} out" if out else left))


def show_status(status: Mapping[str, Any]) -> None:
    """Prints how much of a study is used, told and open, and what it has earned."""
    say(f"study {status['name']}: {standing(status)}; learner {status['learner']}")
    say(f"  {_used(status)}")
    about = filter(None, [status.get("about_learner")])
    write(map(Remark, (*earned_of_status(status), *about, *status.get("cautions", ()), *map(_out, status["open"]))))
    write(map(Remark, status_of_arrows(status.get("arrows", ()))))
    write(certainty_lines(status))


def _out(each: Mapping[str, Any]) -> str:
    """A round that is out: what is done, what was seen first, and with whom it is."""
    seen = "".join(f", {n}={v}" for n, v in each.get("context", {}).items())
    return f"round {each['number']}: {each['action']}{seen}, with {each['worker'] or 'nobody in particular'}"


def _out_at_once(status: Mapping[str, Any]) -> str:
    """The number of rounds that can be out at once; empty where nothing limits that."""
    return "" if status["at_once"] is None else f"at most {counted(status['at_once'], 'round')} out at once"


def status_in_words(status: Mapping[str, Any]) -> str:
    """The standing of a study, its learner and the part that is used, for one line."""
    return f"{standing(status)}; {_used(status)}; learner {status['learner']}"


def _used(status: Mapping[str, Any]) -> str:
    """The part of the horizon that is used, and the numbers of rounds told and open."""
    told = counted(status["told"], "round")
    used = Horizon.of_status(status).used(status["used"])
    return f"{used}, {told} told, {len(status['open'])} open"


def show_studies(found: Sequence[Mapping[str, Any]]) -> None:
    """Prints a line for each study."""
    table(
        ("study", "learner", "used", "of", "told", "open", ""),
        [
            (
                s["name"],
                s["learner"],
                *(f"{s[k]:g}" for k in ("used", "horizon", "told")),
                str(len(s["open"])),
                standing(s),
            )
            for s in found
        ],
    )


def show_history(events: Sequence[Mapping[str, Any]]) -> None:
    """Prints a line for each event."""
    for event in events:
        about = f" round {event['round']}" if event.get("round") is not None else ""
        who = f" by {event['who']}" if event["who"] else ""
        say(f"{event['number']:>5}  {event['at'][:19]}Z  {event['kind']}{about}{who}{details(event)}")


def details(event: Mapping[str, Any]) -> str:
    """The details of an event for one line, after a colon; nothing where it has none."""
    parts = [str(event[k]) for k in ("action", "learner", "text") if event.get(k)]
    parts += [f"{n}={v}" for n, v in {**event.get("context", {}), **event.get("values", {})}.items()]
    parts += [f"{event['variable']} at {', '.join(f'{b:g}' for b in event['cut'])}"] if "cut" in event else []
    parts += event.get("added", [])
    parts += event.get("evidence", [])[:1]
    parts += [f"horizon {event['horizon']:g}"] if "horizon" in event else []
    parts += [f"{counted(len(event['actions']), 'round')} in block {event['block']}"] if "actions" in event else []
    parts += [counted(event["rows"], "row")] if "rows" in event else []
    parts += [str(event["fingerprint"])] if "fingerprint" in event else []
    parts += [word for word in ("late", "lost", "deviated") if event.get(word)]
    parts += [f"because {event['why']}"] if event.get("why") else []
    return f": {', '.join(parts)}" if parts else ""


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as CSV."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def as_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as Parquet."""
    from bestdo.data.optional_libraries import polars

    stream = io.BytesIO()
    polars().DataFrame(list(rows)).write_parquet(stream)
    return stream.getvalue()
