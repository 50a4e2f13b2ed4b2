"""Fixtures for the store tests."""

from pathlib import Path

import pytest

from ccindex.store.connection import changing


@pytest.fixture
def empty(db: Path) -> Path:
    """An index without entries."""
    with changing(db, create=True):
        pass
    return db
