"""`ccindex show`: a session, line, entry or path as a readable transcript."""

from typing import Annotated

import typer

from ccindex.cli.completion import complete_sessions
from ccindex.cli.options import Db, Json
from ccindex.cli.output import open_index, print_bytes, print_json_list, print_styled, terminal_width
from ccindex.query.export import load_entries
from ccindex.query.ids import resolve_id
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import load_transcript
from ccindex.render.terminal import transcript_lines
from ccindex.secrets.masking import mask


def show(
    item_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="Id of a session, line, entry or path, or a prefix of it.",
            autocompletion=complete_sessions,
        ),
    ],
    *,
    agents: Annotated[
        bool | None,
        typer.Option(
            "--agents/--no-agents",
            help="Show subagents where they were spawned, or leave them out. By default, text output leaves them out "
            "and JSON output includes them at the end.",
            show_default=False,
        ),
    ] = None,
    inline: Annotated[bool, typer.Option("--inline", help="Show branches and subagents where they start.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show entries that are not part of the conversation.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not shorten results or long text.")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Print the recorded JSON objects, one per line, byte for byte.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a conversation in reading order.

    Tool results follow their calls. Set-aside entries are marked and shown in time order. Text typed while Claude was
    working is shown where it was typed. If no entry contains this text, its uuid in JSON is null, and source_path and
    line_no identify it.

    Examples:
      ccindex show 51ea | less
      ccindex show 51ea --agents
      ccindex show 2cb4e296 --full
      ccindex show 51ea40b0@2cb4e296
      ccindex show 2cb4e296 --raw | jq .
    """
    with open_index(db) as connection:
        target = resolve_id(connection, item_id)
        is_text = not (json or raw)
        default = AgentPlacement.SKIPPED if is_text else AgentPlacement.AFTER
        placement = {None: default, True: AgentPlacement.INSIDE, False: AgentPlacement.SKIPPED}[agents]
        order = ReadingOrder(placement, inline)
        if is_text:
            items = load_transcript(connection, target, order, everything=everything)
            is_full = full or target.kind == "entry"
            print_styled(transcript_lines(items, width=terminal_width(), mask=mask, full=is_full))
            return
        entries = load_entries(connection, target, order, everything=everything, with_raw=raw)
        if not json:
            print_bytes(entry["raw"] + b"\n" for entry in entries)
            return
        if raw:
            entries = (entry | {"raw": entry["raw"].decode(errors="replace")} for entry in entries)
        print_json_list({"id": target.id, "kind": target.kind}, "entries", entries)
