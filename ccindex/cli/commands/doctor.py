"""`ccindex doctor`: prove that the index is sound, and say what is worth knowing about it."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import say_styled, show_json, terminal_width
from ccindex.errors import CheckFailed, IndexDamaged
from ccindex.query.doctor import (
    Check,
    DiskSpace,
    DoctorContext,
    FoundSecrets,
    LastChange,
    advice,
    disk_space,
    examine,
    last_change,
    scan_archive,
)
from ccindex.read.discovery import Retention, default_places, home_folder, retention_of
from ccindex.render.tables import secrets_lines, secrets_summary
from ccindex.render.text import StyledLine, ago, count, flat, hanging, minute, size, styled
from ccindex.secrets.masking import mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path, last_run_ms


def doctor(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Every invariant with its sentence.")] = False,
    secrets: Annotated[
        bool, typer.Option("--secrets", help="Look for keys, tokens and passwords; tells where, never what.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Prove that the index is sound, and give advice.

    Looks at the database, the archive and the accounting; exits 1 if something is broken.

    Examples:
      ccindex doctor
      ccindex doctor --all
      ccindex doctor --secrets
      ccindex doctor --json | jq '.checks[] | select(.ok | not)'
    """
    path = database_path(db)
    retention = retention_of(default_places(os.environ, home_folder()))
    context = DoctorContext(time.time_ns() // 1_000_000, last_run_ms(path), retention, path)
    steps: list[str] = []
    found: list[FoundSecrets] = []
    try:
        with reading(path) as connection:
            space = disk_space(connection, path)
            found = list(scan_archive(connection)) if secrets else []
            checks = [*examine(connection), *_context_checks(context, space, last_change(connection))]
            checks += [Check("secrets", ok=True, detail=secrets_summary(found))] if secrets else []
            if all(check.ok for check in checks):
                steps = list(advice(connection, context, space))
    except IndexDamaged as error:
        checks = [Check("integrity", ok=False, detail=str(error))]
    broken = [check.name for check in checks if not check.ok and check.name != "accounting"]  # which consists of others
    if json:
        listed = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        places = {"secrets": [asdict(place) for place in found]} if secrets else {}
        show_json({"ok": not broken, "checks": listed, "advice": steps} | places)
    else:
        say_styled(_page(checks, steps, everything=everything))
        say_styled(secrets_lines(found, width=terminal_width(), mask=mask))
    if broken:
        raise CheckFailed(broken)


def _context_checks(context: DoctorContext, space: DiskSpace, last: LastChange | None) -> Iterator[Check]:
    """Yield what is worth knowing about runs, retention and disk."""
    ran = "not noted"
    if context.ran_ms is not None:
        ran = f"{minute(context.ran_ms)} UTC, {ago(context.ran_ms, context.now_ms)}"
    changed = "" if last is None else f"; last new: {minute(last.at_ms)}, {last.status}"
    yield Check("last-run", ok=True, detail=ran + changed)
    yield Check("retention", ok=True, detail=_retention(context.retention))
    sizes = f"{size(space.index)}: {size(space.archive)} of archive for {size(space.recorded)} recorded"
    yield Check("disk", ok=True, detail=f"{sizes}, {size(space.unused)} not in use")


def _retention(retention: Retention) -> str:
    rule = f"Claude Code deletes transcripts after {count(retention.days, 'day')}"
    if retention.source is None:
        return f"{rule}, by default"
    if retention.problem is not None:
        return f"{rule} unless {retention.source} says otherwise, which cannot be read: {retention.problem}"
    return f"{rule}, by cleanupPeriodDays in {retention.source}"


def _page(checks: Sequence[Check], steps: Sequence[str], *, everything: bool) -> Iterator[StyledLine]:
    shown = [check for check in checks if everything or not check.is_part or not check.ok]
    width = max(len(check.name) for check in shown)
    for check in shown:
        mark = ("green", "ok ") if check.ok else ("bold red", "BAD")
        yield from _hung(mark, f"  {check.name:<{width}}  ", flat(mask(check.detail)))
    if steps:
        yield styled("", "")
    for step in steps:
        yield from _hung(("yellow", "→"), " ", step)


def _hung(mark: tuple[str, str], label: str, text: str) -> Iterator[StyledLine]:
    """Yield a mark in its colour, a label, and a text beside them."""
    first, *more = hanging(mark[1] + label, text, terminal_width())
    yield StyledLine((mark, ("", first.removeprefix(mark[1]))))
    yield from (styled("", line) for line in more)
