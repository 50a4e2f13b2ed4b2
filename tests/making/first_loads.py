"""Make first loads of small transcripts use shards, as large first loads do."""

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from unittest.mock import patch

from ccindex.ingest import first_load


@contextmanager
def small_shards(size: int = 1, newest: int = 1) -> Iterator[None]:
    """Use first loads even for the smallest files, with shards of about `size` bytes. Files of a session are divided.

    `newest`: the number of bytes that are indexed first.
    """
    with (
        patch.object(first_load, "_session_of", attrgetter("path")),
        patch.object(first_load, "MIN_LOAD_BYTES", 0),
        patch.object(first_load, "NEWEST_BYTES", newest),
        patch.object(first_load, "MIN_SHARD_BYTES", size),
        patch.object(first_load, "MAX_SHARD_BYTES", size),
    ):
        yield
