"""Index transcripts into two simple tables, the least that any indexer in Python must do. Its cost is the floor."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import orjson


def main(arguments: list[str]) -> int:
    """Read and decode the transcripts under a folder, and write one row per line and one row per JSON object."""
    root, db = arguments
    paths = sorted(str(path) for path in Path(root).rglob("*.jsonl"))
    with closing(sqlite3.connect(db, isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.execute("create table lines (path, number, start, length)")
        connection.execute("create table entries (uuid, parent, session, type, timestamp)")
        connection.execute("begin")
        for path in paths:
            _index_file(connection, path)
        connection.execute("commit")
    return 0


def _index_file(connection: sqlite3.Connection, path: str) -> None:
    lines, entries, start = [], [], 0
    with open(path, "rb", buffering=1 << 20) as file:
        for number, line in enumerate(file, 1):
            lines.append((path, number, start, len(line)))
            start += len(line)
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(value, dict):
                keys = ("uuid", "parentUuid", "sessionId", "type", "timestamp")
                entries.append(tuple(_string_or_none(value.get(key)) for key in keys))
    connection.executemany("insert into lines values (?, ?, ?, ?)", lines)
    connection.executemany("insert into entries values (?, ?, ?, ?, ?)", entries)


def _string_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
