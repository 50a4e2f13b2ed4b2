"""The other end of `wording`: a process that makes a full-text index in a file of its own."""

import errno
import gc
import os
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import quote

from ccindex.ingest.processes import receive, send
from ccindex.store.fts import ADD_WORDS

# what comes of it: an index, or what the disk or SQLite had against one
DONE, DISK, DATABASE = "done", "disk", "database"

# bytes of words in memory before FTS5 writes them: the more, the less has to be merged later
_GATHERED = 16 << 20


def main(task: tuple[str, str]) -> None:
    """Take words from standard input, index them once all are there, and say what came of it to standard output."""
    path, create = task
    gc.disable()  # much is made here, and nothing of it is in a cycle
    told: tuple[str, int, str] = (DONE, 0, "")
    try:
        _make(path, create)
    except EOFError:
        _remove(path)
        return
    except OSError as error:
        told = (DISK, error.errno or errno.EIO, error.strerror or str(error))
    except sqlite3.Error as error:
        told = (DATABASE, getattr(error, "sqlite_errorcode", 0), str(error))
    send(sys.stdout.buffer, told)
    sys.stdout.buffer.flush()


def _make(path: str, create: str) -> None:
    """Make the index; raises EOFError if the words end too soon."""
    # kept until others need the processors less: a file without a name goes with its process
    with TemporaryFile(dir=os.path.dirname(path)) as kept:
        withdrawn: Counter[int] = Counter()
        while note := receive(sys.stdin.buffer):
            if isinstance(note, int):
                withdrawn[note] += 1
            else:
                send(kept, note)
        threading.Thread(target=_end_alone, args=(path,)).start()
        kept.seek(0)
        _index(path, create, kept, withdrawn)


def _end_alone(path: str) -> None:
    """Wait until nobody is there any more to take the index over, then leave nothing of it."""
    os.read(sys.stdin.fileno(), 1)
    _remove(path)
    os._exit(1)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):  # the next run was faster
        os.unlink(path)


def _index(path: str, create: str, kept: IO[bytes], withdrawn: Counter[int]) -> None:
    # never made anew: the next run may have taken it away
    connection = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, isolation_level=None)
    connection.execute("pragma journal_mode = off")  # whatever goes wrong, the file is of no use then
    connection.execute("pragma synchronous = off")
    connection.execute(create)
    connection.execute("insert into entries_fts (entries_fts, rank) values ('hashsize', ?)", (_GATHERED,))
    connection.execute("begin")
    for rows in _received(kept):
        connection.executemany(ADD_WORDS, [row for row in rows if not _is_withdrawn(row[0], withdrawn)])
    connection.execute("commit")
    connection.close()


def _received(kept: IO[bytes]) -> Iterator[list[tuple[Any, ...]]]:
    try:
        while True:
            yield receive(kept)
    except EOFError:
        return


def _is_withdrawn(entry: int, withdrawn: Counter[int]) -> bool:
    """Whether words of an entry were taken back: the first ones of it, as often as that was said."""
    if not withdrawn[entry]:
        return False
    withdrawn[entry] -= 1
    return True
