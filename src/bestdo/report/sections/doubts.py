"""The facts that hold although arrows are in doubt, in sentences and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bestdo.text import counted, quoted

if TYPE_CHECKING:
    from bestdo.causal.doubt_effects import Importance
    from bestdo.causal.doubt_kinds import Arrow
    from bestdo.usecases.check import Outlook

__all__ = ["cause_in_words", "doubts_as_data", "doubts_in_words"]

_MOST_NAMED = 8
"""The most doubtful arrows that a sentence names. Chosen, not measured."""


def doubts_in_words(outlook: Outlook) -> list[str]:
    """The number of possible graphs, the facts that hold in all, and the arrows that matter; empty without doubts."""
    found = outlook.doubts
    lines = [
        f"{counted(len(found.arrows), 'arrow')} in doubt: {counted(found.graphs, 'graph')} "
        f"{'is' if found.graphs == 1 else 'are'} possible, and what is said here holds in every one of them."
    ]
    some, total = found.identified.count("some"), len(found.identified)
    if some:
        none = found.identified.count("none")
        lines.append(
            f"Of {total} actions {found.identified.count('all')} can be learned by watching in all possible graphs, {some} "
            f"in some of them and {none} in none."
        )
    kinds = ("nothing", "rounds", "answer", "unknown")
    by = {what: [each for each in found.arrows if each.changes == what] for what in kinds}
    idle = [*by["nothing"], *by["rounds"]]
    if idle:
        on = (
            "depends on none of the doubtful arrows"
            if len(idle) == len(found.arrows)
            else f"does not depend on {_listed(idle)}"
        )
        lines.append(f"The answer {on}: enough data recommend the same action, there or not.")
    for each in [each for each in by["rounds"] if each.spares][:_MOST_NAMED]:
        lines.append(f"Knowing whether {each.doubt} is there would spare rounds: {each.spares}.")
    for each in by["answer"][:_MOST_NAMED]:
        lines.append(f"The answer may depend on {each.doubt}: {each.why}.")
    if by["unknown"]:
        lines.append(f"Whether the answer depends on {_listed(by['unknown'])} is not known: {by['unknown'][0].why}.")
    if outlook.drawn_graphs:
        lines.append(
            f"In a study means are averages over {outlook.drawn_graphs:,} of these graphs, drawn by their probabilities: the "
            "third decimal may be off. Probabilities of arrows are exact."
        )
    return list(found.columns(*lines))


def _listed(found: list[Importance]) -> str:
    """Some doubtful arrows as text."""
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return ", ".join(str(each.doubt) for each in found[:_MOST_NAMED]) + more


def doubts_as_data(outlook: Outlook) -> dict[str, Any]:
    """The facts about doubts as data for JSON; empty without doubts."""
    found = outlook.doubts
    arrows = [
        {
            "arrow": str(each.doubt),
            "from": each.doubt.a,
            "kind": each.doubt.kind,
            "to": each.doubt.b,
            "probability": each.doubt.probability,
            "changes": each.changes,
            "why": each.why,
            "spares": each.spares or None,
        }
        for each in found.arrows
    ]
    return dict(found.columns(("doubts", {"graphs": found.graphs, "arrows": arrows})))


def cause_in_words(possible: Sequence[Arrow], parent: str, child: str, mark: str = "->") -> str:
    """The name of a cause, or with `<->` of what shares a hidden cause, with a question mark where that is in doubt."""
    same = {(parent, mark, child)} | ({(child, mark, parent)} if mark == "<->" else set())
    return quoted(parent) + ("" if same.isdisjoint(possible) else "?")
