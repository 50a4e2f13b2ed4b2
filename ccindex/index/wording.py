"""The full-text index of a first load, made by another process while the rows are written here."""

import sqlite3
from pathlib import Path

from ccindex.errors import WorkerLost
from ccindex.model.drafts import Row
from ccindex.model.facts import Words
from ccindex.store.search import words_file

from .processes import Process, end, send, start

# what FTS5 keeps of an index whose texts it does not keep
_TABLES = ("search_data", "search_idx", "search_docsize")


class Wording:
    """Sends words to who indexes them, and takes over the index that comes of it.

    FTS5 reads what it keeps when it is first asked for something: until the end, nothing may be.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        index = connection.execute("select file from pragma_database_list where name = 'main'").fetchone()[0]
        (create,) = connection.execute("select sql from sqlite_schema where name = 'search'").fetchone()
        self._path = words_file(Path(index))
        self._is_attached = False
        self._process: Process = start("indexer", (str(self._path), create))

    def add(self, rows: list[Row]) -> None:
        """Send the words of entries on their way."""
        if rows:
            self._send(rows)

    def remove(self, entry: int, _: Words) -> None:
        """Take back the words of an entry."""
        self._send(entry)

    def index(self) -> None:
        """Say that these were all; they are indexed while we do something else."""
        self._send([])

    def _send(self, note: list[Row] | int) -> None:
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, note)
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise WorkerLost(self._process.wait()) from error

    def finish(self) -> None:
        """Take over what was made, in the caller's transaction."""
        assert self._process.stdout is not None
        if self._process.stdout.read() != b"done":
            raise WorkerLost(self._process.wait())
        self._connection.execute("attach ? as words", (str(self._path),))
        self._is_attached = True
        for table in _TABLES:
            self._connection.execute(f"delete from main.{table}")  # noqa: S608
            self._connection.execute(f"insert into main.{table} select * from words.{table}")  # noqa: S608

    def close(self) -> None:
        """End it all, after the caller's transaction."""
        end(self._process)
        if self._is_attached:
            self._connection.execute("detach words")
        self._path.unlink(missing_ok=True)


def wording_for(connection: sqlite3.Connection) -> Wording | None:
    """Let another process index words, if one can be started and FTS5's tables can be written."""
    try:
        connection.execute("delete from search_docsize where false")
        return Wording(connection)
    except (OSError, sqlite3.OperationalError):
        return None
