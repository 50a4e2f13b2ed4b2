"""The full-text index of a first load, made by another process while the rows are written here."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from ccindex.errors import WorkerLost
from ccindex.ingest.indexer import DISK, DONE
from ccindex.ingest.processes import Process, end, receive, send, start
from ccindex.model.events import Row
from ccindex.model.recorded import Words
from ccindex.store.fts import words_prefix
from ccindex.store.index_files import refused

# what FTS5 keeps of an index whose texts it does not keep
_TABLES = ("entries_fts_data", "entries_fts_idx", "entries_fts_docsize")


class Wording:
    """Sends words to who indexes them, and takes over the index that comes of it.

    FTS5 reads what it keeps when it is first asked for something: until the end, nothing may be.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        index = connection.execute("select file from pragma_database_list where name = 'main'").fetchone()[0]
        (create,) = connection.execute("select sql from sqlite_schema where name = 'entries_fts'").fetchone()
        self._index = Path(index)
        self._is_attached = False
        self.path = _file_beside(self._index)
        try:
            self.process: Process = start("indexer", (str(self.path), create))
        except BaseException:
            self.path.unlink()
            raise

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
        assert self.process.stdin is not None
        try:
            send(self.process.stdin, note)
            self.process.stdin.flush()
        except BrokenPipeError:
            self._listen()

    def _listen(self) -> None:
        """Hear what became of it; raise what the user is to know if that is no index."""
        assert self.process.stdout is not None
        try:
            name, code, text = receive(self.process.stdout)
        except EOFError as error:
            raise WorkerLost(self.process.wait()) from error
        if name == DISK:
            raise refused(self._index, OSError(code, text))
        if name != DONE:
            failed = sqlite3.OperationalError(text)
            failed.sqlite_errorcode = code
            raise failed

    def finish(self) -> None:
        """Take over what was made, in the caller's transaction."""
        self._listen()
        self._connection.execute("attach ? as words", (str(self.path),))
        self._is_attached = True
        for table in _TABLES:
            self._connection.execute(f"delete from main.{table}")  # noqa: S608
            self._connection.execute(f"insert into main.{table} select * from words.{table}")  # noqa: S608

    def close(self) -> None:
        """End it all, after the caller's transaction."""
        # first: who is left alone by an interrupt in here removes it too, but not once it is killed
        with suppress(OSError):  # gone, or the next run takes it away
            self.path.unlink()
        end(self.process)
        if self._is_attached:
            self._is_attached = False
            self._connection.execute("detach words")


def _file_beside(index: Path) -> Path:
    """Make a file of a name that no other has: one that a killed run started may still be about to remove its own."""
    handle, name = mkstemp(prefix=words_prefix(index), dir=index.parent)
    os.close(handle)
    return Path(name)


def wording_for(connection: sqlite3.Connection) -> Wording | None:
    """Let another process index words, if one can be started and FTS5's tables can be written."""
    try:
        connection.execute("delete from entries_fts_docsize where false")
        return Wording(connection)
    except (OSError, sqlite3.OperationalError):
        return None
