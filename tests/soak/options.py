"""Command-line options shared by most kinds of soak tests: the number of cases and the first seed."""

import argparse


def make_parser(kind: str, description: str | None, *, count: int, cases: str) -> argparse.ArgumentParser:
    """Return a parser with the shared options; a kind of soak test can add its own options."""
    parser = argparse.ArgumentParser(prog=f"scripts/soak {kind}", description=description)
    parser.add_argument("--count", type=int, default=count, help=f"number of {cases}; default: %(default)s")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="seed of the first case; each further case uses the next seed; default: %(default)s",
    )
    return parser
