"""Learners side by side, as a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["show"]


def show(rows: Sequence[dict[str, Any]], console: Console | None = None) -> None:
    """Prints the rows of a table of regrets: a block for each panel, a line for each learner, a column for each x."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = console or Console(highlight=False)
    console.print(
        "Regret of the action kept ± standard error (how often it was a best one), "
        f"{rows[0]['sims']:,} simulations each\n"
    )
    for panel in dict.fromkeys(row["panel"] for row in rows):
        here = [row for row in rows if row["panel"] == panel]
        horizons = sorted({row["horizon"] for row in here})
        heading = Text(panel, style="bold").append(f"  {here[0]['actions']} actions", style="dim not bold")
        table = Table("", title=heading, title_justify="left", box=None, pad_edge=False, header_style="dim")
        for t in horizons:
            table.add_column(f"{t:,} rounds", justify="right", no_wrap=True)
        least = {t: min(row["regret"] for row in here if row["horizon"] == t) for t in horizons}
        for learner in dict.fromkeys(row["learner"] for row in here):
            cells = {row["horizon"]: row for row in here if row["learner"] == learner}
            table.add_row(Text(learner), *(_cell(cells.get(t), least[t]) for t in horizons))
        console.print(table)
        console.print()


def _cell(row: dict[str, Any] | None, least: float) -> Text:
    from rich.text import Text

    if row is None:
        return Text("–", style="dim")
    style = "bold green" if row["regret"] == least else ""
    text = Text(f"{row['regret']:.4f} ± {row['standard_error']:.4f}", style=style)
    return text.append(f" ({row['p_best']:.0%})", style="dim not bold")
