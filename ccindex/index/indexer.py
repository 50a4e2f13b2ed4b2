"""The other end of `wording`: a process that makes a full-text index in a file of its own."""

import gc
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any

from ccindex.store.search import ADD_WORDS

from .processes import receive, send

# bytes of words in memory before FTS5 writes them: the more, the less has to be merged later
_GATHERED = 16 << 20


def main(task: tuple[str, str]) -> None:
    """Take words from standard input, and index them once all are there; make no file if they end too soon."""
    path, create = task
    gc.disable()  # much is made here, and nothing of it is in a cycle
    # kept until others need the processors less: a file without a name goes with its process
    with TemporaryFile(dir=os.path.dirname(path)) as kept:
        withdrawn: Counter[int] = Counter()
        try:
            while note := receive(sys.stdin.buffer):
                if isinstance(note, int):
                    withdrawn[note] += 1
                else:
                    send(kept, note)
        except EOFError:
            return
        kept.seek(0)
        _index(path, create, kept, withdrawn)
    sys.stdout.buffer.write(b"done")


def _index(path: str, create: str, kept: IO[bytes], withdrawn: Counter[int]) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = off")  # whatever goes wrong, the file is of no use then
    connection.execute("pragma synchronous = off")
    connection.execute(create)
    connection.execute("insert into search (search, rank) values ('hashsize', ?)", (_GATHERED,))
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
