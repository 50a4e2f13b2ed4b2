"""Transcripts do not depend on the batch size."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given

import ccindex.query.line_tree
import ccindex.query.reading_order
from ccindex.query.export import load_entries
from ccindex.query.ids import Target
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import TranscriptItem, load_transcript
from tests.making.files import write_all
from tests.making.hypothesis_settings import examples
from tests.making.indexes import index
from tests.reference.random_projects import projects

ORDERS = (ReadingOrder(AgentPlacement.SKIPPED), ReadingOrder(AgentPlacement.INSIDE), ReadingOrder(inline=True))


@contextmanager
def batches_of(entries: int) -> Iterator[None]:
    """Set the batch size, in entries, for the duration of the block."""
    previous = ccindex.query.reading_order.BATCH_ENTRIES, ccindex.query.line_tree.PAGE_ENTRIES
    ccindex.query.reading_order.BATCH_ENTRIES = ccindex.query.line_tree.PAGE_ENTRIES = entries
    try:
        yield
    finally:
        ccindex.query.reading_order.BATCH_ENTRIES, ccindex.query.line_tree.PAGE_ENTRIES = previous


def read(db: Path) -> list[tuple[list[TranscriptItem], list[dict[str, Any]]]]:
    """Read every session and path in several reading orders."""
    with closing(sqlite3.connect(db)) as connection:
        targets = [Target("session", name) for (name,) in connection.execute("select session_id from v1_sessions")]
        targets += [Target("path", name) for (name,) in connection.execute("select path_id from v1_paths")]
        return [
            (
                list(load_transcript(connection, target, order, everything=True)),
                list(load_entries(connection, target, order, with_raw=True)),
            )
            for target in targets
            for order in ORDERS
        ]


@examples(40)
@given(projects())
def test_batch_size_does_not_change_the_items(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, db = Path(name).resolve() / "projects", Path(name) / "x.db"
        write_all(folder, files)
        index(db, folder)
        expected = read(db)
        for entries in (1, 3):
            with batches_of(entries):
                assert read(db) == expected
