"""Load the statements in `sql/`, one per file with a header comment, and encode ids for their parameters."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def directory(name: str) -> Path:
    """Return the folder with the given name in the installed package, or in the repository if the package has none."""
    shipped = _PACKAGE / f"_{name}"
    return shipped if shipped.is_dir() else _PACKAGE.parent / name


@cache
def load(name: str) -> str:
    """Return the statement in `sql/<name>.sql`."""
    return (directory("sql") / f"{name}.sql").read_text(encoding="utf-8")


@cache
def names(folder: str) -> tuple[str, ...]:
    """Return the names of the statements in a folder, sorted."""
    return tuple(sorted(path.stem for path in (directory("sql") / folder).glob("*.sql")))


def sentence(name: str) -> str:
    """Return the first line of a file's header, which is a sentence."""
    return load(name).partition("\n")[0].removeprefix("--").strip()


def encode_ids(ids: Iterable[str]) -> str:
    """Return recorded ids as a JSON array for a statement; NUL is escaped, since json_each truncates strings at NUL."""
    return json.dumps([text.replace("\\", r"\1").replace("\0", r"\0") for text in ids])
