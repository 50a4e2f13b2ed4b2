"""Fixtures that several test modules use. tests/conftest.py makes them available everywhere."""

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
        pytest.skip("the corpus of real transcripts is not next to this checkout")
    return folder.resolve()


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that all users can access, unlike pytest's own temporary folders."""
    root = Path("/tmp") / f"ccindex-public-{os.getpid()}"  # noqa: S108 - the name contains the process id
    root.mkdir(mode=0o777)
    root.chmod(0o777)
    yield root.resolve()
    for folder, names, _ in os.walk(root):
        for path in (os.path.join(folder, name) for name in names):
            if not os.path.islink(path):
                os.chmod(path, 0o700)  # os.walk opens it after this
    shutil.rmtree(root)
