"""Prints the regrets of several learners as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bestdo.bandit.goal import measure_of
from bestdo.bandit.horizon import Horizon
from bestdo.text import counted, frequency, with_error
from bestdo.usecases.rehearsal_advice import words_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["heading_of", "regret_of", "shares_of", "show"]

_BETWEEN = 2
"""Spaces between columns."""


def show(rows: Sequence[dict[str, Any]], console: Console | None = None, unit: str = "") -> None:
    """Prints the rows of a table of regrets: for each panel a line for each learner and a column for each horizon.

    unit: that of the regrets, where they have one. Columns that do not fit beside each other are printed below each
    other; nothing is cut off.
    """
    from rich.console import Console
    from rich.text import Text

    console = console or Console(highlight=False)
    console.print(f"{heading_of(rows[0], unit)}, {counted(rows[0]['sims'], 'simulation')} each\n")
    for panel in dict.fromkeys(row["panel"] for row in rows):
        here = [row for row in rows if row["panel"] == panel]
        names = [Text(""), *(Text(name) for name in dict.fromkeys(row["learner"] for row in here))]
        heading = Text(panel, style="bold").append(f"  {counted(here[0]['actions'], 'action')}", style="dim not bold")
        console.print(heading, soft_wrap=True)
        columns = [_column(here, names[1:], t) for t in sorted({row["horizon"] for row in here})]
        for block in _blocks(names, columns, console.width):
            for line in zip(*block, strict=True):
                console.print(Text(" " * _BETWEEN).join(line), soft_wrap=True)
            console.print()


def regret_of(row: Mapping[str, Any]) -> tuple[float, float]:
    """The regret that a table shows and its standard error: that summed over all rounds, or of the action kept."""
    return measure_of(row).of(row)


def heading_of(row: Mapping[str, Any], unit: str = "") -> str:
    """The heading of a table of such rows, in the unit of the reward where it has one."""
    answer, measure = words_of(row).answer, measure_of(row)
    what, kept = (text.format(answer=answer) for text in (measure.heading, measure.often))
    what += f", in {unit}," if unit else ""
    limits = "".join(", and how often it breaks a limit" for _ in _breaks(row))
    return f"{what} ± standard error ({kept}{limits})"


def shares_of(row: Mapping[str, Any]) -> str:
    """The share of studies that keep a best answer, and the share that breaks a limit where there are limits, in brackets."""
    return f"({', '.join([frequency(row['p_best']), *(f'{share:.0%}' for share in _breaks(row))])})"


def _breaks(row: Mapping[str, Any]) -> tuple[float, ...]:
    """The share of studies whose answer breaks a limit; empty where there are none."""
    return (row["breaks"],) if "breaks" in row else ()


def _column(rows: Sequence[dict[str, Any]], names: Sequence[Text], horizon: float) -> list[Text]:
    """The heading and the cells of a horizon, one for each learner, padded to the same width."""
    from rich.text import Text

    cells = {row["learner"]: row for row in rows if row["horizon"] == horizon}
    least = min(regret_of(row)[0] for row in cells.values())
    column = [Text(str(Horizon.of_number(horizon)), style="dim")]
    column += [_cell(cells.get(name.plain), least) for name in names]
    width = _width(column)
    for text in column:
        text.pad_left(width - text.cell_len)
    return column


def _blocks(names: list[Text], columns: list[list[Text]], width: int) -> list[list[list[Text]]]:
    """The columns in groups that fit into the width, at least one in each, with the names in front of every group."""
    for name in names:
        name.pad_right(_width(names) - name.cell_len)
    blocks: list[list[list[Text]]] = []
    used = 0
    for column in columns:
        used += _BETWEEN + _width(column)
        if not blocks or used > width:
            blocks.append([names])
            used = _width(names) + _BETWEEN + _width(column)
        blocks[-1].append(column)
    return blocks


def _width(column: Sequence[Text]) -> int:
    """The width of the widest text."""
    return max(text.cell_len for text in column)


def _cell(row: dict[str, Any] | None, least: float) -> Text:
    """The regret, its error and the share of best actions in a row, in green where the regret is the least."""
    from rich.text import Text

    if row is None:
        return Text("–", style="dim")
    regret, error = regret_of(row)
    text = Text(with_error(regret, error, 4), style="bold green" if regret == least else "")
    return text.append(f" {shares_of(row)}", style="dim not bold")
