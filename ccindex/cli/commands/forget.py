"""`ccindex forget`: remove sessions and projects from the index permanently."""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ccindex.cli.completion import complete_projects, complete_sessions
from ccindex.cli.options import Db, Json, project_folder_name
from ccindex.cli.output import print_json, print_lines, print_message, print_note, print_table
from ccindex.maintain.forget import (
    ForgetPlan,
    allow,
    find_forgotten,
    find_project,
    finish_forgetting,
    is_forgotten,
    list_forgotten,
    plan_forget,
)
from ccindex.maintain.forget import forget as run_forget
from ccindex.maintain.update import open_to_write
from ccindex.model.sources import Tombstone, TombstoneKind
from ccindex.query.ids import resolve_recorded_session
from ccindex.query.lists import escape_surrogates
from ccindex.render.text import format_count, format_size, one_line
from ccindex.secrets.masking import mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path

_MAX_ITEMS = 20  # lines per label


def forget(
    sessions: Annotated[
        list[str] | None,
        typer.Option(
            "--session",
            metavar="ID",
            help="The session. A prefix of its id is enough. Can be repeated.",
            show_default=False,
            autocompletion=complete_sessions,
        ),
    ] = None,
    projects: Annotated[
        list[str] | None,
        typer.Option(
            "--project",
            metavar="NAME",
            help="The project, by full name or path. Can be repeated.",
            show_default=False,
            autocompletion=complete_projects,
        ),
    ] = None,
    *,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would be removed and what would be kept, without removing anything."),
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            help="Do not ask for confirmation. Without a terminal on stdin, or with --json, forget never asks.",
        ),
    ] = False,
    allowed: Annotated[
        bool,
        typer.Option(
            "--allow", help="Undo: let the next ingest index the session or project again if its files still exist."
        ),
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List forgotten sessions and projects.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remove sessions or projects permanently.

    They are removed from the tables, the search index and the archive, and are not indexed again. Claude Code's own
    files are not touched.

    Examples:
      ccindex forget --session 51ea --dry-run
      ccindex forget --session 51ea
      ccindex forget --project ~/projects/client
      ccindex forget --list
      ccindex forget --session 51ea --allow
    """
    path = database_path(db)
    names = (
        [escape_surrogates(name) for name in sessions or []],
        [escape_surrogates(project_folder_name(name)) for name in projects or []],
    )
    if listed and not any(names):
        _list(path, json=json)
        return
    if listed:
        raise typer.BadParameter("--list cannot be combined with --session or --project")
    if not any(names):
        raise typer.BadParameter("specify what to forget or allow with --session or --project, or use --list")
    if allowed and dry_run:
        raise typer.BadParameter("--allow cannot be combined with --dry-run")
    if allowed:
        _allow(path, *names, json=json)
        return
    with reading(path) as connection:
        planned = plan_forget(connection, _resolve_names(connection, *names))
    if dry_run:
        _print_report(planned, is_done=False, json=json)
        return
    if not (json or yes) and sys.stdin.isatty():
        print_lines(map(mask, _lines(planned, is_done=False)))
        typer.confirm("Remove this permanently?", abort=True)
    with open_to_write(path, create=False) as connection:
        planned = plan_forget(connection, _resolve_names(connection, *names))  # the index may have changed
        run_forget(connection, planned)
        is_clean = finish_forgetting(connection)
    _print_report(planned, is_done=True, json=json)
    if not is_clean:
        print_message(
            "another program is reading the index, so the removed data is still in the file; "
            "the next ingest will erase it"
        )


def _resolve_names(connection: sqlite3.Connection, sessions: Sequence[str], projects: Sequence[str]) -> list[Tombstone]:
    """Return tombstones for the given sessions and projects, without duplicates.

    Sessions and projects that are already forgotten are accepted too.
    """
    tombstones = []
    for kind, names, find in (
        (TombstoneKind.SESSION, sessions, resolve_recorded_session),
        (TombstoneKind.PROJECT, projects, find_project),
    ):
        for name in names:
            # the exact name of a tombstone takes precedence over a prefix of another name
            full_name = name if is_forgotten(connection, kind, name) else find(connection, name)
            tombstones.append(Tombstone(kind, full_name))
    return list(dict.fromkeys(tombstones))


def _allow(path: Path, sessions: Sequence[str], projects: Sequence[str], *, json: bool) -> None:
    with open_to_write(path, create=False) as connection:
        tombstones = [
            Tombstone(TombstoneKind.SESSION, find_forgotten(connection, "session", name)) for name in sessions
        ]
        tombstones += [
            Tombstone(TombstoneKind.PROJECT, find_forgotten(connection, "project", name)) for name in projects
        ]
        allow(connection, tombstones)
    if json:
        print_json({"allowed": [tombstone._asdict() for tombstone in tombstones]})
    else:
        print_note("the next ccindex ingest will index the files that still exist")


def _list(path: Path, *, json: bool) -> None:
    with reading(path) as connection:
        rows = list_forgotten(connection)
    if json:
        print_json({"forgotten": rows})
    elif rows:
        print_table(["kind", "name", "forgotten at"], [list(row.values()) for row in rows], mask=mask)
    else:
        print_note("no sessions or projects have been forgotten")


def _print_report(planned: ForgetPlan, *, is_done: bool, json: bool) -> None:
    if json:
        print_json(_document(planned, is_done=is_done))
    else:
        print_lines(map(mask, _lines(planned, is_done=is_done)))


def _document(planned: ForgetPlan, *, is_done: bool) -> dict[str, Any]:
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


def _lines(planned: ForgetPlan, *, is_done: bool) -> Iterator[str]:
    """Yield lines about what is removed, what else is lost, what is kept, and what the user has to do."""
    names = ", ".join(f"{tombstone.kind} {one_line(tombstone.name)}" for tombstone in planned.named)
    files = f"{format_count(len(planned.files), 'file')} ({format_size(planned.bytes)})"
    yield f"{'forgot' if is_done else 'would forget'} {names}: {_format_entries(planned.entries)}, {files}"
    yield from _labelled("file", [one_line(file.path) for file in planned.files])
    blanked = [
        f"{one_line(path)}: {format_count(number, 'object')} blanked in the archive"
        for path, number in planned.blanked.items()
    ]
    yield from _labelled("part of", blanked)
    yield from _labelled(
        "also lost",
        [
            f"{_format_entries(loss.removed)} of session {one_line(loss.session_id)} that exist nowhere else"
            for loss in planned.others
        ],
    )
    yield from _labelled(
        "kept",
        [
            f"copies of {_format_entries(holder.entries)} in session {one_line(holder.session_id)}; "
            "to remove them, forget that session too"
            for holder in planned.holders
        ],
    )
    yield "Claude Code's own files are not touched and will not be indexed again. Delete them yourself if you want to."


def _format_entries(number: int) -> str:
    return format_count(number, "entry", "entries")


def _labelled(label: str, items: Sequence[str]) -> Iterator[str]:
    for item in items[:_MAX_ITEMS]:
        yield f"  {label}  {item}"
    if len(items) > _MAX_ITEMS:
        yield f"  {label}  … and {len(items) - _MAX_ITEMS:,} more (--json lists all)"
