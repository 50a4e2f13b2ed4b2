"""`ccindex ingest`: index what is new below some paths."""

import os
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import complain, remark, show_json
from ccindex.errors import CcindexError, IndexBusy, IndexDamaged, IndexUnusable, NoHome, WorkerLost
from ccindex.ingest.ingest import IngestReport, empty_report, report_of, require_existing
from ccindex.ingest.ingest import ingest as run_ingest
from ccindex.maintain.update import begin_run, open_to_write
from ccindex.read.discovery import default_places, home_folder
from ccindex.store.index_files import database_path, touch_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from ccindex.ingest.file_changes import Progress, Watcher

_WATCH_SECONDS = 2.0


def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files, project folders or trees. Default: Claude Code's own projects folders.",
            readable=False,  # what cannot be read is told, not refused
            show_default=False,
        ),
    ] = None,
    *,
    full: Annotated[
        bool, typer.Option("--full", help="Read every file again and compare it with the archive.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep on, looking every two seconds, until interrupted.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            min=0,
            help="Processes that may read large amounts at once, besides the one that writes. "
            "Default: one for each processor, four at most.",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Index every transcript below PATHS, reading only what changed.

    Silent when all is well, so that cron has nothing to mail.

    Examples:
      ccindex ingest
      ccindex ingest ~/backup/laptop/.claude/projects
      ccindex ingest --watch
    """
    signal.signal(signal.SIGTERM, _interrupt)
    path = database_path(db)
    jobs = _processors() if jobs is None else jobs
    _tell(_once(path, paths, full=full, jobs=jobs, json=json), json=json)
    trouble = ""
    while watch:
        time.sleep(_WATCH_SECONDS)
        try:
            report = _once(path, paths, full=False, jobs=jobs, json=json)
        except (IndexUnusable, WorkerLost) as error:
            if isinstance(error, IndexDamaged):
                raise
            if str(error) != trouble:  # said once; a disk that is full now may have room later
                complain(str(error))
            trouble = str(error)
            continue
        trouble = ""
        if report.run_id is not None:
            _tell(report, json=json)


def _processors() -> int:
    """How many processors are ours to use; none beside the one that writes counts as none."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return count if count > 1 else 0


def _once(path: Path, paths: list[Path] | None, *, full: bool, jobs: int, json: bool) -> IngestReport:
    """Run once; a run that fails or is interrupted still says in JSON how far it came."""
    run = None
    places = tuple(paths) if paths else default_places(os.environ, home_folder())
    try:
        if not places:
            raise NoHome
        if not os.path.exists(path):
            require_existing(paths or ())  # a slip of the keyboard should not make an index
        with open_to_write(path, create=True) as connection, _progress(quiet=json) as watcher:
            run = begin_run(connection, jobs)
            report = run_ingest(run, places, named=bool(paths), full=full, watch=watcher)
        touch_stamp(path)
    except IndexBusy as error:
        complain(str(error))
        return empty_report("busy")
    except (CcindexError, KeyboardInterrupt) as error:
        status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        if json:
            show_json(report_of(run, status) if run is not None else empty_report(status))
        raise
    return report


def _tell(report: IngestReport, *, json: bool) -> None:
    if json:
        show_json(report)
    elif report.status == "ok":
        remark(_summary(report))


def _summary(report: IngestReport) -> str:
    files = report.files
    if not files["seen"] and report.run_id is None:
        return "no transcripts there; where Claude Code keeps them elsewhere, name the folder: ccindex ingest PATH"
    if report.run_id is None:
        return f"nothing new in {files['seen']:,} files"
    parts = [f"{files[name]:,} {name}" for name in ("new", "appended", "rewritten", "missing") if files[name]]
    told = f"; {report.malformed_lines:,} malformed lines: ccindex doctor" if report.malformed_lines else ""
    return (
        f"{files['seen']:,} files ({', '.join(parts) or 'none changed'}): read {report.lines_read:,} lines, "
        f"{report.entries_added:,} new entries in {report.seconds:.1f} s{told}"
    )


@contextmanager
def _progress(*, quiet: bool) -> "Iterator[Watcher | None]":
    """Show a bar on a terminal, once there is something to read."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    # rich costs 50 ms: only a terminal needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("indexing"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("indexing", total=None)

    def update(progress: "Progress") -> None:
        bar.start()
        bar.update(task, completed=progress.done, total=progress.total)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()


def _interrupt(_signal: int, _frame: "FrameType | None") -> None:
    raise KeyboardInterrupt
