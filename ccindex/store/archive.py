"""The archive: bytes of every generation in compressed chunks, stored once per content."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import xxhash
import zstandard

from ccindex.errors import ArchiveDamaged
from ccindex.model.sources import Span, blanked
from ccindex.store.rows import insert_into


def signed_hash(data: bytes) -> int:
    """xxh3-64 as SQLite's signed integer."""
    number: int = xxhash.xxh3_64_intdigest(data)
    return number - (1 << 64) if number >= 1 << 63 else number


def digest(content: str, *, is_text: bool) -> bytes:
    """Return 16 bytes that stand for a text or an id; a text and an id never have the same."""
    kind = b"t" if is_text else b"i"
    found: bytes = xxhash.xxh3_128_digest(kind + content.encode("utf-8", "surrogatepass"))
    return found


CHUNK = 1 << 20  # of raw bytes; larger ones hardly compress better
EDGE = 4096  # bytes hashed at the head and below the end of what is archived of a file
_LEVEL = 3
_CACHED = 4
_NOT_AS_RECORDED = "the bytes are not those recorded"


class Extent(NamedTuple):
    """Which chunk holds which bytes of a generation."""

    start: int
    length: int
    chunk: int
    hash: bytes | None  # None: the chunk is gone


class Packed(NamedTuple):
    """A chunk as the archive keeps it."""

    length: int
    hash: bytes
    data: bytes


class Archive:
    """Puts and gives bytes on one connection, inside its owner's transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._compressor = compressor()
        self._decompressor = zstandard.ZstdDecompressor()
        self._cache: dict[int, bytes] = {}

    def put(self, source: int, generation: int, start: int, data: bytes) -> None:
        """Keep bytes that follow those kept so far."""
        digest = digest_of(data)
        packed = b"" if self._find(digest) is not None else self._compressor.compress(data)
        self.put_packed((source, generation), start, Packed(len(data), digest, packed))

    def put_packed(self, where: tuple[int, int], start: int, packed: Packed) -> None:
        """Keep bytes that were packed before, or only say where they stand if the archive has them."""
        chunk = self._find(packed.hash)
        if chunk is None:
            make = "insert into chunks (raw_size, hash, data) values (?, ?, ?)"
            chunk = self._connection.execute(make, packed).lastrowid
        self._connection.execute(
            insert_into("extents"),
            (*where, start, packed.length, chunk),
        )

    def _find(self, digest: bytes) -> int | None:
        row = self._connection.execute("select id from chunks where hash = ?", (digest,)).fetchone()
        return None if row is None else int(row[0])

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
            # asked first: the library makes room for whatever size the bytes claim to have
            if not 0 <= zstandard.frame_content_size(row[0]) <= CHUNK:
                raise ArchiveDamaged(self._path(source), extent.start, _NOT_AS_RECORDED)
            data = self._decompressor.decompress(row[0])
        except (zstandard.ZstdError, TypeError) as error:  # TypeError: in a damaged file it may be no bytes at all
            raise ArchiveDamaged(self._path(source), extent.start, error) from error
        if digest_of(data) != extent.hash:
            raise ArchiveDamaged(self._path(source), extent.start, _NOT_AS_RECORDED)
        return data

    def _path(self, source: int) -> str:
        row = self._connection.execute("select path from sources where id = ?", (source,)).fetchone()
        return str(row[0]) if row else f"source {source}"


def compressor() -> zstandard.ZstdCompressor:
    """What packs a chunk."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)


def digest_of(data: bytes) -> bytes:
    """The content address of a chunk."""
    return xxhash.xxh3_128_digest(data)
