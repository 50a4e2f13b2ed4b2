"""`ccindex db`: locate, upgrade, rebuild and vacuum the index."""

from contextlib import AbstractContextManager
from pathlib import Path

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import path_text, print_json, print_note, print_text
from ccindex.render.text import format_count
from ccindex.store.connection import HEAD, Connection, IndexState, index_state
from ccindex.store.index_files import database_path

app = typer.Typer(
    name="db",
    help="Locate, upgrade, rebuild or vacuum the index.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def path(db: Db = None, *, json: Json = False) -> None:
    """Print the path of the index, even if the index does not exist yet.

    Examples:
      sqlite3 -readonly "$(ccindex db path)"
    """
    text = path_text(database_path(db))
    if json:
        print_json({"path": text})
    else:
        print_text(text)


@app.command()
def current(db: Db = None, *, json: Json = False) -> None:
    """Print the schema version of the index.

    Examples:
      ccindex db current --json
    """
    index_path = database_path(db)
    state, revision = index_state(index_path)
    if json:
        print_json(
            {"path": path_text(index_path), "state": state.name.lower(), "revision": revision or None, "head": HEAD}
        )
    elif state is IndexState.ABSENT:
        print_text(f"no index at {index_path} yet")
    elif state is IndexState.FOREIGN:
        print_text(f"{index_path} is not a ccindex index")
    else:
        print_text(f"{revision} ({state.name.lower()}; this version of ccindex uses {HEAD})")


@app.command()
def upgrade(db: Db = None, *, json: Json = False) -> None:
    """Upgrade the index to the current schema.

    Examples:
      ccindex db upgrade
    """
    from ccindex.maintain.update import renew_if_outdated  # noqa: PLC0415 - slow to import, see _open

    index_path = database_path(db)
    _, before = index_state(index_path)
    with _open(index_path) as connection:
        renew_if_outdated(connection)
    if json:
        print_json({"path": path_text(index_path), "from": before, "to": HEAD})
    else:
        print_note("already up to date" if before == HEAD else f"upgraded from {before} to {HEAD}")


@app.command()
def rebuild(db: Db = None, *, json: Json = False) -> None:
    """Rebuild the tables from the archive.

    The transcript files are not needed.

    Examples:
      ccindex db rebuild
    """
    # takes 60 ms to import; other `db` commands and completion do not need it
    from ccindex.maintain.rebuild import rebuild as run_rebuild  # noqa: PLC0415

    with _open(database_path(db)) as connection:
        counts = run_rebuild(connection)
    if json:
        print_json(counts)
    else:
        entries = format_count(counts["entries"], "entry", "entries")
        print_note(f"rebuilt {entries} from {format_count(counts['sources'], 'source')}")


@app.command()
def reprice(db: Db = None, *, json: Json = False) -> None:
    """Estimate the cost of all responses again.

    Most list prices come from the installed version of genai-prices. The transcript files are not needed.

    Examples:
      pip install --upgrade genai-prices && ccindex db reprice
    """
    from ccindex.maintain.rebuild import reprice as run_reprice  # noqa: PLC0415 - slow to import, see rebuild

    with _open(database_path(db)) as connection:
        count = run_reprice(connection)
    if json:
        print_json({"responses": count})
    else:
        print_note(f"priced {format_count(count, 'response')}")


@app.command()
def vacuum(db: Db = None, *, json: Json = False) -> None:
    """Return unused disk space to the system.

    The content of the index does not change.

    Examples:
      ccindex db vacuum
    """
    from ccindex.maintain.update import vacuum as vacuum_index  # noqa: PLC0415 - slow to import, see _open

    index_path = database_path(db)
    with _open(index_path) as connection:
        before = index_path.stat().st_size
        vacuum_index(connection)
    after = index_path.stat().st_size
    if json:
        print_json({"path": path_text(index_path), "bytes_before": before, "bytes_after": after})
    else:
        print_note(f"{before:,} bytes before, {after:,} after")


def _open(path: Path) -> AbstractContextManager[Connection]:
    """Open an index for writing."""
    # takes 12 ms to import; `db path`, `db current` and completion do not need it
    from ccindex.maintain.update import open_to_write  # noqa: PLC0415

    return open_to_write(path, create=False)
