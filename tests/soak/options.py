"""What every kind of soak is asked: how many cases, and from which seed on."""

import argparse


def options(kind: str, about: str | None, *, count: int, cases: str) -> argparse.ArgumentParser:
    """Give the options that all kinds have; a kind adds its own."""
    parser = argparse.ArgumentParser(prog=f"scripts/soak {kind}", description=about)
    parser.add_argument("--count", type=int, default=count, help=f"how many {cases}; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of the first, the next has the next; default: %(default)s")
    return parser
