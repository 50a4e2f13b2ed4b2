"""`ccindex show`: a session, line, entry or path as a readable transcript."""

from typing import Annotated

import typer

from ccindex.cli.completion import complete_sessions
from ccindex.cli.options import Db, Json
from ccindex.cli.output import open_index, say_bytes, say_styled, show_json_list, terminal_width
from ccindex.query.export import load_entries
from ccindex.query.ids import resolve_id
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import load_transcript
from ccindex.render.terminal import transcript_lines
from ccindex.secrets.masking import mask


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
    with open_index(db) as connection:
        target = resolve_id(connection, wanted)
        is_text = not (json or raw)
        default = AgentPlacement.SKIPPED if is_text else AgentPlacement.AFTER
        placement = {None: default, True: AgentPlacement.INSIDE, False: AgentPlacement.SKIPPED}[agents]
        order = ReadingOrder(placement, inline)
        if is_text:
            items = load_transcript(connection, target, order, everything=everything)
            is_full = full or target.kind == "entry"
            say_styled(transcript_lines(items, width=terminal_width(), mask=mask, full=is_full))
            return
        entries = load_entries(connection, target, order, everything=everything, with_raw=raw)
        if not json:
            say_bytes(entry["raw"] + b"\n" for entry in entries)
            return
        if raw:
            entries = (entry | {"raw": entry["raw"].decode(errors="replace")} for entry in entries)
        show_json_list({"id": target.id, "kind": target.kind}, "entries", entries)
