"""Fixtures for the command-line tests."""

import shutil
from pathlib import Path

import pytest

from tests.making.folders import SAMPLE
from tests.making.indexes import index


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a copy of the sample."""
    folder = tmp_path_factory.mktemp("sample").resolve()
    shutil.copytree(SAMPLE, folder / "sample")
    index(folder / "x.db", folder / "sample")
    return folder / "x.db"
