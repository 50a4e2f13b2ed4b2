"""Every table of the index but the full-text one, as SQLAlchemy metadata: the truth that migrations are compared with.

Only creating and upgrading an index import this; rows go through the driver (`store.recorded`).
"""

from ccindex.store.schema import derived, files, meaning, objects, usage
from ccindex.store.schema.columns import metadata

__all__ = ["derived", "files", "is_compared", "meaning", "metadata", "objects", "usage"]


def is_compared(name: str | None, kind: str, _parents: object) -> bool:
    """Whether a table is described here: FTS5 makes its own."""
    return kind != "table" or name is None or not name.startswith("entries_fts")
