"""The command line: every command reads its arguments, calls the library and prints.

Exit codes: 0 done, 1 something to put right, 2 conflict, 3 waiting or finished, 4 storage, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys

import click

from bestdo.cli import studies, study
from bestdo.cli.check import check
from bestdo.cli.compare import compare
from bestdo.cli.design import design
from bestdo.cli.draw import draw
from bestdo.cli.estimate import estimate
from bestdo.cli.figure import figure
from bestdo.cli.init import init
from bestdo.cli.observe import observe
from bestdo.cli.rehearse import rehearse
from bestdo.cli.serve import serve
from bestdo.cli.suite import suite
from bestdo.errors import BestdoError, Conflict, Finished, StorageError, Waiting

__all__ = ["main"]

_OWN_WORDS = ("serve", "init", "delete", "restore", "compare", "rehearse", "figure", "suite")
"""Commands that wait for people, or say themselves how far they are."""
_CODES: dict[type[BestdoError], int] = {Conflict: 2, Waiting: 3, Finished: 3, StorageError: 4}


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(package_name="bestdo", message="bestdo %(version)s")
@click.pass_context
def bestdo(context: click.Context) -> None:
    """Find the best intervention: from a causal graph and a limited number of rounds."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


bestdo.add_command(init)
bestdo.add_command(check)
bestdo.add_command(draw)
bestdo.add_command(design)
bestdo.add_command(estimate)
bestdo.add_command(rehearse)
bestdo.add_command(figure)
bestdo.add_command(compare)
bestdo.add_command(suite)
for command in (*study.COMMANDS, *studies.COMMANDS):
    bestdo.add_command(command)
bestdo.add_command(observe)
bestdo.add_command(serve)


def main() -> None:
    """Runs the command line; errors that a person can put right are printed, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that a terminal cannot show become question marks
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # threads of linear algebra take a tenth of the time of `ask` to start
    try:
        with _words():
            code = bestdo.main(standalone_mode=False)
        sys.stdout.flush()
    except BestdoError as error:
        _say(str(error))
        code = _CODES.get(type(error), 1)
    except click.ClickException as error:
        _say(error.format_message())
        if isinstance(error, click.UsageError):
            command = error.ctx.command_path if error.ctx else " ".join(["bestdo", *sys.argv[1:2]])
            click.echo(f"{command} --help says more", err=True)
        code = 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        if hasattr(signal, "pthread_sigmask"):
            # a second Ctrl-C does not disturb the end; nor does Python, which after an interruption inside eval, as where
            # libraries are imported, would end itself by the signal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        code = 130
    except MemoryError:
        _say("out of memory")
        code = 1
    except BrokenPipeError:  # `bestdo … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:  # a full disk behind `bestdo … > file`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _say(f"cannot write the answer: {error.strerror}")
        code = 1
    gc.freeze()  # what is left goes with the process: looking for garbage in it takes longer than many a command
    sys.exit(code if isinstance(code, int) else 0)


def _words() -> contextlib.AbstractContextManager[None]:
    """Lets commands that take long say so, except those that wait for people or have a progress bar."""
    name = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    if name in _OWN_WORDS or name not in bestdo.commands:
        return contextlib.nullcontext()
    from bestdo.usecases.still_working import still_working

    return still_working(lambda seconds: f"bestdo {name}: still working after {seconds:.0f} s (Ctrl-C stops it)")


def _say(error: str) -> None:
    """Prints an error."""
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(error, err=True)
