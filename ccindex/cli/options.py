"""Options that several commands take, in the same words and with the same meaning."""

from typing import Annotated

import typer

from .completion import complete_models, complete_projects, complete_sessions, complete_tools

MOST = 1_000_000_000  # rows that anybody can want

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="The index: a path or sqlite:/// address. Default: $CCINDEX_DB, else in the user's data folder.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Raw = Annotated[bool, typer.Option("--raw", help="Do not mask secrets.")]
Csv = Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")]

Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        metavar="TEXT",
        help="Of projects whose name holds this; a path is taken as Claude Code names its folder.",
        show_default=False,
        autocompletion=complete_projects,
    ),
]
Session = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="Of this session; the beginning of its id will do.",
        show_default=False,
        autocompletion=complete_sessions,
    ),
]
TheSession = Annotated[
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="The session; the beginning of its id will do.",
        show_default=False,
        autocompletion=complete_sessions,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="TEXT",
        help="Of models whose name holds this.",
        show_default=False,
        autocompletion=complete_models,
    ),
]
Tool = Annotated[
    str | None,
    typer.Option(
        "--tool",
        metavar="NAME",
        help="With calls of this tool; * stands for anything.",
        show_default=False,
        autocompletion=complete_tools,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="DATE",
        help="From then on, in UTC: 2026-02-01, 2026-02-01T09:30, today, yesterday, 12h, 7d, 4w, 6m, 1y.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Before then, in the same words.", show_default=False)
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=0,
        max=MOST,
        help="At most so many, the latest or most telling; 0: all. Default: 50 for people, all in JSON and CSV.",
        show_default=False,
    ),
]
