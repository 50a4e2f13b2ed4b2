"""A corpus and a factor to what a cold run costs on so many times the corpus."""

import shutil
import sys
from pathlib import Path

from . import ingests
from .places import ROOT, Place
from .process import must, run
from .results import Corpus, Step


def step(corpus: Path, work: Path, times: int, *, repeat: int) -> Step:
    """Measure one factor; a large one less often, for it takes long and varies less."""
    place = multiplied(corpus, work / f"times{times}", times)
    cost = ingests.cold(place, max(1, repeat // times)).cost
    found = Step(times, measured(place), cost, place.db.stat().st_size)
    shutil.rmtree(place.home)
    return found


def multiplied(corpus: Path, home: Path, times: int) -> Place:
    """Return a home with so many times the corpus."""
    place = Place(home)
    place.home.mkdir(parents=True)
    # in a process of its own: what this one holds would count as memory of those that it starts
    command = [sys.executable, str(ROOT / "scripts" / "corpus"), "times", str(times), str(corpus), str(place.projects)]
    must(run(command, folder=place.home, environment=place.environment))
    return place


def measured(place: Place) -> Corpus:
    """Return what an index was made from."""
    [[files, size]] = place.ask("select count(*), sum(size) from v1_sources")
    [[lines]] = place.ask("select count(*) from v1_occurrences")
    [[entries]] = place.ask("select count(*) from v1_entries")
    return Corpus(files, size, lines, entries)
