"""The reference gives the expected outcome of every conformance case."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import SHARED

from .oracle import expected

CONFORMANCE = SHARED / "conformance"
CASES = sorted(path.parent for path in CONFORMANCE.glob("*/expected.json"))


@pytest.mark.skipif(not CASES, reason="the conformance cases are not beside this checkout")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_the_reference_gives_what_a_case_expects(case: Path) -> None:
    wanted: dict[str, Any] = json.loads((case / "expected.json").read_bytes())
    said = expected(case)
    assert {key: said[key] for key in wanted} == wanted
