"""Fill an empty index: build shards in several processes, and show the newest sessions as soon as they are indexed."""

import pickle
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from ccindex.files import copy_with_mode, replace_durably, sync
from ccindex.ingest.file_changes import Progress, ProgressCallback, ingest_new
from ccindex.ingest.run import IngestRun, Loaded, RunCounts, now
from ccindex.ingest.workers import Workers, running_workers
from ccindex.model.events import PhaseTimes
from ccindex.model.sources import FoundFile
from ccindex.read.discovery import Survey, find_files
from ccindex.read.source_reader import Unreadable
from ccindex.store.connection import leave_wal_mode
from ccindex.store.entry_writer import Changes
from ccindex.store.index_files import load_folder, remove_load_folder, unusable_index
from ccindex.store.runs import end_run
from ccindex.store.shards import absorb_shard, create_shard, finish_load, prepare_load

MIN_LOAD_BYTES = 8 << 20  # an ordinary run is as fast for less
NEWEST_BYTES = 64 << 20  # indexed before everything else
MIN_SHARD_BYTES, MAX_SHARD_BYTES = 8 << 20, 64 << 20
_PLAN = "plan"
MAX_WORKERS = 4  # more workers would build shards faster than this process can add them to the index


def load_first(path: Path, folders: Iterable[Path], *, jobs: int, on_progress: ProgressCallback) -> Loaded | None:
    """Fill an empty index from the given folders, unless an ordinary run is as fast; return what was done.

    The caller holds the lock of the index and has not opened it. Other processes can read the index meanwhile: at
    first it is empty, then it has the newest sessions, then all of them. A load that is interrupted leaves one of
    these states.
    """
    files = list(find_files(folders, Survey()))
    if sum(map(_size, files)) < MIN_LOAD_BYTES or not leave_wal_mode(path):
        return None
    folder = load_folder(path)
    try:
        folder.mkdir(mode=0o700)
        workers = min(jobs, MAX_WORKERS)
        plan = plan_load(files, workers + 1)
        # as a file, because starting a process can block forever if its arguments do not fit into a pipe
        (folder / _PLAN).write_bytes(pickle.dumps(plan.shards))
        with running_workers(min(workers, len(plan.shards)), build_shards, folder) as pool:
            return _Load(path, folder, plan, on_progress).run(pool)
    except OSError as error:
        raise unusable_index(path, error) from error
    finally:
        remove_load_folder(path)


class LoadPlan(NamedTuple):
    """The files to index first, and the files of every shard."""

    newest: list[FoundFile]
    shards: list[list[FoundFile]]


