"""Files on disk into the index: what is new is read, what is gone is noted, the rest is not opened."""

import os
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ccindex.errors import NoSuchPath
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.forgotten import Forgotten
from ccindex.model.phases import Phases
from ccindex.model.sources import Found, Known
from ccindex.read.discover import Survey, files, printable
from ccindex.store.bulk import is_empty
from ccindex.store.forgotten import is_refilled, load_forgotten
from ccindex.store.sources import known_below, set_missing

from .files import take, take_sent
from .forget import finish_forgetting, keep_away
from .rebuild import renew_if_outdated
from .run import Run
from .scan import is_covered, replace_scan_diagnostics
from .workers import Workers, workers_for


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


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, for whoever watches."""

    done: int
    total: int


Watcher = Callable[[Progress], None]

_FIRST_LOAD = 8 << 20  # bytes: less is loaded as any later run would


def begin(connection: sqlite3.Connection, jobs: int = 0) -> Run:
    """Start a run on rows that this ccindex understands; nothing else is written before there is a need.

    `jobs`: how many further processes may read for it.
    """
    finish_forgetting(connection)
    renew_if_outdated(connection)
    return Run(connection, jobs)


def ingest(
    run: Run, places: Iterable[Path], *, named: bool, full: bool = False, watch: Watcher | None = None
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
        if _is_first_load(run, changed):
            run.load()
        with workers_for([file for file, before in changed if before is None], run.jobs) as workers:
            _take_all(run, changed, survey, _Ways(full, workers, watch or (lambda _: None)))
        _note_missing(run, found, known, survey)
        replace_scan_diagnostics(run, survey)
        if is_refilled(run.connection):  # by this run or by one that was killed
            run.begin()
        run.commit("ok", last=lambda: keep_away(run.connection))
    except BaseException as error:
        run.abandon("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    finish_forgetting(run.connection)
    return report_of(run, "ok")


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


def _changed(run: Run, found: list[Found], known: dict[str, Known], *, full: bool) -> list[tuple[Found, Known | None]]:
    """Pick the files whose state differs from the one they were last read in."""
    changed: list[tuple[Found, Known | None]] = []
    for file in found:
        before = known.get(file.path)
        if full or before is None or before.state != file.state or before.is_missing:
            changed.append((file, before))
        else:
            run.tally.unchanged += 1
    return changed


def _is_first_load(run: Run, changed: list[tuple[Found, Known | None]]) -> bool:
    """Whether there is enough to load into an empty index to do so at one go."""
    return sum(file.state.size for file, _ in changed) >= _FIRST_LOAD and is_empty(run.connection)


@dataclass(frozen=True, slots=True)
class _Ways:
    """How to go about it."""

    full: bool
    workers: Workers | None
    watch: Watcher


def _take_all(run: Run, changed: list[tuple[Found, Known | None]], survey: Survey, ways: _Ways) -> None:
    total = sum(file.state.size - (before.watermark.archived if before else 0) for file, before in changed)
    done = 0
    for file, before in changed:
        try:
            messages = ways.workers and ways.workers.messages(file)
            if messages:
                take_sent(run, file, messages)
            else:
                take(run, file, before, full=ways.full)
        except FileNotFoundError:
            if before is None:
                survey.diagnostics.append(Diagnostic(Code.UNREADABLE, "it vanished", path=file.path))
            else:
                _mark_missing(run, before)
        except OSError as error:
            survey.diagnostics.append(Diagnostic(Code.UNREADABLE, error.strerror, path=file.path))
        done += file.state.size - (before.watermark.archived if before else 0)
        ways.watch(Progress(done, total))
        run.pause(lambda: None)


def _note_missing(run: Run, found: list[Found], known: dict[str, Known], survey: Survey) -> None:
    """Mark what the places covered no longer hold, unless a folder above it could not be read."""
    present = {file.path for file in found}
    shut = tuple(path + "/" for path in survey.unreadable)
    for path, source in known.items():
        if path not in present and path not in survey.unreadable and not path.startswith(shut):
            _mark_missing(run, source)


def _mark_missing(run: Run, source: Known) -> None:
    run.tally.missing += 1
    if not source.is_missing:
        run.begin()
        set_missing(run.connection, source.source, is_missing=True)
        run.changed = True


def _close_interrupted(run: Run) -> None:
    """Say of a run that was killed that it was; we hold the lock, so no other is under way."""
    killed = run.connection.execute("select 1 from runs where status = 'running'").fetchone()
    if killed is not None:
        run.begin()
        run.connection.execute("update runs set status = 'interrupted' where status = 'running'")


def _was_last_cut_short(run: Run) -> bool:
    last = run.connection.execute("select status from runs order by id desc limit 1").fetchone()
    return last is not None and last[0] != "ok"
