"""The reference implementation derives the expected graph of every conformance case and every skeleton."""

import json
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from tests.making.conformance import Case, all_cases
from tests.making.folders import SHARED

from .expected_graph import expected, skeleton

SKELETONS = sorted(path.parent for path in (SHARED / "skeletons").glob("*/expected.json"))


@pytest.mark.parametrize("case", all_cases(), ids=attrgetter("name"))
def test_reference_derives_the_graph_of_a_case(case: Case, tmp_path: Path) -> None:
    found = expected(case.write(tmp_path))
    assert {key: found[key] for key in case.expected} == case.expected


@pytest.mark.skipif(not SKELETONS, reason="the skeletons are not next to this checkout")
@pytest.mark.parametrize("case", SKELETONS, ids=lambda path: path.name)
def test_reference_derives_the_graph_of_a_skeleton(case: Path) -> None:
    wanted: dict[str, Any] = json.loads((case / "expected.json").read_bytes())
    assert skeleton(case / "projects") == wanted
