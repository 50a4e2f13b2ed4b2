"""`ccindex doctor`: check the integrity of the index and report its state."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import print_json, print_styled, terminal_width
from ccindex.errors import CheckFailed, IndexDamaged
from ccindex.query.doctor import (
    Check,
    DiskSpace,
    DoctorContext,
    FoundSecrets,
    LastChange,
    advice,
    check_index,
    disk_space,
    last_change,
    scan_archive,
)
from ccindex.read.discovery import Retention, default_folders, home_folder, read_retention
from ccindex.render.tables import secrets_lines, secrets_summary
from ccindex.render.text import (
    StyledLine,
    format_age,
    format_count,
    format_minute,
    format_size,
    one_line,
    styled_line,
    wrap_with_label,
)
from ccindex.secrets.masking import mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path, last_run_ms


def doctor(
    *,
    everything: Annotated[bool, typer.Option("--all", help="List every invariant with its description.")] = False,
    secrets: Annotated[
        bool,
        typer.Option(
            "--secrets", help="Search for keys, tokens and passwords. Shows where they are, never their values."
        ),
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Check the index and suggest fixes.

    Checks the database file, the archive and all invariants. The exit code is 1 if a check fails.

    Examples:
      ccindex doctor
      ccindex doctor --all
      ccindex doctor --secrets
      ccindex doctor --json | jq '.checks[] | select(.ok | not)'
    """
    path = database_path(db)
    retention = read_retention(default_folders(os.environ, home_folder()))
    context = DoctorContext(time.time_ns() // 1_000_000, last_run_ms(path), retention, path)
    steps: list[str] = []
    found_secrets: list[FoundSecrets] = []
    try:
        with reading(path) as connection:
            space = disk_space(connection, path)
            found_secrets = list(scan_archive(connection)) if secrets else []
            checks = [*check_index(connection), *_context_checks(context, space, last_change(connection))]
            checks += [Check("secrets", ok=True, detail=secrets_summary(found_secrets))] if secrets else []
            if all(check.ok for check in checks):
                steps = list(advice(connection, context, space))
    except IndexDamaged as error:
        checks = [Check("integrity", ok=False, detail=str(error))]
    # "accounting" summarises other checks
    failed = [check.name for check in checks if not check.ok and check.name != "accounting"]
    if json:
        listed = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        locations = {"secrets": [asdict(location) for location in found_secrets]} if secrets else {}
        print_json({"ok": not failed, "checks": listed, "advice": steps} | locations)
    else:
        print_styled(_page(checks, steps, everything=everything))
        print_styled(secrets_lines(found_secrets, width=terminal_width(), mask=mask))
    if failed:
        raise CheckFailed(failed)


def _context_checks(context: DoctorContext, space: DiskSpace, last: LastChange | None) -> Iterator[Check]:
    """Yield checks that report the last run, the retention period and disk usage. They never fail."""
    ran = "unknown"
    if context.last_ingest_ms is not None:
        ran = f"{format_minute(context.last_ingest_ms)} UTC, {format_age(context.last_ingest_ms, context.now_ms)}"
    changed = "" if last is None else f"; last change: {format_minute(last.at_ms)}, {last.status}"
    yield Check("last-run", ok=True, detail=ran + changed)
    yield Check("retention", ok=True, detail=_retention(context.retention))
    index, archive, recorded, unused = map(format_size, (space.index, space.archive, space.recorded, space.unused))
    yield Check(
        "disk", ok=True, detail=f"{index}, including a {archive} archive of {recorded} of files; {unused} unused"
    )


def _retention(retention: Retention) -> str:
    rule = f"Claude Code deletes transcripts after {format_count(retention.days, 'day')}"
    if retention.source is None:
        return f"{rule} (default)"
    if retention.problem is not None:
        return f"{rule} unless {retention.source} sets another period; cannot read that file: {retention.problem}"
    return f"{rule} (cleanupPeriodDays in {retention.source})"


def _page(checks: Sequence[Check], steps: Sequence[str], *, everything: bool) -> Iterator[StyledLine]:
    shown = [check for check in checks if everything or not check.is_summarised or not check.ok]
    width = max(len(check.name) for check in shown)
    for check in shown:
        mark = ("green", "ok ") if check.ok else ("bold red", "BAD")
        yield from _labelled_lines(mark, f"  {check.name:<{width}}  ", one_line(mask(check.detail)))
    if steps:
        yield styled_line("", "")
    for step in steps:
        yield from _labelled_lines(("yellow", "→"), " ", step)


def _labelled_lines(mark: tuple[str, str], label: str, text: str) -> Iterator[StyledLine]:
    """Yield a coloured mark, a label, and text that is wrapped beside them."""
    first, *more = wrap_with_label(mark[1] + label, text, terminal_width())
    yield StyledLine((mark, ("", first.removeprefix(mark[1]))))
    yield from (styled_line("", line) for line in more)
