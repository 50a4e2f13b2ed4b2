"""The commands, by name: all of them on one screen."""

from typing import Annotated

import typer

from ccindex import __version__

from . import db
from .doctor import doctor
from .explain import explain
from .ingest import ingest
from .output import say
from .paths import paths
from .restore import restore
from .search import search
from .show import show
from .sql import sql
from .tree import tree

app = typer.Typer(
    help="A SQLite index of your Claude Code transcripts that loses nothing.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's callback
    if wanted:
        say(f"ccindex {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


app.command()(ingest)
app.command()(tree)
app.command()(paths)
app.command()(show)
app.command()(explain)
app.command()(search)
app.command()(restore)
app.command()(sql)
app.command()(doctor)
app.add_typer(db.app, name="db")
