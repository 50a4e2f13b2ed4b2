"""`ccindex search`: full-text search over everything that was said, asked, answered and given back by tools."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from ccindex.cli.options import MOST, Asked, Csv, Db, Json, Raw, filters_of, takes_filters
from ccindex.cli.output import opened, remark, say_styled, show_csv, show_json
from ccindex.cli.tables import moment, terminal_width
from ccindex.query.search import MARKS, Hit, Place
from ccindex.query.search import search as run_search
from ccindex.render.text import Styled, cells, chopped, flat, project_name, short, short_agent, wrapped

_INDENT = "    "
_LEAST = 12
_SHOWN_AS = {"queued": "prompt", "notification": "notice"}  # by form, where kind and type do not tell


class Status(StrEnum):
    """Where an entry stands."""

    ACTIVE = "active"
    ABANDONED = "abandoned"
    SET_ASIDE = "set-aside"


@takes_filters
def search(
    query: Annotated[
        list[str], typer.Argument(help='Words, "a phrase", a prefix*, OR, NOT; anything else is taken as plain words.')
    ],
    *,
    type_: Annotated[
        str | None,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="user, assistant, system, ...; prompt, result; typed, ...",
            show_default=False,
        ),
    ] = None,
    status: Annotated[Status | None, typer.Option(help="Where it must stand.", show_default=False)] = None,
    asked: Asked,
    raw: Raw = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, max=MOST, help="At most so many; 0: all.")] = 20,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Search all that was said, asked of tools and given back.

    The best hits come first.

    Examples:
      ccindex search quince jam
      ccindex search '"rye bread"' --type typed --since 30d
      ccindex search 'time*' --tool Bash --project recipe
      ccindex search --status abandoned 'plums OR site NOT photo'
    """
    with opened(db, exact=json or csv or raw) as connection:
        filters = filters_of(connection, asked, limit=limit)
        place = Place(type=type_, status=status.value if status is not None else None)
        hits = run_search(connection, " ".join(query), filters, place)
        # inside, where what a damaged index leads to is known for what it is
        if json:
            show_json({"hits": [hit._asdict() for hit in hits]})
        elif csv:
            show_csv(Hit._fields, hits)
        elif hits:
            say_styled(_listed(hits))
        else:
            remark("nothing found")


def _listed(hits: Sequence[Hit]) -> Iterator[Styled]:
    """Two lines a hit or more: what and where it is, and the words around what was found."""
    width = terminal_width()
    for hit in hits:
        yield _heading(hit, width)
        snippet = " ".join(flat(hit.snippet).replace("⏎", " ").split())
        for line in wrapped(snippet, None if width is None else width - len(_INDENT)):
            yield Styled((("", _INDENT), *_marked(line)))


def _heading(hit: Hit, width: int | None) -> Styled:
    kind = _SHOWN_AS.get(hit.form or "", hit.kind if hit.kind != "side" else hit.type or hit.kind)
    if hit.form == "notification" and hit.agent_id is not None:
        kind = "report"
    place = short(hit.uuid) or f"line {hit.line_no}"  # queued words have no uuid
    ids = flat(f"{short(hit.session_id)}  {place}")
    start = f"{moment(hit.timestamp_ms):<16}  ", f"{flat(kind):<10}  ", ids
    status = "" if hit.status == "active" else f"  {hit.status}"
    agent = "" if hit.agent_id is None else f"  agent {short_agent(hit.agent_id)}"
    where = flat(f"  {project_name(hit.project)}{agent}")
    room = None if width is None else max(width - cells("".join(start)) - len(status), _LEAST)
    shown = where if room is None or cells(where) <= room else chopped(where, room - 1)[0] + "…"
    return Styled((("dim", start[0]), ("bold", start[1]), ("cyan", start[2]), ("", shown), ("yellow", status)))


def _marked(snippet: str) -> Iterator[tuple[str, str]]:
    """The pieces of a snippet; what was found keeps its marks, and has a colour on a terminal."""
    opening, closing = MARKS
    before, *rest = snippet.split(opening)
    yield "", before
    for piece in rest:
        found, sign, after = piece.partition(closing)
        yield "bold green", opening + found + sign
        yield "", after
