"""`ccindex ingest`: index new and changed transcripts."""

import os
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import print_json, print_message, print_note
from ccindex.errors import CcindexError, IndexBusy, IndexDamaged, IndexUnusable, NoHomeFolder, WorkerLost
from ccindex.ingest.ingest import IngestReport, empty_report, make_report, require_existing
from ccindex.ingest.ingest import ingest as run_ingest
from ccindex.maintain.update import open_to_ingest
from ccindex.read.discovery import default_folders, home_folder
from ccindex.render.text import format_count
from ccindex.store.index_files import database_path, touch_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from ccindex.ingest.file_changes import Progress, ProgressCallback

_WATCH_SECONDS = 2.0


def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files or folders to index. Default: Claude Code's projects folders.",
            readable=False,  # unreadable files are reported and do not stop the run
            show_default=False,
        ),
    ] = None,
    *,
    full: Annotated[
        bool, typer.Option("--full", help="Read all files again and compare them with the archive.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running and check for changes every two seconds.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=0,
            help="Number of additional processes that fill a new index, up to 4. Default: one less than the number of "
            "processors.",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Index new and changed transcripts.

    Reads only what changed since the last run. Prints nothing on success unless stderr is a terminal, so that cron
    sends no mail.

    Examples:
      ccindex ingest
      ccindex ingest ~/backup/laptop/.claude/projects
      ccindex ingest --watch
    """
    signal.signal(signal.SIGTERM, _interrupt)
    path = database_path(db)
    jobs = _default_jobs() if jobs is None else jobs
    _print_report(_run_once(path, paths, full=full, jobs=jobs, json=json), json=json)
    last_error = ""
    while watch:
        time.sleep(_WATCH_SECONDS)
        try:
            report = _run_once(path, paths, full=False, jobs=jobs, json=json)
        except (IndexUnusable, WorkerLost) as error:
            if isinstance(error, IndexDamaged):
                raise
            # keep trying, because a full disk may have space later, but report the same error only once
            if str(error) != last_error:
                print_message(str(error))
            last_error = str(error)
            continue
        last_error = ""
        if report.run_id is not None:
            _print_report(report, json=json)


def _default_jobs() -> int:
    """Return the number of available processors without the one that this process uses."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return count - 1


def _run_once(path: Path, paths: list[Path] | None, *, full: bool, jobs: int, json: bool) -> IngestReport:
    """Run once. In JSON mode, print a report even if the run fails or is interrupted."""
    run = None
    folders = tuple(paths) if paths else default_folders(os.environ, home_folder())
    try:
        if not folders:
            raise NoHomeFolder
        if not os.path.exists(path):
            require_existing(paths or ())  # a mistyped path must not create an index
        with (
            _progress(quiet=json) as on_progress,
            open_to_ingest(path, folders, jobs=jobs, on_progress=on_progress) as run,
        ):
            report = run_ingest(run, folders, must_exist=bool(paths), full=full, on_progress=on_progress)
        touch_stamp(path)
    except IndexBusy as error:
        print_message(str(error))
        return empty_report("busy")
    except (CcindexError, KeyboardInterrupt) as error:
        status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        if json:
            print_json(make_report(run, status) if run is not None else empty_report(status))
        raise
    return report


def _print_report(report: IngestReport, *, json: bool) -> None:
    if json:
        print_json(report)
    elif report.status == "ok":
        print_note(_summary(report))


def _summary(report: IngestReport) -> str:
    counts = report.files
    files = format_count(counts["seen"], "file")
    if not counts["seen"] and report.run_id is None:
        return "no transcripts found; if they are in another folder, run: ccindex ingest PATH"
    if report.run_id is None:
        return f"nothing new in {files}"
    changes = [f"{counts[name]:,} {name}" for name in ("new", "appended", "rewritten", "missing") if counts[name]]
    lines = format_count(report.lines_read, "line")
    entries = format_count(report.entries_added, "new entry", "new entries")
    malformed = format_count(report.malformed_lines, "malformed line") if report.malformed_lines else ""
    return f"{files} ({', '.join(changes) or 'none changed'}), {lines} read, {entries} in {report.seconds:.1f} s" + (
        f"; {malformed} (see ccindex doctor)" if malformed else ""
    )


@contextmanager
def _progress(*, quiet: bool) -> "Iterator[ProgressCallback | None]":
    """Show a progress bar on a terminal as soon as there is something to read."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    # rich takes 50 ms to load and is needed only on a terminal
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
