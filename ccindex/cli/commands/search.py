"""`ccindex search`: full-text search in prompts, answers, thinking, calls and results."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from ccindex.cli.options import MAX_ROWS, Csv, Db, FilterOptions, Json, Raw, filters_of, takes_filters
from ccindex.cli.output import mask_for, moment, open_index, remark, say_styled, show_csv, show_json, terminal_width
from ccindex.query.search import MARKS, Hit, HitFilters
from ccindex.query.search import search as run_search
from ccindex.render.text import StyledLine, cells, chopped, flat, project_name, short, short_agent, wrapped
from ccindex.secrets.masking import Mask, no_mask

_INDENT = "    "
_MIN_PROJECT_CHARS = 12
_NAMES = {"queued": "prompt", "notification": "notice"}  # of forms whose kind and type say less


class Status(StrEnum):
    """Where an entry is."""

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
    options: FilterOptions,
    raw: Raw = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, max=MAX_ROWS, help="At most so many; 0: all.")
    ] = 20,
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
    mask = no_mask if json or csv else mask_for(raw=raw)
    with open_index(db) as connection:
        filters = filters_of(connection, options, limit=limit)
        conditions = HitFilters(type=type_, status=status.value if status is not None else None)
        hits = run_search(connection, " ".join(query), filters, conditions, mask=mask)
        # printed inside, so that an odd value is reported as damage of the index
        if json:
            show_json({"hits": [hit._asdict() for hit in hits]})
        elif csv:
            show_csv(Hit._fields, hits)
        elif hits:
            say_styled(_hit_lines(hits, width=terminal_width(), mask=mask))
        else:
            remark("nothing found")


def _hit_lines(hits: Sequence[Hit], *, width: int | None, mask: Mask) -> Iterator[StyledLine]:
    """Yield a heading per hit, and the words around the matches; snippets are masked already."""
    for hit in hits:
        yield _heading(hit, width, mask)
        snippet = " ".join(flat(hit.snippet).replace("⏎", " ").split())
        for line in wrapped(snippet, None if width is None else width - len(_INDENT)):
            yield StyledLine((("", _INDENT), *_marked(line)))


def _heading(hit: Hit, width: int | None, mask: Mask) -> StyledLine:
    kind = _NAMES.get(hit.form or "", hit.kind if hit.kind != "side" else hit.type or hit.kind)
    if hit.form == "notification" and hit.agent_id is not None:
        kind = "report"
    place = short(hit.uuid) or f"line {hit.line_no}"  # queued words have no uuid
    ids = flat(f"{short(hit.session_id)}  {place}")
    start = f"{moment(hit.timestamp_ms):<16}  ", f"{flat(mask(kind)):<10}  ", ids
    status = "" if hit.status == "active" else f"  {hit.status}"
    agent = "" if hit.agent_id is None else f"  agent {short_agent(hit.agent_id)}"
    where = flat(f"  {project_name(mask(hit.project))}{agent}")
    room = None if width is None else max(width - cells("".join(start)) - len(status), _MIN_PROJECT_CHARS)
    shown = where if room is None or cells(where) <= room else chopped(where, room - 1)[0] + "…"
    return StyledLine((("dim", start[0]), ("bold", start[1]), ("cyan", start[2]), ("", shown), ("yellow", status)))


def _marked(snippet: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a snippet; matches keep their marks and are coloured on a terminal."""
    opening, closing = MARKS
    before, *rest = snippet.split(opening)
    yield "", before
    for piece in rest:
        found, sign, after = piece.partition(closing)
        yield "bold green", opening + found + sign
        yield "", after
