"""`ccindex show`: a session, line, entry or path as a readable transcript."""

from typing import Annotated

import typer

from ccindex.cli.completion import complete_sessions
from ccindex.cli.options import Db, Json
from ccindex.cli.output import opened, say_bytes, say_styled, show_json_list
from ccindex.cli.tables import terminal_width
from ccindex.query.ids import anything_named
from ccindex.query.reading_order import Agents, Manner
from ccindex.query.session_json import Shown, entries_of, recorded_queued, recorder
from ccindex.query.transcript import transcript_of
from ccindex.render.terminal import Page, page_of


def show(
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A session, line, entry or path, or the beginning of its id.",
            autocompletion=complete_sessions,
        ),
    ],
    *,
    agents: Annotated[
        bool | None,
        typer.Option(
            "--agents/--no-agents",
            help="Subagents where they were spawned, or not at all. Default: only named in text, at the end in JSON.",
            show_default=False,
        ),
    ] = None,
    inline: Annotated[bool, typer.Option("--inline", help="Enter branches and agents where they leave.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also entries that are not part of the conversation.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold results and long texts.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The recorded JSON, one object a line, byte for byte.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a conversation in reading order.

    Results stand with their calls. Entries that were set aside stand in their place in time, marked. Words that were
    typed while Claude was working stand where they were typed; those that no entry holds have the uuid null in JSON,
    and source_path and line_no identify them.

    Examples:
      ccindex show 51ea | less
      ccindex show 51ea --agents
      ccindex show 2cb4e296 --full
      ccindex show 51ea40b0@2cb4e296
      ccindex show 2cb4e296 --raw | jq .
    """
    with opened(db, exact=json or raw) as connection:
        named = anything_named(connection, wanted)
        is_text = not (json or raw)
        default = Agents.SKIPPED if is_text else Agents.AFTER
        manner = Manner({None: default, True: Agents.INSIDE, False: Agents.SKIPPED}[agents], inline)
        if is_text:
            page = Page(terminal_width(), is_full=full or named.kind == "entry")
            say_styled(page_of(transcript_of(connection, named, manner, everything=everything), page))
            return
        entries = entries_of(connection, named, manner, everything=everything)
        by_uuid = recorder(connection)

        def recorded(entry: Shown) -> bytes:
            if entry["uuid"] is None:
                return recorded_queued(connection, entry["source_path"], entry["line_no"])
            return by_uuid(entry["uuid"])

        if not json:
            say_bytes(recorded(entry) + b"\n" for entry in entries)
            return
        if raw:
            entries = (entry | {"raw": recorded(entry).decode(errors="replace")} for entry in entries)
        show_json_list({"id": named.id, "kind": named.kind}, "entries", entries)
