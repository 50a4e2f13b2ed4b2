"""Indexes for running the examples in the documentation."""

import shutil
from pathlib import Path

import pytest

from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import index
from tests.making.transcripts import line

DELETED_PROJECT = "-home-you-projects-bread-timer"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the sample. One of its projects was deleted after the first run."""
    folder = tmp_path_factory.mktemp("sample")
    transcripts = Path(shutil.copytree(SAMPLE, folder / "sample"))
    report = index(folder / "sample.db", transcripts)
    assert report.malformed_lines == 0
    shutil.rmtree(transcripts / "projects" / DELETED_PROJECT)
    index(folder / "sample.db", transcripts)
    return folder / "sample.db"


@pytest.fixture(scope="module")
def unusual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of cases that the sample lacks: a replay, an unlinked subagent, a model without a price."""
    folder = tmp_path_factory.mktemp("unusual")
    repeated = {"timestamp": "2026-03-01T09:00:01.000Z", "message": {"role": "user", "content": "again"}}
    write(
        folder / "p" / "s1.jsonl",
        line("u1"),
        line("u2", parent="u1", **repeated),
        line("u3", parent="u1", **repeated),
        line("u4", isSidechain=True, agentId="a1"),
        line("u5", parent="u3", type="assistant", message={"role": "assistant", "id": "m1", "model": "homemade-1"}),
    )
    index(folder / "unusual.db", folder / "p")
    return folder / "unusual.db"
