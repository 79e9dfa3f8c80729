"""`bestdo draw`: the graph of a file as a picture."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from bestdo.cli.options import TypedOptions, files_argument, problem_options

if TYPE_CHECKING:
    from bestdo.files import Contents

__all__ = ["draw"]


@click.command()
@files_argument
@problem_options
@click.option("-o", "--output", metavar="FILE", default="-", help="A name ending in .svg (default: print it).")
@click.option("--do", "action", metavar="ACTION", help='Draw the graph after an intervention, as in "do(rain=no)".')
def draw(
    files: tuple[str, ...],
    options: TypedOptions,
    output: str,
    action: str | None,
) -> None:
    """Draw the graph as an SVG picture.

    Hidden variables are dashed, the reward and the variables that may be set are marked. Variables stand where the
    file places them, in DAGitty text or under [positions]; otherwise causes are above effects.
    """
    from bestdo.causal.action import Actions, Intervention
    from bestdo.report.drawing import arrange
    from bestdo.report.drawing import draw as drawn

    for file in files:
        _check_output(file, output)
    contents = options.contents(files)
    do = Intervention.parse(action) if action else None
    if do:
        Actions(contents.graph, [do])  # raises an error about what cannot be set
    picture = drawn(
        contents.graph, _settable(contents), do, positions=contents.positions, doubts=contents.graphs.arrows
    )
    try:
        with click.open_file(output, "w", encoding="utf-8", atomic=output != "-") as stream:
            stream.write(picture)
    except OSError as error:
        raise click.FileError(output, error.strerror or str(error)) from None
    if contents.positions:
        layout = arrange(
            contents.graph, _settable(contents), do or Intervention({}), 0, None, contents.positions
        ).layout
        if layout.note:
            click.echo(layout.note, err=True)
    if output != "-":
        click.echo(f"drew {output}", err=True)


def _check_output(file: str, output: str) -> None:
    """Raises an error where the picture would replace the file of the graph, or has not the extension of SVG."""
    from bestdo.errors import BestdoError, shown

    if output == "-":
        return
    if os.path.exists(output) and os.path.exists(file) and os.path.samefile(file, output):
        raise BestdoError(
            f"{shown(output, 300)} is the file to draw, which the picture would replace; give another name"
        )
    if not output.lower().endswith(".svg"):
        raise BestdoError(f"{shown(output, 300)}: the picture is SVG; give a name that ends in .svg, or - to print it")


def _settable(contents: Contents) -> set[str]:
    """The variables that may be set, where the file says so."""
    return set[str]().union(*contents.problem.actions) if contents.problem else set()