def plan_load(files: Iterable[FoundFile], processes: int) -> LoadPlan:
    """Divide the files. The files of a session stay together, and those of a project mostly do.

    The last shards are the smallest, so that all processes finish at about the same time.
    """
    sessions: dict[str, list[FoundFile]] = {}
    for file in files:
        sessions.setdefault(_session_of(file), []).append(file)
    groups = sorted(sessions.values(), key=lambda own: (max(file.state.mtime_ns for file in own), own[0].path))
    remaining = sum(_size(file) for own in groups for file in own)
    newest = _take(groups, min(NEWEST_BYTES, remaining // processes))
    remaining -= sum(map(_size, newest))
    groups.sort(key=lambda own: (own[0].info.project, own[0].path), reverse=True)
    shards = []
    while groups:
        size = min(max(remaining // (2 * processes), MIN_SHARD_BYTES), MAX_SHARD_BYTES)
        shards.append(_take(groups, size))
        remaining -= sum(map(_size, shards[-1]))
    return LoadPlan(newest, shards)


def _session_of(file: FoundFile) -> str:
    """Return the session that a file belongs to; for an agent file outside a session's folder, its agent."""
    return file.info.session_hint or file.info.agent_id or file.info.stem


def _take(groups: list[list[FoundFile]], size: int) -> list[FoundFile]:
    """Remove groups of files from the end of the list, at least one, until they have the given size."""
    taken: list[FoundFile] = []
    reached = 0
    while groups and (not taken or reached < size):
        taken += groups.pop()
        reached = sum(map(_size, taken))
    return taken


def _size(file: FoundFile) -> int:
    return file.state.size


class ShardReport(NamedTuple):
    """A finished shard, and what was read for it."""

    path: Path
    counts: RunCounts
    phases: PhaseTimes


def build_shards(folder: Path, *, left_out: int = 0) -> Iterator[ShardReport]:
    """Build the shards that no other process has claimed; a process claims a shard by creating an empty file.

    `left_out`: the number of shards at the end that this process does not build.
    """
    shards = pickle.loads((folder / _PLAN).read_bytes())  # noqa: S301 - this run wrote it into a private folder
    for number, files in enumerate(shards[: len(shards) - left_out]):
        try:
            (folder / f"{number}.claimed").touch(exist_ok=False)
        except FileExistsError:
            continue
        path = folder / f"{number}.db"
        with create_shard(path) as connection:
            run = IngestRun(connection)
            _load_files(run, files)
            run.commit("running")
        yield ShardReport(path, run.counts, run.phases)


def _load_files(run: IngestRun, files: Iterable[FoundFile]) -> None:
    """Index new files. Unreadable ones are left to the ordinary run, which reports them."""
    run.begin_load()
    for file in files:
        with suppress(Unreadable):
            ingest_new(run, file)


def _write_back(path: Path) -> None:
    """Write a file to the disk. Errors are ignored, because the last write reports them if they persist."""
    with suppress(OSError):
        sync(path)


class _Load:
    """Fills a copy of the empty index, and replaces the index with it."""

    def __init__(self, path: Path, folder: Path, plan: LoadPlan, on_progress: ProgressCallback) -> None:
        self._path = path
        self._copy = folder / "index.db"
        self._folder = folder
        self._plan = plan
        self._on_progress = on_progress
        self._writer = Thread()
        self._total = sum(_size(file) for files in (plan.newest, *plan.shards) for file in files)

    def run(self, pool: Workers) -> Loaded | None:
        """Load everything; return the counts, or None if no file could be read."""
        copy_with_mode(self._path, self._copy)
        with closing(sqlite3.connect(self._copy, isolation_level=None)) as connection:
            prepare_load(connection)
            run = IngestRun(connection)
            _load_files(run, self._plan.newest)
            run.commit("running")
            self._show_progress(run)
            if self._plan.shards:
                self._publish()
                try:
                    self._load_rest(run, pool)
                except BaseException as error:
                    self._abandon(run, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
                    raise
            finish_load(connection)
        replace_durably(self._copy, self._path)
        return run.loaded()

    def _publish(self) -> None:
        """Show the newest sessions to other processes. The load continues in the copy."""
        published = self._folder / "published.db"
        copy_with_mode(self._copy, published)
        replace_durably(published, self._path)

    def _load_rest(self, run: IngestRun, pool: Workers) -> None:
        """Add all shards; build some of them in this process, but leave the last ones to the workers."""
        changes = Changes(has_updates=True)
        run.drop_indexes()
        own = build_shards(self._folder, left_out=pool.count)
        while (reports := pool.results(is_waiting=False)) is not None:
            if not reports:
                report = next(own, None)
                if report is None:
                    run.create_indexes()  # while the workers build the last shards
                    reports = pool.results(is_waiting=True) or []
                else:
                    reports = [report]
            for report in reports:
                self._absorb(run, report, changes)
        for report in own:
            self._absorb(run, report, changes)
        run.begin_after_shards(changes)
        run.commit("running")

    def _absorb(self, run: IngestRun, report: ShardReport, changes: Changes) -> None:
        with run.phases.timed("write"):
            copies = absorb_shard(run.connection, report.path, changes)
        report.path.unlink()
        self._start_writing()
        run.add_shard(report.counts, report.phases, copies=copies)
        self._show_progress(run)

    def _start_writing(self) -> None:
        """Start to write the copy to the disk, so that little is left to write at the end."""
        if not self._writer.is_alive():
            self._writer = Thread(target=_write_back, args=(self._copy,), daemon=True)
            self._writer.start()

    def _show_progress(self, run: IngestRun) -> None:
        self._on_progress(Progress(run.counts.bytes_read, self._total))

    def _abandon(self, run: IngestRun, status: str) -> None:
        """Record how the run ended in the index that other processes can read."""
        with suppress(sqlite3.Error), closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            end_run(connection, run.run_id or 0, status, now())
