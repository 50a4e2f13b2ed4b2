"""`ccindex search`: full-text search in prompts, answers, thinking, tool calls and results."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from ccindex.cli.options import (
    MAX_ROWS,
    Csv,
    Db,
    FilterOptions,
    Json,
    Raw,
    add_filter_options,
    list_choices,
    resolve_filters,
)
from ccindex.cli.output import (
    choose_mask,
    format_time,
    open_index,
    print_csv,
    print_json,
    print_note,
    print_styled,
    terminal_width,
)
from ccindex.query.search import MARKS, Hit, HitFilters
from ccindex.query.search import search as run_search
from ccindex.render.text import StyledLine, cell_width, chop, one_line, project_name, short_agent, short_id, wrap
from ccindex.secrets.masking import Mask, no_mask

_INDENT = "    "
_MIN_PROJECT_CHARS = 12
_KIND_NAMES = {"queued": "prompt", "notification": "notice"}  # form -> label that is clearer than the entry's kind


class Status(StrEnum):
    """The status of an entry: on an active line, on an abandoned line, or set aside."""

    ACTIVE = "active"
    ABANDONED = "abandoned"
    SET_ASIDE = "set-aside"


@add_filter_options
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help='Words, "a phrase", a prefix*, AND, OR, NOT, NEAR(...), parentheses. A query with invalid syntax is '
            "treated as plain words.",
        ),
    ],
    *,
    type_: Annotated[
        str | None,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="Only entries of this type (user, assistant, ...), kind (prompt, result, ...) or form (typed, ...).",
            show_default=False,
        ),
    ] = None,
    status: Annotated[
        Status | None,
        typer.Option(
            metavar="STATUS",
            help=f"Only entries with this status: {list_choices(Status)}.",
            show_default=False,
        ),
    ] = None,
    options: FilterOptions,
    raw: Raw = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, max=MAX_ROWS, help="Show at most N matches. 0 shows all.")
    ] = 20,
    csv: Csv = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Search prompts, answers, thinking, tool calls and results.

    The best matches are listed first.

    Examples:
      ccindex search quince jam
      ccindex search '"rye bread"' --type typed --since 30d
      ccindex search 'time*' --tool Bash --project recipe
      ccindex search --status abandoned 'plums OR site NOT photo'
    """
    mask = no_mask if json or csv else choose_mask(raw=raw)
    with open_index(db) as connection:
        filters = resolve_filters(connection, options, limit=limit)
        conditions = HitFilters(type=type_, status=status.value if status is not None else None)
        hits = run_search(connection, " ".join(query), filters, conditions, mask=mask)
        # printed while the index is open, so that an unexpected value is reported as damage to the index
        if json:
            print_json({"hits": [hit._asdict() for hit in hits]})
        elif csv:
            print_csv(Hit._fields, hits)
        elif hits:
            print_styled(_hit_lines(hits, width=terminal_width(), mask=mask))
        else:
            print_note("nothing found")


def _hit_lines(hits: Sequence[Hit], *, width: int | None, mask: Mask) -> Iterator[StyledLine]:
    """Yield a heading and the matching text per hit. Snippets are already masked."""
    for hit in hits:
        yield _heading(hit, width, mask)
        snippet = " ".join(one_line(hit.snippet).replace("⏎", " ").split())
        for line in wrap(snippet, None if width is None else width - len(_INDENT)):
            yield StyledLine((("", _INDENT), *_marked(line)))


def _heading(hit: Hit, width: int | None, mask: Mask) -> StyledLine:
    kind = _KIND_NAMES.get(hit.form or "", hit.kind if hit.kind != "side" else hit.type or hit.kind)
    if hit.form == "notification" and hit.agent_id is not None:
        kind = "report"
    entry = short_id(hit.uuid) or f"line {hit.line_no}"  # queued text that is not in any entry has no uuid
    ids = one_line(f"{short_id(hit.session_id)}  {entry}")
    start = f"{format_time(hit.timestamp_ms):<16}  ", f"{one_line(mask(kind)):<10}  ", ids
    status = "" if hit.status == "active" else f"  {hit.status}"
    agent = "" if hit.agent_id is None else f"  agent {short_agent(hit.agent_id)}"
    where = one_line(f"  {project_name(mask(hit.project))}{agent}")
    room = None if width is None else max(width - cell_width("".join(start)) - len(status), _MIN_PROJECT_CHARS)
    shown = where if room is None or cell_width(where) <= room else chop(where, room - 1)[0] + "…"
    return StyledLine((("dim", start[0]), ("bold", start[1]), ("cyan", start[2]), ("", shown), ("yellow", status)))


def _marked(snippet: str) -> Iterator[tuple[str, str]]:
    """Yield the spans of a snippet. Matches keep their marks and are highlighted on a terminal."""
    opening, closing = MARKS
    before, *pieces = snippet.split(opening)
    yield "", before
    for piece in pieces:
        match, mark, after = piece.partition(closing)
        yield "bold green", opening + match + mark
        yield "", after
