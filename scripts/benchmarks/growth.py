"""Measure the first ingest of a multiplied corpus, to show how the cost grows with its size."""

import shutil
import sys
from pathlib import Path

from . import ingests
from .homes import ROOT, Home
from .process import require_success, run
from .results import Corpus, Step


def measure_step(corpus: Path, work: Path, times: int, *, repeat: int) -> Step:
    """Measure the corpus multiplied by `times`.

    Larger factors take longer and vary less, so they are repeated less often.
    """
    home = multiply_corpus(corpus, work / f"times{times}", times)
    cost = ingests.measure_cold(home, max(1, repeat // times)).cost
    step = Step(times, measure_corpus(home), cost, home.db.stat().st_size)
    shutil.rmtree(home.folder)
    return step


def multiply_corpus(corpus: Path, folder: Path, times: int) -> Home:
    """Create a home that contains the corpus `times` times."""
    home = Home(folder)
    home.folder.mkdir(parents=True)
    # in a separate process, because the memory of this process would be counted as memory of its child processes
    command = [sys.executable, str(ROOT / "scripts" / "corpus"), "times", str(times), str(corpus), str(home.projects)]
    require_success(run(command, folder=home.folder, environment=home.environment))
    return home


def measure_corpus(home: Home) -> Corpus:
    """Return the size of the corpus, read from its index."""
    [[files, size]] = home.query("select count(*), sum(size) from v1_sources")
    [[lines]] = home.query("select count(*) from v1_occurrences")
    [[entries]] = home.query("select count(*) from v1_entries")
    return Corpus(files, size, lines, entries)
