"""The statements in `sql/`: one a file, a header of comments first."""

from functools import cache

from ccindex.resources import directory


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
