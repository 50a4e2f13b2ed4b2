"""Folders to an index that is up to date with the files below them: reads what changed, records what is gone."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ccindex.errors import NoSuchPath
from ccindex.ingest.run import IngestRun, mark_missing
from ccindex.model.events import PHASES
from ccindex.model.sources import Forgotten, FoundFile, KnownSource
from ccindex.read.discovery import Survey, files, printable
from ccindex.store.runs import (
    close_open_runs,
    has_open_run,
    load_scan_diagnostics,
    replace_scan_diagnostics,
    was_last_cut_short,
)
from ccindex.store.sources import is_refilled, is_scrub_due, known_below, load_forgotten, scrub

if TYPE_CHECKING:
    from ccindex.ingest.file_changes import Changed, Watcher


@dataclass(frozen=True, slots=True)
class IngestReport:
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


def ingest(
    run: IngestRun, places: Iterable[Path], *, named: bool, full: bool = False, watch: "Watcher | None" = None
) -> IngestReport:
    """Index everything below `places`; `named`: the user gave them, so each must exist or be known."""
    survey = Survey()
    wanted = list(places)
    forgotten = load_forgotten(run.connection)
    found = list(files(wanted, survey))
    if forgotten != Forgotten():
        found = [file for file in found if not forgotten.covers(file.path, file.info)]
    found.sort(key=lambda file: file.path)
    known = known_below(run.connection, survey.covered)
    # a link to a single file leads outside the places covered
    known |= known_below(run.connection, (file.path for file in found if not _is_covered(file.path, survey.covered)))
    if named:
        require_existing(wanted, known)
    run.counts.seen = len(found)
    try:
        _close_interrupted(run)
        if forgotten != Forgotten() and was_last_cut_short(run.connection):
            run.begin()  # so that there is a commit, even of nothing new: what that run let in is removed with it
        changed = _changed(run, found, known, full=full)
        if changed:
            # 21 ms, which a run with nothing new does not need
            from ccindex.ingest.file_changes import ingest_changed  # noqa: PLC0415

            ingest_changed(run, changed, survey, full=full, watch=watch or (lambda _: None))
        _mark_missing(run, found, known, survey)
        _replace_scan_diagnostics(run, survey)
        if is_refilled(run.connection):  # by this run or by one that was killed
            run.begin()
        run.commit("ok")
    except BaseException as error:
        run.abandon("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    if is_scrub_due(run.connection):
        scrub(run.connection)
    return report_of(run, "ok")


def report_of(run: IngestRun, status: str) -> IngestReport:
    """Sum up a run."""
    counts = run.counts
    return IngestReport(
        run_id=run.run_id,
        status=status,
        files={
            "seen": counts.seen,
            "new": counts.new,
            "appended": counts.appended,
            "rewritten": counts.rewritten,
            "unchanged": counts.unchanged,
            "missing": counts.missing,
        },
        bytes_read=counts.bytes_read,
        lines_read=counts.lines_read,
        entries_added=counts.entries_added,
        malformed_lines=counts.malformed_lines,
        seconds=round(monotonic() - run.started, 3),
        phases={phase: round(run.phases.get(phase, 0.0), 4) for phase in PHASES},
    )


def empty_report(status: str) -> IngestReport:
    """Sum up a run that did not start."""
    names = ("seen", "new", "appended", "rewritten", "unchanged", "missing")
    return IngestReport(None, status, dict.fromkeys(names, 0), 0, 0, 0, 0, 0.0, dict.fromkeys(PHASES, 0.0))


def require_existing(wanted: Iterable[Path], known: Iterable[str] = ()) -> None:
    """Refuse a path that neither exists nor has sources in the index."""
    for place in wanted:
        if os.path.lexists(place):
            continue
        real = printable(os.path.realpath(place))
        if not any(path == real or path.startswith(real + "/") for path in known):
            raise NoSuchPath(place)


def _changed(run: IngestRun, found: Sequence[FoundFile], known: dict[str, KnownSource], *, full: bool) -> "Changed":
    """Return the files whose state differs from the one that they were last read in."""
    changed = []
    for file in found:
        before = known.get(file.path)
        if full or before is None or before.state != file.state or before.is_missing:
            changed.append((file, before))
        else:
            run.counts.unchanged += 1
    return changed


def _mark_missing(run: IngestRun, found: Sequence[FoundFile], known: dict[str, KnownSource], survey: Survey) -> None:
    """Mark sources below the places that are gone, unless a folder above them could not be read."""
    present = {file.path for file in found}
    unreadable = tuple(path + "/" for path in survey.unreadable)
    for path, source in known.items():
        if path not in present and path not in survey.unreadable and not path.startswith(unreadable):
            mark_missing(run, source)


def _replace_scan_diagnostics(run: IngestRun, survey: Survey) -> None:
    """Replace the diagnostics about paths below the places by those of this run; writes only what differs."""
    linked = set(survey.linked)  # the target of a link may be outside the places
    stored = load_scan_diagnostics(run.connection)
    before = {row for row in stored if _is_covered(row[2], survey.covered) or row[2] in linked}
    after = {
        (found.code.slug, found.code.severity, found.path, found.detail)
        for found in survey.diagnostics
        if found.path is not None
    }
    if before == after:
        return
    run.begin()
    run.has_changes = True
    replace_scan_diagnostics(run.connection, before - after, sorted(after - before, key=str))


def _is_covered(path: str, covered: Iterable[str]) -> bool:
    """Whether a path is one of the places covered, or below one."""
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in covered)


def _close_interrupted(run: IngestRun) -> None:
    """Mark a killed run as interrupted; this one holds the lock, so no other is under way."""
    if has_open_run(run.connection):
        run.begin()
        close_open_runs(run.connection)
