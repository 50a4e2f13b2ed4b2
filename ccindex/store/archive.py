"""The archive: bytes of every generation in compressed chunks, stored once per content."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ccindex.chunks import EDGE_BYTES, CorruptChunk, compress, content_digest, decompress, short_hash
from ccindex.errors import ArchiveDamaged
from ccindex.model.events import Chunk
from ccindex.model.sources import Span, blanked
from ccindex.store.rows import insert_into

_CACHED = 4
_NOT_AS_RECORDED = "the bytes are not those recorded"


class Extent(NamedTuple):
    """Which chunk holds which bytes of a generation."""

    start: int
    length: int
    chunk: int
    hash: bytes | None  # None: the chunk is gone


class Archive:
    """Puts and gives bytes on one connection, inside its owner's transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._cache: dict[int, bytes] = {}

    def put(self, source: int, generation: int, start: int, data: bytes) -> None:
        """Store bytes that follow those stored so far."""
        self.put_chunk(source, generation, Chunk(start, len(data), content_digest(data), compress(data)))

    def put_chunk(self, source: int, generation: int, chunk: Chunk) -> None:
        """Store a chunk of a generation; if the archive has its content already, only a reference to that."""
        found = self._connection.execute("select id from chunks where hash = ?", (chunk.digest,)).fetchone()
        insert = insert_into("chunks", ("raw_size", "hash", "data"))
        stored = found[0] if found else self._connection.execute(insert, chunk[1:]).lastrowid
        self._connection.execute(insert_into("extents"), (source, generation, chunk.start, chunk.raw_size, stored))

    def extents(self, source: int, generation: int) -> list[Extent]:
        """Return what holds a generation, in order."""
        return self._extents("where source = ? and generation = ?", source, generation)

    def blocks(self, source: int, generation: int) -> Iterator[bytes]:
        """Give a generation's bytes from the first to the last."""
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
        """Return some bytes of a generation."""
        inside = "where source = ? and generation = ? and start < ? and start + length > ?"
        parts = []
        for extent in self._extents(inside, source, generation, start + length, start):
            block = self._block(source, extent)
            parts.append(block[max(0, start - extent.start) : start + length - extent.start])
        data = b"".join(parts)
        if len(data) != length:
            raise ArchiveDamaged(self._path(source), start, "bytes are missing")
        return data

    def edges(self, source: int, generation: int, archived: int) -> tuple[int, int]:
        """Hash the first and the last EDGE_BYTES of a generation."""
        size = min(EDGE_BYTES, archived)
        head, tail = (self.slice(source, generation, start, size) for start in (0, archived - size))
        return short_hash(head), short_hash(tail)

    def _extents(self, which: str, *values: int) -> list[Extent]:
        # left, since an extent whose chunk is gone is not to pass for one that never was
        find = f"select start, length, chunk, hash from extents left join chunks on chunks.id = chunk {which}"  # noqa: S608
        return [Extent(*row) for row in self._connection.execute(f"{find} order by start", values)]

    def blank(self, source: int, generation: int, spans: list[Span]) -> None:
        """Put blanks in place of some bytes; a chunk that others have too is left to them."""
        for extent in self.extents(source, generation):
            data = self._block(source, extent)
            changed = blanked(data, extent.start, spans)
            if changed != data:
                self.exchange(source, generation, extent.start, changed)
        self.drop_unused()

    def exchange(self, source: int, generation: int, start: int, data: bytes) -> None:
        """Keep other bytes, as many, in the place of an extent's."""
        where = (source, generation, start)
        self._connection.execute("delete from extents where source = ? and generation = ? and start = ?", where)
        self.put(*where, data)

    def drop_unused(self) -> None:
        """Delete the chunks that hold no file's bytes any longer."""
        self._connection.execute("delete from chunks where id not in (select chunk from extents)")
        self._cache.clear()

    def _block(self, source: int, extent: Extent) -> bytes:
        known = self._cache.get(extent.chunk)
        data = self._unpacked(source, extent) if known is None else known
        if len(data) != extent.length:
            raise ArchiveDamaged(self._path(source), extent.start, _NOT_AS_RECORDED)
        if known is None:
            if len(self._cache) >= _CACHED:
                del self._cache[next(iter(self._cache))]
            self._cache[extent.chunk] = data
        return data

    def _unpacked(self, source: int, extent: Extent) -> bytes:
        row = self._connection.execute("select data from chunks where id = ?", (extent.chunk,)).fetchone()
        if row is None:
            raise ArchiveDamaged(self._path(source), extent.start, "bytes are missing")
        try:
            data = decompress(row[0])
        except CorruptChunk as error:
            raise ArchiveDamaged(self._path(source), extent.start, error) from error
        if content_digest(data) != extent.hash:
            raise ArchiveDamaged(self._path(source), extent.start, _NOT_AS_RECORDED)
        return data

    def _path(self, source: int) -> str:
        row = self._connection.execute("select path from sources where id = ?", (source,)).fetchone()
        return str(row[0]) if row else f"source {source}"
