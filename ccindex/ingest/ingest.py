"""Files on disk into the index: what is new is read, what is gone is noted, the rest is not opened."""

import os
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ccindex.errors import NoSuchPath
from ccindex.ingest.run import Run
from ccindex.ingest.scan import is_covered, mark_missing, replace_scan_diagnostics
from ccindex.model.events import Phases
from ccindex.model.sources import Forgotten, Found, Known
from ccindex.read.discovery import Survey, files, printable
from ccindex.store.create import Outdated, end_upgrade, outdated_rows
from ccindex.store.sources import known_below
from ccindex.store.tombstones import is_refilled, is_scrub_due, load_forgotten

if TYPE_CHECKING:
    from ccindex.ingest.taking import Changed, Watcher


@dataclass(frozen=True, slots=True)
class Report:
    """How a run ended and what it counted; run_id is None if nothing changed."""

    run_id: int | None
    status: str
    files: dict[str, int]
    bytes_read: int
    lines_read: int
    entries_added: int
    malformed_lines: int
    seconds: float
    phases: dict[str, float]


def begin(connection: sqlite3.Connection, jobs: int = 0) -> Run:
    """Start a run on rows that this ccindex understands; nothing else is written before there is a need.

    `jobs`: how many further processes may read for it.
    """
    _finish_forgetting(connection)
    if outdated_rows(connection) is Outdated.NONE:
        end_upgrade(connection)
    else:
        from ccindex.maintain.rebuild import renew_if_outdated  # noqa: PLC0415 - see `ingest`

        renew_if_outdated(connection)
    return Run(connection, jobs)


def ingest(
    run: Run, places: Iterable[Path], *, named: bool, full: bool = False, watch: "Watcher | None" = None
) -> Report:
    """Index what is below `places`; `named`: the user gave them, so each must exist or be known."""
    survey = Survey()
    wanted = list(places)
    forgotten = load_forgotten(run.connection)
    found = [file for file in files(wanted, survey) if not forgotten.covers(file.path, file.place)]
    found.sort(key=lambda file: file.path)
    known = known_below(run.connection, survey.covered)
    # a link to a single file leads outside the places covered
    known |= known_below(run.connection, (file.path for file in found if not is_covered(file.path, survey.covered)))
    if named:
        require_existing(wanted, known)
    run.tally.seen = len(found)
    try:
        _close_interrupted(run)
        if forgotten != Forgotten() and _was_last_cut_short(run):
            run.begin()  # so that there is a commit, even of nothing new: what that run let in is still to go
        changed = _changed(run, found, known, full=full)
        if changed:
            # where nothing is new, this and the like would take longer to import than all that is done
            from ccindex.ingest.taking import take_all  # noqa: PLC0415

            take_all(run, changed, survey, full=full, watch=watch or (lambda _: None))
        _note_missing(run, found, known, survey)
        replace_scan_diagnostics(run, survey)
        if is_refilled(run.connection):  # by this run or by one that was killed
            run.begin()
        run.commit("ok", last=lambda: _keep_away(run.connection))
    except BaseException as error:
        run.abandon("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    _finish_forgetting(run.connection)
    return report_of(run, "ok")


def _finish_forgetting(connection: sqlite3.Connection) -> None:
    if is_scrub_due(connection):
        from ccindex.maintain.forget import finish_forgetting  # noqa: PLC0415 - as above

        finish_forgetting(connection)


def _keep_away(connection: sqlite3.Connection) -> None:
    if is_refilled(connection) or load_forgotten(connection) != Forgotten():
        from ccindex.maintain.forget import remove_forgotten  # noqa: PLC0415 - as above

        remove_forgotten(connection)


def report_of(run: Run, status: str) -> Report:
    """Sum a run up."""
    tally = run.tally
    return Report(
        run_id=run.run_id,
        status=status,
        files={
            "seen": tally.seen,
            "new": tally.new,
            "appended": tally.appended,
            "rewritten": tally.rewritten,
            "unchanged": tally.unchanged,
            "missing": tally.missing,
        },
        bytes_read=tally.bytes_read,
        lines_read=tally.lines_read,
        entries_added=run.recorder.entries_added,
        malformed_lines=tally.malformed_lines,
        seconds=round(run.seconds, 3),
        phases=run.phases.seconds(),
    )


def nothing_done(status: str) -> Report:
    """Sum up a run that never began."""
    names = ("seen", "new", "appended", "rewritten", "unchanged", "missing")
    return Report(None, status, dict.fromkeys(names, 0), 0, 0, 0, 0, 0.0, Phases().seconds())


def require_existing(wanted: Iterable[Path], known: Iterable[str] = ()) -> None:
    """Refuse a path that neither exists nor has sources in the index."""
    for place in wanted:
        if os.path.lexists(place):
            continue
        real = printable(os.path.realpath(place))
        if not any(path == real or path.startswith(real + "/") for path in known):
            raise NoSuchPath(place)


def _changed(run: Run, found: list[Found], known: dict[str, Known], *, full: bool) -> "Changed":
    """Pick the files whose state differs from the one they were last read in."""
    changed: Changed = []
    for file in found:
        before = known.get(file.path)
        if full or before is None or before.state != file.state or before.is_missing:
            changed.append((file, before))
        else:
            run.tally.unchanged += 1
    return changed


def _note_missing(run: Run, found: list[Found], known: dict[str, Known], survey: Survey) -> None:
    """Mark what the places covered no longer hold, unless a folder above it could not be read."""
    present = {file.path for file in found}
    shut = tuple(path + "/" for path in survey.unreadable)
    for path, source in known.items():
        if path not in present and path not in survey.unreadable and not path.startswith(shut):
            mark_missing(run, source)


def _close_interrupted(run: Run) -> None:
    """Say of a run that was killed that it was; we hold the lock, so no other is under way."""
    killed = run.connection.execute("select 1 from ingest_runs where status = 'running'").fetchone()
    if killed is not None:
        run.begin()
        run.connection.execute("update ingest_runs set status = 'interrupted' where status = 'running'")


def _was_last_cut_short(run: Run) -> bool:
    last = run.connection.execute("select status from ingest_runs order by id desc limit 1").fetchone()
    return last is not None and last[0] != "ok"
