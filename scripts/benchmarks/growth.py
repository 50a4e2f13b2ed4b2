"""A corpus and factors to what a cold run costs on so many times the corpus."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from . import ingests
from .places import ROOT, Place
from .process import must, run
from .results import Corpus, Step


def growth(corpus: Path, work: Path, factors: Sequence[int], *, repeat: int) -> list[Step]:
    """Measure one factor after the other; large ones less often, for they take long and vary less."""
    return [_step(corpus, Place(work / f"times{times}"), times, max(1, repeat // times)) for times in factors]


def measured(place: Place) -> Corpus:
    """Return what an index was made from."""
    [[files, size]] = place.ask("select count(*), sum(size) from v1_sources")
    [[lines]] = place.ask("select count(*) from v1_occurrences")
    [[entries]] = place.ask("select count(*) from v1_entries")
    return Corpus(files, size, lines, entries)


def _step(corpus: Path, place: Place, times: int, repeat: int) -> Step:
    place.home.mkdir(parents=True)
    # in a process of its own: what this one holds would count as memory of those that it starts
    command = [sys.executable, str(ROOT / "scripts" / "corpus"), "times", str(times), str(corpus), str(place.projects)]
    must(run(command, folder=place.home, environment=place.environment))
    cost = ingests.cold(place, repeat).cost
    step = Step(times, measured(place), cost, place.db.stat().st_size)
    shutil.rmtree(place.home)
    return step
