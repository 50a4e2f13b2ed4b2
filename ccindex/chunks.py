"""Hash bytes, and compress and decompress archive chunks."""

from functools import cache

import xxhash
import zstandard

CHUNK_BYTES = 4 << 20  # uncompressed; chunks of 1 MB need 5% more space
EDGE_BYTES = 4096  # hashed at both ends of the archived part of a file, to distinguish an append from a rewrite
_ZSTD_LEVEL = 3  # level 6 needs 8% less space and three times as much time


class CorruptChunk(ValueError):
    """The bytes are not a valid archive chunk."""


def short_hash(data: bytes) -> int:
    """Return the xxh3-64 hash of `data` as a signed integer, which SQLite can store."""
    number: int = xxhash.xxh3_64_intdigest(data)
    return number - (1 << 64) if number >= 1 << 63 else number


def content_digest(data: bytes) -> bytes:
    """Return the xxh3-128 hash of `data`; the archive identifies chunks by this hash."""
    hashed: bytes = xxhash.xxh3_128_digest(data)
    return hashed


def digest_text_or_id(content: str, *, is_text: bool) -> bytes:
    """Return a 16-byte hash of text or an id; the same string has different hashes as text and as an id."""
    kind = b"t" if is_text else b"i"
    return content_digest(kind + content.encode("utf-8", "surrogatepass"))


def compress(data: bytes) -> bytes:
    """Compress a chunk."""
    return _compressor().compress(data)


def decompress(data: bytes) -> bytes:
    """Decompress a chunk; raises CorruptChunk."""
    try:
        # checked first, because the library allocates as many bytes as the frame header specifies
        if not 0 <= zstandard.frame_content_size(data) <= CHUNK_BYTES:
            raise CorruptChunk("the bytes differ from those that were recorded")
        return _decompressor().decompress(data)
    except (zstandard.ZstdError, TypeError) as error:  # TypeError: in a damaged index, the value might not be bytes
        raise CorruptChunk(str(error)) from error


@cache
def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True)


@cache
def _decompressor() -> zstandard.ZstdDecompressor:
    return zstandard.ZstdDecompressor()
