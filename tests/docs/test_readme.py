"""Tests that README.md is short, and that the documentation gives the reason for every dependency."""

import re
import tomllib

from tests.docs.pages import PAGES, README, read
from tests.making.folders import ROOT

MAX_README_BYTES = 10_000


def test_readme_is_short() -> None:
    assert len(README.read_bytes()) <= MAX_README_BYTES


def test_every_dependency_has_a_documented_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.split(r"[<>=~!]", requirement)[0] for requirement in project["dependencies"]}
    rows = [
        row for path in PAGES for row in re.findall(r"^\| \[([a-z-]+)\]\(.+?\) \| \S.*\|$", read(path), re.MULTILINE)
    ]
    assert required - set(rows) == set()
