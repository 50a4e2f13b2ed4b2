"""`scripts/soak histories`: random histories of random worlds, each held against one clean run; seeds to figures."""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from time import monotonic

from tests.reference.dice import Dice, seeded

from .options import options
from .plays import SMALL, Play, Portions
from .worlds import World, world

_PROGRESS_SECONDS = 20


def main(arguments: list[str]) -> int:
    """Play as many histories as wanted and print what came of them."""
    parser = options("histories", __doc__, count=200, cases="histories")
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    wanted = parser.parse_args(arguments)
    seeds = range(wanted.seed, wanted.seed + wanted.count)
    return soak("histories", seeds, play, seconds=wanted.seconds)


def play(seed: int, figures: Counter[str]) -> None:
    """Play the history of a seed; every other one has files that were rewritten."""
    played(seed, world(seed, rewrites=seed % 2 == 0), figures)


def played(seed: int, made: World, figures: Counter[str], portions: Portions = SMALL) -> None:
    """Let a world come about in a folder of its own."""
    dice = Dice(seeded(f"history {seed}"))
    with (
        tempfile.TemporaryDirectory(prefix="ccindex-soak-") as folder,
        closing(Play(dice, Path(folder).resolve(), figures, portions=portions)) as one,
    ):
        one.go(made)


def soak(
    name: str, seeds: Iterable[int], one: Callable[[int, Counter[str]], None], *, seconds: float | None = None
) -> int:
    """Run one case a seed, tell of those that differ how to have them again, and print the figures."""
    figures: Counter[str] = Counter()
    started = told = monotonic()
    for seed in seeds:
        try:
            one(seed, figures)
        except Exception as error:  # noqa: BLE001  # whatever it is, the other seeds are worth knowing
            figures["differences"] += 1
            print(f"DIFFERENCE at seed {seed}: {type(error).__name__}: {str(error)[:4000]}", flush=True)
            print(f"  again with: scripts/soak {name} --count 1 --seed {seed}", flush=True)
        if monotonic() - told > _PROGRESS_SECONDS:
            told = monotonic()
            print(f"seed {seed}, {told - started:.0f} s: {_told(figures)}", file=sys.stderr, flush=True)
        if seconds is not None and monotonic() - started > seconds:
            break
    print(f"{_told(figures)}, in {monotonic() - started:.0f} s")
    return 1 if figures["differences"] else 0


def _told(figures: Counter[str]) -> str:
    names = ("histories", "ingests", "pieces", "rebuilds", "renewals", "interruptions", "deletions", "rewrites")
    told = [name for name in names if figures[name]]  # a kind that never does something need not say so
    return ", ".join(f"{figures[name]:,} {name}" for name in (*told, "differences"))
