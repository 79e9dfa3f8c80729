"""`bestdo serve`: the studies in a browser."""

from __future__ import annotations

import click

from bestdo.cli.options import storage_option

__all__ = ["serve"]


@click.command()
@storage_option
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8321, show_default=True, help="0 takes a free one.")
@click.option("--name", "names", metavar="HOST", multiple=True, help="A host name under which people reach the page.")
@click.option(
    "--token",
    metavar="TEXT",
    envvar="BESTDO_TOKEN",
    show_envvar=True,
    help="To look and record; a random one when not given.",
)
@click.option(
    "--viewer-token",
    metavar="TEXT",
    envvar="BESTDO_VIEWER_TOKEN",
    show_envvar=True,
    help="To look only; a random one when not given.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Holds both tokens, a line each, so that they are not in the list of processes; made when it is not there.",
)
def serve(
    storage: str,
    host: str,
    port: int,
    names: tuple[str, ...],
    token: str | None,
    viewer_token: str | None,
    token_file: str | None,
) -> None:
    """Open the studies in a browser: for people who do not use a terminal, several at once.

    Prints the address to open. Only this machine can reach it, unless --host says otherwise; then --token and --name
    are needed.
    """
    from bestdo.errors import BestdoError

    try:
        from bestdo.web.access import kept_tokens
        from bestdo.web.server import serve as run
    except ModuleNotFoundError as error:
        raise BestdoError(f"{error.name} is missing: pip install 'bestdo[server]' brings what the page needs") from None
    if token_file is not None:
        if token is not None or viewer_token is not None:
            raise BestdoError("say --token and --viewer-token, or --token-file, not both")
        token, viewer_token = kept_tokens(token_file)
    run(storage, host, port, names, token, viewer_token, click.echo)
