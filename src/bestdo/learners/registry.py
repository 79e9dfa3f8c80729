"""Learners by name. A learner's module is imported when it is first used."""

from __future__ import annotations

import importlib
import json
from dataclasses import fields, is_dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from bestdo.arguments import real_number, shown_value, whole_number
from bestdo.bandit.goal import GOALS, checked_goal
from bestdo.errors import BestdoError, shown, unknown
from bestdo.learners.entries import LEARNERS, Entry

if TYPE_CHECKING:
    from bestdo.bandit.learner import Learner

__all__ = [
    "LEARNERS",
    "Entry",
    "by_title",
    "descriptions",
    "entry",
    "goals_of",
    "learner",
    "made_for_another_goal",
    "name_and_parameters",
    "names",
    "registered",
    "reservations",
    "title",
    "warning",
]


def _others() -> dict[str, EntryPoint]:
    """The entry points of learners in other packages, by name."""
    return {found.name: found for found in entry_points(group="bestdo.learners") if found.name not in LEARNERS}


def names() -> list[str]:
    """The names of all learners, those of other packages included."""
    return [*LEARNERS, *_others()]


def registered(name: str) -> str:
    """The name, if it is that of a learner; `module:Class` is refused, so that a request cannot import code."""
    if name not in LEARNERS and name not in _others():  # looking for other packages takes 6 ms
        raise BestdoError(unknown("learner", name, names(), most=30))
    return name


def entry(name: str) -> Entry:
    """The entry of a learner; for one of another package, or given as `module:Class`, the name is also its title."""
    return LEARNERS[name] if name in LEARNERS else Entry(name, name)


def title(name: str) -> str:
    """The full name of a learner."""
    return entry(name).title


def warning(name: str) -> str:
    """A sentence that says what a learner does that repeats an error or choice of published code; empty for all others."""
    text = entry(name).warning
    return f"{name} is here to explain old numbers, not to be used: {text}" if text else ""


def reservations(name: str, goal: str) -> str:
    """The objections to a learner: that it repeats an error, or is made for another goal; empty where there are none."""
    return "; ".join(each for each in (warning(name), made_for_another_goal(name, goal)) if each)


def made_for_another_goal(name: str, goal: str) -> str:
    """A sentence that says that a learner is made for another goal; empty where it serves this one, or says no goals."""
    goals = LEARNERS[name].goals if name in LEARNERS else goals_of(_by_name(name))
    return "" if goal in goals else checked_goal(goal).reservation.format(learner=name)


def goals_of(learner: object) -> Any:
    """The goals in the line `goals = (…)` of a learner's class; all goals where there is no such line."""
    return getattr(learner, "goals", GOALS)


def _load(where: str) -> Learner[Any]:
    """The learner at `module:Class`, with its default parameters."""
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found()  # type: ignore[no-any-return]


def learner(name: str | Learner[Any], **parameters: Any) -> Learner[Any]:
    """A learner by its name, or by `module:Class`, with its default parameters but for those given by keyword.

    An object is returned as it is, or as a copy with these parameters. Raises BestdoError for an unknown name or
    parameter, with a similar one, for a value of another kind than the default, and for an object that is no learner.

    >>> import bestdo
    >>> bestdo.learner("ucb", alpha=1.0)
    UCB(alpha=1.0, block=1)
    """
    found = _by_name(name)
    return _with_parameters(found, parameters) if parameters else found


def _with_parameters(found: Any, parameters: dict[str, Any]) -> Learner[Any]:
    """A copy of the learner with other values of these parameters, which are fields of its dataclass."""
    kind = type(found).__name__
    known = {f.name: getattr(found, f.name) for f in fields(found) if f.init} if is_dataclass(found) else {}
    for name, value in parameters.items():
        if not known:
            raise BestdoError(f"{kind} has no parameters, so {name!r} is none")
        if name not in known:
            raise BestdoError(unknown(f"parameter of {kind}", name, list(known), most=30))
        default = known[name]
        number = isinstance(default, int | float) and not isinstance(default, bool)
        if isinstance(default, int) and number:
            whole_number(f"the parameter {name} of {kind}", value, least=min(default, 0))
        elif number:
            real_number(f"the parameter {name} of {kind}", value)
        elif isinstance(default, bool | str) and not isinstance(value, type(default)):
            kinds = "True or False" if isinstance(default, bool) else "text"
            raise BestdoError(f"the parameter {name} of {kind} is {kinds}, not {shown_value(value)}")
    try:
        return replace(found, **parameters)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise BestdoError(f"{kind} cannot have these parameters: {error}") from error


