"""Tests that docs/concepts.md documents every value that occurs in the test indexes."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import read, section
from tests.making.indexes import ask


@pytest.mark.parametrize(
    ("heading", "query"),
    [
        ("## Kinds and forms of entries", "select distinct form from v1_entries where form is not null"),
        ("## Subagents", "select distinct kind from v1_agents"),
    ],
)
def test_values_in_the_sample_are_documented(heading: str, query: str, sample: Path, unusual: Path) -> None:
    rows = re.findall(r"^\| (`.+?) \|", section(read("docs/concepts.md"), heading), re.MULTILINE)
    documented = {value for row in rows for value in re.findall(r"`(\w+)`", row)}
    recorded = {value for db in (sample, unusual) for (value,) in ask(db, query)}
    assert recorded
    assert recorded - documented == set()
