"""The command line. Thin: every command reads, calls the library and prints.

Exit codes: 0 done, 1 something to put right, 130 interrupted.
"""

from __future__ import annotations

import os
import sys

import click

from bestdo.cli.compare import compare, figure
from bestdo.cli.graph import check, draw
from bestdo.errors import BestdoError

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bestdo", message="bestdo %(version)s")
def bestdo() -> None:
    """Find the best intervention: from a causal graph and a limited number of rounds."""


bestdo.add_command(check)
bestdo.add_command(draw)
bestdo.add_command(figure)
bestdo.add_command(compare)


def main() -> None:
    """Runs the command line; errors that a person can put right are printed, never a traceback."""
    try:
        code = bestdo.main(standalone_mode=False)
    except BestdoError as error:
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(str(error), err=True)
        code = 1
    except click.ClickException as error:
        error.show()
        code = 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = 130
    except MemoryError:
        click.echo("error: out of memory", err=True)
        code = 1
    except BrokenPipeError:  # `bestdo … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