def _by_name(name: str | Learner[Any]) -> Learner[Any]:
    """The learner of a name with its default parameters; an object is returned as it is."""
    if not isinstance(name, str):
        return _checked(name)
    if name in LEARNERS:
        return _load(LEARNERS[name].where)
    if ":" in name:
        try:
            found = _load(name)
        except Exception as error:
            raise BestdoError(f"the learner {name!r} cannot be loaded: {error!r}") from error
        return _checked(found)
    if name in (others := _others()):
        try:
            return others[name].load()()  # type: ignore[no-any-return]
        except Exception as error:
            raise BestdoError(f"the learner {name!r} of another package cannot be loaded: {error!r}") from error
    raise BestdoError(unknown("learner", name, names(), most=30))


_METHODS = ("statistic", "start", "ask", "tell", "best", "estimates")
"""The functions that every learner has; see `bestdo.bandit.learner.Learner`."""


def _checked(given: Any) -> Learner[Any]:
    """The object, if it has the methods of a learner."""
    if isinstance(given, type):
        raise BestdoError(f"a learner is an object or a name, not the class {given.__name__}: write {given.__name__}()")
    missing = [method for method in _METHODS if not callable(getattr(given, method, None))]
    if missing:
        raise BestdoError(
            f"{given!r:.60} is not a learner: it has no {', '.join(missing)}; give a name, as 'causal-top-two', or an object "
            "that bestdo.check_learner accepts"
        )
    return given  # type: ignore[no-any-return]


def name_and_parameters(given: str | Learner[Any]) -> tuple[str, dict[str, Any]]:
    """The name under which a learner is found again, and the parameters in which it differs from the one of that name."""
    if isinstance(given, str):
        return given, {}
    given = _checked(given)
    kind = type(given)
    alike = [name for name in LEARNERS if _is(LEARNERS[name].where, kind)]
    for name in alike:
        if learner(name) == given:
            return name, {}
    name = alike[0] if alike else f"{kind.__module__}:{kind.__qualname__}"
    if kind.__module__ == "__main__" or "<" in name:
        raise BestdoError(
            f"the learner {kind.__qualname__} is defined where no other process finds it ({kind.__module__}): put the class "
            f"into a file, mine.py say, and name it as 'mine:{kind.__name__}'"
        )
    default: Any = learner(name)
    if not is_dataclass(given):
        return name, {}
    differ = {
        f.name: getattr(given, f.name) for f in fields(given) if getattr(given, f.name) != getattr(default, f.name)
    }
    try:
        if json.loads(json.dumps(differ)) == differ:
            return name, differ
    except (TypeError, ValueError):
        pass
    raise BestdoError(
        f"a study keeps the parameters of its learner as numbers and text, and {shown(differ, 200)} are others: name a "
        "learner whose defaults are these, as 'module:Class'"
    )


def _is(where: str, kind: type) -> bool:
    """Whether a learner at `module:Class` or `module:Class.preset` is of this class."""
    module, _, path = where.partition(":")
    return kind.__module__ == module and kind.__qualname__ == path.partition(".")[0]


def by_title(*learners: str | Learner[Any]) -> dict[str, Learner[Any]]:
    """Learners, given by their names or as objects, by their full names."""
    found = {}
    for given in learners:
        label = title(given) if isinstance(given, str) else _title_of(given)
        found[label] = learner(given)
    return found


def _title_of(given: Learner[Any]) -> str:
    """The full name of a learner object: that of its name, with the parameters that differ from it."""
    kind = type(_checked(given))
    alike = [name for name in LEARNERS if _is(LEARNERS[name].where, kind)]
    if not alike:
        return repr(given) if is_dataclass(given) else kind.__qualname__
    for name in alike:
        default: Any = learner(name)
        if default == given:
            return title(name)
    default = learner(alike[0])
    differ = (f.name for f in fields(default) if getattr(given, f.name) != getattr(default, f.name))
    return f"{title(alike[0])} ({', '.join(f'{n}={getattr(given, n)!r}' for n in differ)})"


def descriptions() -> dict[str, str]:
    """A line about each learner by its name, with the goals that it serves; those of other packages included."""
    return {name: _line(name) for name in names()}


def _line(name: str) -> str:
    """The title of a learner and the first line of its docstring."""
    import inspect

    try:
        about = (inspect.getdoc(type(learner(name))) or "no description").splitlines()[0]
    except BestdoError as error:  # of another package
        return str(error)
    full = title(name)
    known, _, variant = full.partition(" as in ")
    goals = f" (to {' or '.join(LEARNERS[name].goals)})" if name in LEARNERS else ""
    if entry(name).warning:
        return f"{full}{goals}; not to be used: {entry(name).warning}"
    if variant:
        return f"{full}{goals}"
    return f"{about if known == name or about.startswith(known) else f'{known}: {about}'}{goals}"
