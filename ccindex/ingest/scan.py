"""Diagnostics about places rather than lines: what discovery met, replaced run by run for what it covered."""

from ccindex.ingest.run import Run
from ccindex.model.sources import Known
from ccindex.read.discovery import Survey
from ccindex.store.sources import set_missing

Row = tuple[str, str, str | None, str | None]


def replace_scan_diagnostics(run: Run, survey: Survey) -> None:
    """Let the index tell what this run met below the places it covered; writes only what differs."""
    linked = set(survey.linked)  # a link's own target may lie outside the places covered
    before = {
        row
        for row in run.connection.execute(
            "select kind, severity, path, detail from diagnostics where source is null and path is not null"
        )
        if is_covered(row[2], survey.covered) or row[2] in linked
    }
    now: set[Row] = {(found.code.slug, found.code.severity, found.path, found.detail) for found in survey.diagnostics}
    if before == now:
        return
    run.begin()
    run.changed = True
    run.connection.executemany(
        "delete from diagnostics where source is null and kind = ? and severity = ? and path = ? and detail is ?",
        before - now,
    )
    run.connection.executemany(
        "insert into diagnostics (kind, severity, path, detail) values (?, ?, ?, ?)",
        sorted(now - before, key=str),
    )


def mark_missing(run: Run, source: Known) -> None:
    """Note that a source's file is gone."""
    run.tally.missing += 1
    if not source.is_missing:
        run.begin()
        set_missing(run.connection, source.source, is_missing=True)
        run.changed = True


def is_covered(path: str, covered: list[str]) -> bool:
    """Whether a path is one of the places covered, or below one."""
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in covered)
