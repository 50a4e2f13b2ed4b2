"""Short hashes of bytes, as SQLite's integers."""

import xxhash


def signed_hash(data: bytes) -> int:
    """xxh3-64 as SQLite's signed integer."""
    number: int = xxhash.xxh3_64_intdigest(data)
    return number - (1 << 64) if number >= 1 << 63 else number
