"""Bring an index up to date with folders: read new and changed files, and mark sources whose files are gone."""

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
from ccindex.read.discovery import Survey, find_files, printable
from ccindex.store.runs import (
    close_open_runs,
    has_open_run,
    load_scan_diagnostics,
    replace_scan_diagnostics,
    was_last_run_incomplete,
)
from ccindex.store.sources import is_refilled, is_scrub_due, load_forgotten, scrub, sources_below

if TYPE_CHECKING:
    from ccindex.ingest.file_changes import Changed, ProgressCallback


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The result of a run: its status and counts. run_id is None if nothing changed."""

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
    run: IngestRun,
    folders: Iterable[Path],
    *,
    must_exist: bool,
    full: bool = False,
    on_progress: "ProgressCallback | None" = None,
) -> IngestReport:
    """Index all files under `folders`. With `must_exist`, every folder must exist or have sources in the index."""
    survey = Survey()
    requested = list(folders)
    forgotten = load_forgotten(run.connection)
    found = list(find_files(requested, survey))
    if forgotten != Forgotten():
        found = [file for file in found if not forgotten.covers(file.path, file.info)]
    found.sort(key=lambda file: file.path)
    known = sources_below(run.connection, survey.covered)
    # the target of a link to a single file may be outside the folders
    known |= sources_below(run.connection, (file.path for file in found if not _is_covered(file.path, survey.covered)))
    if must_exist:
        require_existing(requested, known)
    run.counts.seen = len(found)
    run.counts.unchanged = -run.counts.new  # a first load has read these files
    try:
        _close_interrupted(run)
        if forgotten != Forgotten() and was_last_run_incomplete(run.connection):
            run.begin()  # forces a commit, which removes forgotten entries that the interrupted run recorded
        changed = _select_changed(run, found, known, full=full)
        if changed:
            # imported here because it takes 21 ms and a run without changes does not need it
            from ccindex.ingest.file_changes import ingest_changed  # noqa: PLC0415

            ingest_changed(run, changed, survey, full=full, on_progress=on_progress or (lambda _: None))
        _mark_missing(run, found, known, survey)
        _replace_scan_diagnostics(run, survey)
        if is_refilled(run.connection):  # by this run, a killed run or `forget --allow`; the commit rebuilds the rows
            run.begin()
        run.commit("ok")
    except BaseException as error:
        run.abandon("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    if is_scrub_due(run.connection):
        scrub(run.connection)
    return make_report(run, "ok")


def make_report(run: IngestRun, status: str) -> IngestReport:
    """Return the report of a run."""
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
    """Return the report of a run that did not start."""
    names = ("seen", "new", "appended", "rewritten", "unchanged", "missing")
    return IngestReport(None, status, dict.fromkeys(names, 0), 0, 0, 0, 0, 0.0, dict.fromkeys(PHASES, 0.0))


def require_existing(folders: Iterable[Path], known: Iterable[str] = ()) -> None:
    """Raise NoSuchPath for a path that neither exists nor has sources in the index."""
    for folder in folders:
        if os.path.lexists(folder):
            continue
        real = printable(os.path.realpath(folder))
        if not any(path == real or path.startswith(real + "/") for path in known):
            raise NoSuchPath(folder)


def _select_changed(
    run: IngestRun, found: Sequence[FoundFile], known: dict[str, KnownSource], *, full: bool
) -> "Changed":
    """Return new files and files whose state changed since they were last read, or all files if `full`."""
    changed = []
    for file in found:
        source = known.get(file.path)
        if full or source is None or source.state != file.state or source.is_missing:
            changed.append((file, source))
        else:
            run.counts.unchanged += 1
    return changed


def _mark_missing(run: IngestRun, found: Sequence[FoundFile], known: dict[str, KnownSource], survey: Survey) -> None:
    """Mark sources whose files are gone as missing, except under folders that could not be read."""
    present = {file.path for file in found}
    unreadable = tuple(path + "/" for path in survey.unreadable)
    for path, source in known.items():
        if path not in present and path not in survey.unreadable and not path.startswith(unreadable):
            mark_missing(run, source)


def _replace_scan_diagnostics(run: IngestRun, survey: Survey) -> None:
    """Replace the diagnostics about paths under the folders. Only differences are written."""
    linked = set(survey.linked)  # the target of a link may be outside the folders
    stored = load_scan_diagnostics(run.connection)
    before = {row for row in stored if _is_covered(row[2], survey.covered) or row[2] in linked}
    after = {
        (diagnostic.code.slug, diagnostic.code.severity, diagnostic.path, diagnostic.detail)
        for diagnostic in survey.diagnostics
        if diagnostic.path is not None
    }
    if before == after:
        return
    run.begin()
    run.has_changes = True
    replace_scan_diagnostics(run.connection, before - after, sorted(after - before, key=str))


def _is_covered(path: str, covered: Iterable[str]) -> bool:
    """Return whether a path is one of the covered folders or files, or under one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in covered)


def _close_interrupted(run: IngestRun) -> None:
    """Mark a killed run as interrupted. This run holds the lock, so no other run can be active."""
    if has_open_run(run.connection, run.run_id):
        run.begin()
        close_open_runs(run.connection, run.run_id)
