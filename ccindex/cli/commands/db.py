"""`ccindex db`: where the index is, which schema it has, and house-keeping."""

from contextlib import AbstractContextManager
from pathlib import Path

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import path_text, remark, say, show_json
from ccindex.store.connection import HEAD, Condition, Connection, condition
from ccindex.store.index_files import database_path

app = typer.Typer(
    name="db",
    help="Where the index is, which schema it has, and house-keeping.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def path(db: Db = None, *, json: Json = False) -> None:
    """Print where the index is, or would be.

    Examples:
      sqlite3 -readonly "$(ccindex db path)"
    """
    place = path_text(database_path(db))
    if json:
        show_json({"path": place})
    else:
        say(place)


@app.command()
def current(db: Db = None, *, json: Json = False) -> None:
    """Print the index's schema, and whether it is current.

    Examples:
      ccindex db current --json
    """
    place = database_path(db)
    state, found = condition(place)
    if json:
        show_json({"path": path_text(place), "state": state.name.lower(), "revision": found or None, "head": HEAD})
    elif state is Condition.ABSENT:
        say(f"no index at {place} yet")
    elif state is Condition.FOREIGN:
        say(f"{place} is not an index")
    else:
        say(f"{found} ({state.name.lower()}; this ccindex has {HEAD})")


@app.command()
def upgrade(db: Db = None, *, json: Json = False) -> None:
    """Bring an older index up to date.

    Examples:
      ccindex db upgrade
    """
    from ccindex.maintain.update import renew_if_outdated  # noqa: PLC0415 - as in _open

    place = database_path(db)
    _, before = condition(place)
    with _open(place) as connection:
        renew_if_outdated(connection)
    if json:
        show_json({"path": path_text(place), "from": before, "to": HEAD})
    else:
        remark("already up to date" if before == HEAD else f"upgraded from {before} to {HEAD}")


@app.command()
def rebuild(db: Db = None, *, json: Json = False) -> None:
    """Make every table but the archive anew, from the archive.

    No source file is needed.

    Examples:
      ccindex db rebuild
    """
    # 60 ms, which other commands of `db` and completion do not need
    from ccindex.maintain.rebuild import rebuild as run_rebuild  # noqa: PLC0415

    with _open(database_path(db)) as connection:
        counts = run_rebuild(connection)
    if json:
        show_json(counts)
    else:
        remark(f"rebuilt {counts['entries']:,} entries from {counts['sources']:,} sources")


@app.command()
def reprice(db: Db = None, *, json: Json = False) -> None:
    """Estimate all costs anew, at the list prices known now.

    They are those of the price library that is installed; no source file is needed.

    Examples:
      pip install --upgrade genai-prices && ccindex db reprice
    """
    from ccindex.maintain.rebuild import reprice as run_reprice  # noqa: PLC0415 - as in rebuild

    with _open(database_path(db)) as connection:
        count = run_reprice(connection)
    if json:
        show_json({"responses": count})
    else:
        remark(f"priced {count:,} responses")


@app.command()
def vacuum(db: Db = None, *, json: Json = False) -> None:
    """Give unused pages back to the disk.

    Nothing recorded is changed.

    Examples:
      ccindex db vacuum
    """
    from ccindex.maintain.update import vacuum as vacuum_index  # noqa: PLC0415 - as in _open

    place = database_path(db)
    with _open(place) as connection:
        before = place.stat().st_size
        vacuum_index(connection)
    after = place.stat().st_size
    if json:
        show_json({"path": path_text(place), "bytes_before": before, "bytes_after": after})
    else:
        remark(f"{before:,} bytes before, {after:,} after")


def _open(path: Path) -> AbstractContextManager[Connection]:
    """Open an index to write."""
    # 12 ms, which `db path`, `db current` and completion do not need
    from ccindex.maintain.update import open_to_write  # noqa: PLC0415

    return open_to_write(path, create=False)
