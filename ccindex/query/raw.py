"""An entry's recorded bytes, from the archive."""

import sqlite3
from collections.abc import Callable

from ccindex.store.archive import Archive


def recorder(connection: sqlite3.Connection) -> Callable[[str], bytes]:
    """Return a function from a uuid to the object that owns it, byte for byte as it was recorded."""
    archive = Archive(connection)
    find = (
        "select o.source, o.generation, o.offset, o.length from entries e "
        "join occurrences o on o.id = e.occurrence where e.uuid = ?"
    )

    def recorded(uuid: str) -> bytes:
        return archive.slice(*connection.execute(find, (uuid,)).fetchone())

    return recorded
