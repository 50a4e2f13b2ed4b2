"""Every conformance case comes out as it says: whole, with its files in another order, and piece by piece."""

from pathlib import Path

import pytest

from tests.making.folders import SHARED
from tests.making.graph_outcome import expectation, outcome
from tests.making.indexes import broken, index

CASES = sorted(path.parent for path in (SHARED / "conformance").glob("*/expected.json"))
pytestmark = pytest.mark.skipif(not CASES, reason="the conformance cases are not beside this checkout")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_case_comes_out_as_expected(case: Path, db: Path) -> None:
    index(db, case)
    assert outcome(db) == expectation(case)
    assert broken(db) == {}


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_case_comes_out_the_same_when_it_arrives_backwards_and_in_pieces(case: Path, db: Path, project: Path) -> None:
    files = sorted((path for path in case.rglob("*.json*") if path.name != "expected.json"), reverse=True)
    for step in range(3):
        for path in files:
            data = path.read_bytes()
            target = project / path.relative_to(case)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data[: len(data) * (step + 1) // 3])
            index(db, target)
    assert outcome(db) == expectation(case)
    assert broken(db) == {}
