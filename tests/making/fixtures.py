"""Fixtures of several test modules. tests/conftest.py makes them available everywhere."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.making.folders import SHARED


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


@pytest.fixture
def open_place(tmp_path: Path) -> Iterator[Path]:
    """A folder that every user may use. Only the owner may enter pytest's own temporary folders."""
    place = Path("/tmp") / f"ccindex-rights-{os.getpid()}"  # noqa: S108 - its name is ours alone
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    yield place.resolve()
    for folder, _, _ in os.walk(place):
        os.chmod(folder, 0o700)
    shutil.rmtree(place)
    assert tmp_path.exists()
