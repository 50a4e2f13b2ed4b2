"""The files that changed, one after another, read here or by others."""

from collections.abc import Callable
from dataclasses import dataclass

from ccindex.facts.responses import load_prices
from ccindex.ingest.collector import uncollected
from ccindex.ingest.file_changes import take, take_sent
from ccindex.ingest.reading import Unreadable
from ccindex.ingest.run import Run
from ccindex.ingest.scan import mark_missing
from ccindex.ingest.workers import Workers, workers_for
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.sources import Found, Known
from ccindex.read.discovery import Survey
from ccindex.store.bulk import is_empty

_FIRST_LOAD = 8 << 20  # bytes: less is loaded as any later run would

Changed = list[tuple[Found, Known | None]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, for whoever watches."""

    done: int
    total: int


Watcher = Callable[[Progress], None]


def take_all(run: Run, changed: Changed, survey: Survey, *, full: bool, watch: Watcher) -> None:
    """Bring the index up to date with the files that changed."""
    if sum(file.state.size for file, _ in changed) >= _FIRST_LOAD and is_empty(run.connection):
        run.load()
    new = [file for file, before in changed if before is None]
    with uncollected(), workers_for(new, run.jobs) as workers:
        if workers:
            load_prices()  # which so much will need, while the others start
        _take_all(run, changed, survey, _Ways(full, workers, watch))


@dataclass(frozen=True, slots=True)
class _Ways:
    """How to go about it."""

    full: bool
    workers: Workers | None
    watch: Watcher


def _take_all(run: Run, changed: Changed, survey: Survey, ways: _Ways) -> None:
    total = sum(file.state.size - (before.watermark.archived if before else 0) for file, before in changed)
    done = 0
    for file, before in changed:
        try:
            messages = ways.workers and ways.workers.messages(file)
            if messages:
                take_sent(run, file, messages)
            else:
                take(run, file, before, full=ways.full)
        except Unreadable as error:
            if not isinstance(error.error, FileNotFoundError):
                survey.diagnostics.append(Diagnostic(Code.UNREADABLE, str(error), path=file.path))
            elif before is None:
                survey.diagnostics.append(Diagnostic(Code.UNREADABLE, "it vanished", path=file.path))
            else:
                mark_missing(run, before)
        done += file.state.size - (before.watermark.archived if before else 0)
        ways.watch(Progress(done, total))
        run.pause(lambda: None)
