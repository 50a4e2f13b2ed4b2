"""An index as a command reads it: as it is for programs, with secrets masked for people."""

from collections.abc import Iterator
from contextlib import contextmanager

from ccindex.query.secrets import masked_row
from ccindex.store.db import Connection, reading
from ccindex.store.location import database_path


@contextmanager
def opened(db: str | None, *, exact: bool) -> Iterator[Connection]:
    """Open an index to read; unless it shall be exact, no text that comes out of it has a secret in it."""
    with reading(database_path(db)) as connection:
        if not exact:
            # at the door: whatever cuts, folds, wraps or marks a text later never had the secret
            connection.row_factory = masked_row
        yield connection
