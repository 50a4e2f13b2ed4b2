"""The statements in `sql/`: one per file, with a header of comments."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def directory(name: str) -> Path:
    """Return the folder of that name, the shipped one first."""
    shipped = _PACKAGE / f"_{name}"
    return shipped if shipped.is_dir() else _PACKAGE.parent / name


@cache
def load(name: str) -> str:
    """Return the statement of `sql/<name>.sql`."""
    return (directory("sql") / f"{name}.sql").read_text(encoding="utf-8")


@cache
def names(folder: str) -> tuple[str, ...]:
    """Return the names of a folder's statements, in order."""
    return tuple(sorted(path.stem for path in (directory("sql") / folder).glob("*.sql")))


def sentence(name: str) -> str:
    """Return the first sentence of a file's header."""
    return load(name).partition("\n")[0].removeprefix("--").strip()
