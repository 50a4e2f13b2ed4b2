"""The reference gives the expected outcome of every conformance case and every skeleton."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.making.folders import SHARED

from .oracle import expected, skeleton

CASES = sorted(path.parent for path in (SHARED / "conformance").glob("*/expected.json"))
SKELETONS = sorted(path.parent for path in (SHARED / "skeletons").glob("*/expected.json"))


@pytest.mark.skipif(not CASES, reason="the conformance cases are not beside this checkout")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_the_reference_gives_what_a_case_expects(case: Path) -> None:
    wanted: dict[str, Any] = json.loads((case / "expected.json").read_bytes())
    found = expected(case)
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.skipif(not SKELETONS, reason="the skeletons are not beside this checkout")
@pytest.mark.parametrize("case", SKELETONS, ids=lambda path: path.name)
def test_the_reference_gives_what_a_skeleton_expects(case: Path) -> None:
    wanted: dict[str, Any] = json.loads((case / "expected.json").read_bytes())
    assert skeleton(case / "projects") == wanted
