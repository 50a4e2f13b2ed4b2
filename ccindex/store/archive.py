"""Store and read the archive: the bytes of every generation, in compressed chunks. Equal chunks are stored once."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ccindex.chunks import EDGE_BYTES, CorruptChunk, compress, content_digest, decompress, short_hash
from ccindex.errors import ArchiveDamaged
from ccindex.model.events import Chunk
from ccindex.model.sources import Redaction, blank_out
from ccindex.store.rows import insert_into

_MAX_CACHED_CHUNKS = 2
_WRONG_BYTES = "the bytes differ from those that were recorded"


class Extent(NamedTuple):
    """A byte range of a generation, and the chunk that contains it."""

    start: int
    length: int
    chunk: int
    hash: bytes | None  # None: the chunk is missing


class Archive:
    """Writes and reads archived bytes on one connection, in the caller's transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._cache: dict[int, bytes] = {}

    def put(self, source: int, generation: int, start: int, data: bytes) -> None:
        """Add bytes to a generation, starting at the offset `start`."""
        self.put_chunk(source, generation, Chunk(start, len(data), content_digest(data), compress(data)))

    def put_chunk(self, source: int, generation: int, chunk: Chunk) -> None:
        """Add a chunk to a generation; content that is already in the archive is not stored again."""
        row = self._connection.execute("select id from chunks where hash = ?", (chunk.digest,)).fetchone()
        insert = insert_into("chunks", ("raw_size", "hash", "data"))
        chunk_id = row[0] if row else self._connection.execute(insert, chunk[1:]).lastrowid
        self._connection.execute(insert_into("extents"), (source, generation, chunk.start, chunk.raw_size, chunk_id))

    def extents(self, source: int, generation: int) -> list[Extent]:
        """Return the extents of a generation, in order."""
        return self._extents("where source = ? and generation = ?", source, generation)

    def blocks(self, source: int, generation: int) -> Iterator[bytes]:
        """Yield the bytes of a generation, one extent at a time."""
        position = 0
        for extent in self.extents(source, generation):
            if extent.start != position:
                break
            yield self._block(source, extent)
            position += extent.length
        find = "select archived from generations where source = ? and number = ?"
        if self._connection.execute(find, (source, generation)).fetchone() != (position,):
            raise ArchiveDamaged(self._path(source), position, "bytes are missing")

    def slice(self, source: int, generation: int, start: int, length: int) -> bytes:
        """Return `length` bytes of a generation, beginning at the offset `start`."""
        overlapping = "where source = ? and generation = ? and start < ? and start + length > ?"
        parts = []
        for extent in self._extents(overlapping, source, generation, start + length, start):
            block = self._block(source, extent)
            parts.append(block[max(0, start - extent.start) : start + length - extent.start])
        data = b"".join(parts)
        if len(data) != length:
            raise ArchiveDamaged(self._path(source), start, "bytes are missing")
        return data

    def edge_hashes(self, source: int, generation: int, archived: int) -> tuple[int, int]:
        """Hash the first and the last EDGE_BYTES of a generation."""
        size = min(EDGE_BYTES, archived)
        head, tail = (self.slice(source, generation, start, size) for start in (0, archived - size))
        return short_hash(head), short_hash(tail)

    def _extents(self, where: str, *values: int) -> list[Extent]:
        # left join, so that an extent whose chunk is missing is reported as damage instead of skipped
        find = f"select start, length, chunk, hash from extents left join chunks on chunks.id = chunk {where}"  # noqa: S608
        return [Extent(*row) for row in self._connection.execute(f"{find} order by start", values)]

    def overwrite_with_blanks(self, source: int, generation: int, redactions: list[Redaction]) -> None:
        """Overwrite byte ranges of a generation with spaces; generations that share its chunks are not changed."""
        for extent in self.extents(source, generation):
            data = self._block(source, extent)
            changed = blank_out(data, extent.start, redactions)
            if changed != data:
                self.replace_extent(source, generation, extent.start, changed)
        self.drop_unused()

    def replace_extent(self, source: int, generation: int, start: int, data: bytes) -> None:
        """Replace the bytes of an extent with others of the same length."""
        key = (source, generation, start)
        self._connection.execute("delete from extents where source = ? and generation = ? and start = ?", key)
        self.put(*key, data)

    def drop_unused(self) -> None:
        """Delete the chunks that no extent refers to."""
        self._connection.execute("delete from chunks where id not in (select chunk from extents)")
        self._cache.clear()

    def _block(self, source: int, extent: Extent) -> bytes:
        cached = self._cache.get(extent.chunk)
        data = self._decompress(source, extent) if cached is None else cached
        if len(data) != extent.length:
            raise ArchiveDamaged(self._path(source), extent.start, _WRONG_BYTES)
        if cached is None:
            if len(self._cache) >= _MAX_CACHED_CHUNKS:
                del self._cache[next(iter(self._cache))]
            self._cache[extent.chunk] = data
        return data

    def _decompress(self, source: int, extent: Extent) -> bytes:
        row = self._connection.execute("select data from chunks where id = ?", (extent.chunk,)).fetchone()
        if row is None:
            raise ArchiveDamaged(self._path(source), extent.start, "bytes are missing")
        try:
            data = decompress(row[0])
        except CorruptChunk as error:
            raise ArchiveDamaged(self._path(source), extent.start, error) from error
        if content_digest(data) != extent.hash:
            raise ArchiveDamaged(self._path(source), extent.start, _WRONG_BYTES)
        return data

    def _path(self, source: int) -> str:
        row = self._connection.execute("select path from sources where id = ?", (source,)).fetchone()
        return str(row[0]) if row else f"source {source}"
