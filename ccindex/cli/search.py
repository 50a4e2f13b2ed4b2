"""`ccindex search`: full-text search over everything that was said, asked, answered and given back by tools."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from ccindex.query.ids import session_named
from ccindex.query.search import Filters, Hit
from ccindex.query.search import search as run_search
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .dates import instant_of
from .options import Db, Json
from .output import flat, remark, say_lines, short, show_json


class Status(StrEnum):
    """Where an entry stands."""

    ACTIVE = "active"
    ABANDONED = "abandoned"
    SET_ASIDE = "set-aside"


def search(
    query: Annotated[
        list[str], typer.Argument(help='Words, "a phrase", a prefix*, OR, NOT; anything else is taken as plain words.')
    ],
    *,
    project: Annotated[str | None, typer.Option(help="Projects whose name holds this.", show_default=False)] = None,
    session: Annotated[str | None, typer.Option(help="A session, or the start of its id.", show_default=False)] = None,
    type_: Annotated[
        str | None,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="user, assistant, system, ...; prompt, result; typed, ...",
            show_default=False,
        ),
    ] = None,
    tool: Annotated[str | None, typer.Option(help="Calls of a tool, and their results.", show_default=False)] = None,
    status: Annotated[Status | None, typer.Option(help="Where it must stand.", show_default=False)] = None,
    since: Annotated[
        str | None, typer.Option(help="From then on, in UTC: 2026-02-01, yesterday, 7d.", show_default=False)
    ] = None,
    until: Annotated[str | None, typer.Option(help="Before then.", show_default=False)] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    db: Db = None,
    json: Json = False,
) -> None:
    """Search all that was said, thought, asked of tools and given back by them; the best hits first."""
    since_ms, until_ms = instant_of(since), instant_of(until)
    with reading(database_path(db)) as connection:
        filters = Filters(
            project=project,
            session_id=session_named(connection, session) if session is not None else None,
            type=type_,
            tool=tool,
            status=status.value if status is not None else None,
            since=since_ms,
            until=until_ms,
            limit=limit,
        )
        hits = run_search(connection, " ".join(query), filters)
    if json:
        show_json({"hits": [hit._asdict() for hit in hits]})
        return
    say_lines(_listed(hits))
    if not hits:
        remark("nothing found")


def _listed(hits: Sequence[Hit]) -> Iterator[str]:
    """Two lines a hit: what and where it is, and the words around what was found."""
    for hit in hits:
        where = "" if hit.status == "active" else f"  {hit.status}"
        agent = "" if hit.agent_id is None else f"  agent {hit.agent_id}"
        named = f"{short(hit.session_id)}  {short(hit.uuid)}  {hit.project}"
        yield flat(f"{hit.timestamp or '':<24}  {hit.kind:<9}  {named}{agent}{where}")
        yield "    " + " ".join(flat(hit.snippet).replace("⏎", " ").split())
