"""Short hashes of bytes and texts."""

import xxhash


def signed_hash(data: bytes) -> int:
    """xxh3-64 as SQLite's signed integer."""
    number: int = xxhash.xxh3_64_intdigest(data)
    return number - (1 << 64) if number >= 1 << 63 else number


def digest(content: str, *, is_text: bool) -> bytes:
    """Return 16 bytes that stand for a text or an id; a text and an id never have the same."""
    kind = b"t" if is_text else b"i"
    found: bytes = xxhash.xxh3_128_digest(kind + content.encode("utf-8", "surrogatepass"))
    return found
