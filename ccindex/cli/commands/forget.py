"""`ccindex forget`: sessions and projects out of the index for good."""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ccindex.cli.completion import complete_projects, complete_sessions
from ccindex.cli.options import Db, Json, folder_name
from ccindex.cli.output import complain, remark, say_lines, show_json, show_table
from ccindex.maintain.forget import (
    Plan,
    all_forgotten,
    allow,
    finish_forgetting,
    forgotten_named,
    is_forgotten,
    plan_forget,
    project_named,
)
from ccindex.maintain.forget import forget as run_forget
from ccindex.maintain.update import open_to_write
from ccindex.model.sources import Forgets, Tombstone
from ccindex.query.ids import resolve_recorded_session
from ccindex.query.lists import storable
from ccindex.render.text import count, flat, size
from ccindex.secrets.masking import mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path

_SHOWN = 20


def forget(
    sessions: Annotated[
        list[str] | None,
        typer.Option(
            "--session",
            metavar="ID",
            help="This session; the beginning of its id will do. May be given several times.",
            show_default=False,
            autocompletion=complete_sessions,
        ),
    ] = None,
    projects: Annotated[
        list[str] | None,
        typer.Option(
            "--project",
            metavar="NAME",
            help="This project, by its whole name or its path. May be given several times.",
            show_default=False,
            autocompletion=complete_projects,
        ),
    ] = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would go and what would stay.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, even on a terminal.")] = False,
    allowed: Annotated[
        bool, typer.Option("--allow", help="Take it off the list: what is still on disk is indexed by the next run.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List what was forgotten.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remove sessions or projects for good.

    They leave tables, search and archive and do not come back. Claude Code's own files stay where they are.

    Examples:
      ccindex forget --session 51ea --dry-run
      ccindex forget --session 51ea
      ccindex forget --project ~/projects/client
      ccindex forget --list
      ccindex forget --session 51ea --allow
    """
    path = database_path(db)
    wanted = [storable(name) for name in sessions or []], [storable(folder_name(name)) for name in projects or []]
    if listed and not any(wanted):
        _list(path, json=json)
        return
    if listed or not any(wanted) or (allowed and dry_run):
        raise typer.BadParameter("name a --session or a --project to forget or to --allow, or ask for the --list")
    if allowed:
        _allow(path, *wanted, json=json)
        return
    with reading(path) as connection:
        planned = plan_forget(connection, _named(connection, *wanted))
    if dry_run:
        _tell(planned, is_done=False, json=json)
        return
    if not (json or yes) and sys.stdin.isatty():
        say_lines(map(mask, _lines(planned, is_done=False)))
        typer.confirm("Remove this for good?", abort=True)
    with open_to_write(path, create=False) as connection:
        planned = plan_forget(connection, _named(connection, *wanted))  # a run may have changed the index meanwhile
        run_forget(connection, planned)
        is_clean = finish_forgetting(connection)
    _tell(planned, is_done=True, json=json)
    if not is_clean:
        complain("another program is reading the index, so traces are left in its file; the next run removes them")


def _named(connection: sqlite3.Connection, sessions: Sequence[str], projects: Sequence[str]) -> list[Tombstone]:
    """Return the sessions and projects that were named, each once; they may have been forgotten before."""
    named = []
    for kind, names, find in (
        (Forgets.SESSION, sessions, resolve_recorded_session),
        (Forgets.PROJECT, projects, project_named),
    ):
        for name in names:
            # an exact name that was forgotten comes before prefixes of others
            found = name if is_forgotten(connection, kind, name) else find(connection, name)
            named.append(Tombstone(kind, found))
    return list(dict.fromkeys(named))


def _allow(path: Path, sessions: Sequence[str], projects: Sequence[str], *, json: bool) -> None:
    with open_to_write(path, create=False) as connection:
        named = [Tombstone(Forgets.SESSION, forgotten_named(connection, "session", name)) for name in sessions]
        named += [Tombstone(Forgets.PROJECT, forgotten_named(connection, "project", name)) for name in projects]
        allow(connection, named)
    if json:
        show_json({"allowed": [tombstone._asdict() for tombstone in named]})
    else:
        remark("what is still on disk of it is indexed by the next run: ccindex ingest")


def _list(path: Path, *, json: bool) -> None:
    with reading(path) as connection:
        rows = all_forgotten(connection)
    if json:
        show_json({"forgotten": rows})
    elif rows:
        show_table(["kind", "name", "forgotten at"], [list(row.values()) for row in rows], mask=mask)
    else:
        remark("nothing was forgotten")


def _tell(planned: Plan, *, is_done: bool, json: bool) -> None:
    if json:
        show_json(_document(planned, is_done=is_done))
    else:
        say_lines(map(mask, _lines(planned, is_done=is_done)))


def _document(planned: Plan, *, is_done: bool) -> dict[str, Any]:
    return {
        "dry_run": not is_done,
        "forgotten": [tombstone._asdict() for tombstone in planned.named],
        "files": [{"path": file.path, "bytes": file.position.archived} for file in planned.files],
        "blanked": [{"path": path, "objects": number} for path, number in planned.blanked.items()],
        "entries": planned.entries,
        "sessions": [
            {"session_id": loss.session_id, "entries_removed": loss.removed, "entries_kept": loss.kept}
            for loss in planned.losses
        ],
        "copies": [{"session_id": holder.session_id, "entries": holder.entries} for holder in planned.holders],
    }


def _lines(planned: Plan, *, is_done: bool) -> Iterator[str]:
    """Yield what is removed, what else is lost, what stays, and what the user has to do."""
    names = ", ".join(f"{tombstone.kind} {flat(tombstone.name)}" for tombstone in planned.named)
    files = f"{count(len(planned.files), 'file')} with {size(planned.bytes)}"
    yield f"{'forgot' if is_done else 'would forget'} {names}: {count(planned.entries, 'entry', 'entries')}, {files}"
    yield from _some("removed", [flat(file.path) for file in planned.files])
    blanked = [
        f"{flat(path)}: {count(number, 'object')}, blanked in the archive" for path, number in planned.blanked.items()
    ]
    yield from _some("parts of", blanked)
    yield from _some(
        "with it",
        [
            f"{count(loss.removed, 'entry', 'entries')} of session {flat(loss.session_id)}, which nothing else holds"
            for loss in planned.others
        ],
    )
    yield from _some(
        "stays",
        [
            f"copies of {count(holder.entries, 'entry', 'entries')} in session {flat(holder.session_id)}; "
            "forget that too if they are to go"
            for holder in planned.holders
        ],
    )
    yield "Claude Code's own files are left as they are and not indexed again: delete them if they are to go."


def _some(label: str, items: Sequence[str]) -> Iterator[str]:
    for item in items[:_SHOWN]:
        yield f"  {label}  {item}"
    if len(items) > _SHOWN:
        yield f"  {label}  and {len(items) - _SHOWN:,} more: --json lists them"
