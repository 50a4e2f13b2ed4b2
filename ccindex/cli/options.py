"""Options that every command takes."""

from typing import Annotated

import typer

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="The index: a path or sqlite:/// address. Default: $CCINDEX_DB, else in the user's data folder.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
