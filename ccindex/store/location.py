"""What --db or the environment says to the path of the database file."""

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from ccindex.errors import BadDatabaseName, NoHome

_SCHEMES = ("sqlite:///", "sqlite+pysqlite:///")


def database_path(option: str | None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return --db, else CCINDEX_DB, else the file in the user's data folder."""
    given = option or environ.get("CCINDEX_DB")
    if not given:
        return _data_folder() / "ccindex.db"
    for scheme in _SCHEMES:
        if given.startswith(scheme):
            given = given.removeprefix(scheme).partition("?")[0]
            break
    if not given or given == ":memory:" or "://" in given or "\0" in given:
        raise BadDatabaseName(option or environ["CCINDEX_DB"])
    # resolved, so that one database has one lock by whatever name it is called
    return Path(os.path.realpath(os.path.expanduser(given)))


def _data_folder() -> Path:
    try:
        folder = platformdirs.user_data_path("ccindex", appauthor=False)
    except RuntimeError as error:
        raise NoHome from error
    if not folder.is_absolute():  # without a home, some versions of the library hand the ~ back
        raise NoHome
    return folder
