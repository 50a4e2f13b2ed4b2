"""Fixtures: a place for an index, a folder of transcripts, the shared material where it is there."""

import os
from pathlib import Path

import pytest

from .support import SHARED

# the width of the terminal that the tests run on, or that pytest-xdist thinks of, is no business of theirs
os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")  # GNU readline, which pytest loads, sets it for child processes behind Python's back


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "index" / "ccindex.db"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "projects" / "-w"
    folder.mkdir(parents=True)
    return folder.resolve()


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = SHARED / "corpus"
    if not folder.is_dir():
        pytest.skip("the corpus of real transcripts is not beside this checkout")
    return folder.resolve()
