"""`ccindex show`: a session, line, entry or path as a readable transcript."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ccindex.query.ids import anything_named
from ccindex.query.show import Shown, entries_of
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .options import Db, Json
from .output import flat, say_lines, show_json_list

_LONGEST = 2_000


def show(
    wanted: Annotated[
        str, typer.Argument(metavar="ID", help="A session, line, entry or path, or the beginning of its id.")
    ],
    *,
    inline: Annotated[bool, typer.Option("--inline", help="Enter branches and agents where they leave.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not cut long texts.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show entries in reading order; what was set aside stands at its fork, marked."""
    with reading(database_path(db)) as connection:
        named = anything_named(connection, wanted)
        entries = entries_of(connection, named, inline=inline)
        if json:
            show_json_list({"id": named.id, "kind": named.kind}, "entries", entries)
        else:
            say_lines(_transcript(entries, longest=None if full else _LONGEST))


def _transcript(entries: Iterator[Shown], *, longest: int | None) -> Iterator[str]:
    line_id = None
    for entry in entries:
        if entry["set_aside"] is None and entry["line_id"] != line_id:
            line_id = entry["line_id"]
            yield flat(f"== {line_id}")
            yield ""
        mark = f"  [set aside: {entry['set_aside']}]" if entry["set_aside"] else ""
        yield flat(f"-- {_heading(entry)}{mark}")
        for block in entry["blocks"]:
            yield from _block(block, longest)
        if not entry["blocks"] and entry["text"]:
            yield _cut(entry["text"], longest)
        yield ""


def _heading(entry: Shown) -> str:
    what = entry["kind"] if entry["kind"] != "side" else (entry["subtype"] or entry["type"] or "side")
    parts = [what, entry["timestamp"], entry["uuid"], entry["model"]]
    return "  ".join(part for part in parts if part)


def _block(block: dict[str, Any], longest: int | None) -> Iterator[str]:
    if block["type"] == "tool_use":
        yield f"-> {block['tool_name']} {_cut(block['input'] or '', longest)}"
    elif block["type"] == "tool_result":
        yield f"<- {'error: ' if block['is_error'] else ''}{_cut(block['text'] or '', longest)}"
    elif block["type"] == "thinking":
        yield f"(thinking) {_cut(block['text'] or '', longest)}"
    else:
        yield _cut(block["text"] or f"[{block['type']}]", longest)


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters: --full)"
