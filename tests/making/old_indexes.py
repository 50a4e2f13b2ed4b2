"""Create indexes with old schemas from dumps."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ccindex.store import connection as store
from ccindex.store.create import APPLICATION_ID
from tests.making.folders import TESTS

DUMPS = sorted((TESTS / "store" / "old").glob("*.sql"))


def load_dump(dump: Path, db: Path) -> None:
    """Create an index from a dump."""
    db.parent.mkdir()
    with closing(sqlite3.connect(db)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
        connection.execute(f"pragma application_id = {APPLICATION_ID}")
        connection.execute("pragma journal_mode = wal")
    assert store.index_state(db)[0] is store.IndexState.OLDER
