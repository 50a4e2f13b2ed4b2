"""`ccindex doctor`: prove that the index is sound, and say what is worth knowing about it."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import say_styled, show_json
from ccindex.cli.tables import terminal_width
from ccindex.errors import CheckFailed, IndexDamaged
from ccindex.query.doctor import Check, LastChange, Room, Surroundings, advice, examine, last_change, room_of
from ccindex.query.secret_scan import Leak, leaks
from ccindex.read.discovery import Retention, default_places, home_folder, retention_of
from ccindex.render.secret_lines import places, summary
from ccindex.render.text import Styled, ago, count, flat, hanging, minute, size, styled
from ccindex.secrets.masking import masked
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
    around = Surroundings(time.time_ns() // 1_000_000, last_run_ms(path), retention, path)
    steps: list[str] = []
    found: list[Leak] = []
    try:
        with reading(path) as connection:
            room = room_of(connection, path)
            found = list(leaks(connection)) if secrets else []
            checks = [*examine(connection), *_around(around, room, last_change(connection))]
            checks += [Check("secrets", ok=True, detail=summary(found))] if secrets else []
            if all(check.ok for check in checks):
                steps = list(advice(connection, around, room))
    except IndexDamaged as error:
        checks = [Check("integrity", ok=False, detail=str(error))]
    broken = [check.name for check in checks if not check.ok and check.name != "accounting"]  # which is its parts
    if json:
        told = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        listed = {"secrets": [asdict(leak) for leak in found]} if secrets else {}
        show_json({"ok": not broken, "checks": told, "advice": steps} | listed)
    else:
        say_styled(_page(checks, steps, everything=everything))
        say_styled(places(found, terminal_width()))
    if broken:
        raise CheckFailed(broken)


def _around(around: Surroundings, room: Room, last: LastChange | None) -> Iterator[Check]:
    """What is worth knowing besides what the index proves."""
    ran = "not noted"
    if around.ran_ms is not None:
        ran = f"{minute(around.ran_ms)} UTC, {ago(around.ran_ms, around.now_ms)}"
    changed = "" if last is None else f"; last new: {minute(last.at_ms)}, {last.status}"
    yield Check("last-run", ok=True, detail=ran + changed)
    yield Check("retention", ok=True, detail=_kept(around.retention))
    told = f"{size(room.index)}: {size(room.archive)} of archive for {size(room.recorded)} recorded"
    yield Check("disk", ok=True, detail=f"{told}, {size(room.unused)} not in use")


def _kept(retention: Retention) -> str:
    told = f"Claude Code deletes transcripts after {count(retention.days, 'day')}"
    if retention.source is None:
        return f"{told}, by default"
    if retention.problem is not None:
        return f"{told} unless {retention.source} says otherwise, which cannot be read: {retention.problem}"
    return f"{told}, by cleanupPeriodDays in {retention.source}"


def _page(checks: Sequence[Check], steps: Sequence[str], *, everything: bool) -> Iterator[Styled]:
    shown = [check for check in checks if everything or not check.is_part or not check.ok]
    width = max(len(check.name) for check in shown)
    for check in shown:
        mark = ("green", "ok ") if check.ok else ("bold red", "BAD")
        yield from _hung(mark, f"  {check.name:<{width}}  ", flat(masked(check.detail)))
    if steps:
        yield styled("", "")
    for step in steps:
        yield from _hung(("yellow", "→"), " ", step)


def _hung(mark: tuple[str, str], label: str, text: str) -> Iterator[Styled]:
    """A mark in its colour, a label, and a text that stays beside them."""
    first, *more = hanging(mark[1] + label, text, terminal_width())
    yield Styled((mark, ("", first.removeprefix(mark[1]))))
    yield from (styled("", line) for line in more)
