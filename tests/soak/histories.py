"""`scripts/soak histories`: index random histories of generated projects, and compare each index with a clean run."""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from time import monotonic

from tests.reference.random_choices import RandomChoices, numbers_from_seed

from .history import SMALL, BatchSizes, History
from .options import make_parser
from .random_projects import Projects, random_projects

_PROGRESS_SECONDS = 20


def main(arguments: list[str]) -> int:
    """Simulate random histories; print every difference and a summary."""
    parser = make_parser("histories", __doc__, count=200, cases="histories")
    parser.add_argument("--seconds", type=float, default=None, help="stop after this many seconds")
    parsed = parser.parse_args(arguments)
    seeds = range(parsed.seed, parsed.seed + parsed.count)
    return soak("histories", seeds, check_history, seconds=parsed.seconds)


def check_history(seed: int, figures: Counter[str]) -> None:
    """Simulate the history for a seed; if the seed is even, files are also rewritten."""
    simulate(seed, random_projects(seed, rewrites=seed % 2 == 0), figures)


def simulate(seed: int, projects: Projects, figures: Counter[str], batch_sizes: BatchSizes = SMALL) -> None:
    """Simulate a random history of the projects in a temporary folder."""
    rng = RandomChoices(numbers_from_seed(f"history {seed}"))
    with (
        tempfile.TemporaryDirectory(prefix="ccindex-soak-") as folder,
        closing(History(rng, Path(folder).resolve(), figures, batch_sizes=batch_sizes)) as history,
    ):
        history.simulate(projects)


def soak(
    name: str, seeds: Iterable[int], check: Callable[[int, Counter[str]], None], *, seconds: float | None = None
) -> int:
    """Run one case per seed; print every difference with a command that reproduces it, and a summary."""
    figures: Counter[str] = Counter()
    started = reported = monotonic()
    for seed in seeds:
        try:
            check(seed, figures)
        except Exception as error:  # noqa: BLE001  # any error is reported, and the other seeds are still run
            figures["differences"] += 1
            print(f"DIFFERENCE at seed {seed}: {type(error).__name__}: {str(error)[:4000]}", flush=True)
            print(f"  reproduce with: scripts/soak {name} --count 1 --seed {seed}", flush=True)
        if monotonic() - reported > _PROGRESS_SECONDS:
            reported = monotonic()
            print(f"seed {seed}, {reported - started:.0f} s: {_format(figures)}", file=sys.stderr, flush=True)
        if seconds is not None and monotonic() - started > seconds:
            break
    print(f"{_format(figures)}, in {monotonic() - started:.0f} s")
    return 1 if figures["differences"] else 0


def _format(figures: Counter[str]) -> str:
    names = ("histories", "ingests", "pieces", "rebuilds", "upgrades", "interruptions", "deletions", "rewrites")
    nonzero = [name for name in names if figures[name]]
    return ", ".join(f"{figures[name]:,} {name}" for name in (*nonzero, "differences"))
