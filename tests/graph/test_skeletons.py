"""Every skeleton of a real project comes out as its `expected.json` says."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.folders import SHARED
from tests.making.graph_outcome import expectation, outcome
from tests.making.indexes import ask, broken, index
from tests.reference.oracle import digest

CASES = sorted(path.parent for path in (SHARED / "skeletons").glob("*/expected.json"))
pytestmark = pytest.mark.skipif(not CASES, reason="the skeletons are not beside this checkout")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_skeleton_comes_out_as_expected(case: Path, db: Path) -> None:
    index(db, case / "projects")
    assert _brief(db) == expectation(case)
    assert broken(db) == {}


def _brief(db: Path) -> dict[str, Any]:
    """Read the outcome in the form of a skeleton's `expected.json`."""
    found = outcome(db)
    return {
        "lines": {line: [len(uuids), digest(uuids)] for line, uuids in found["dag_lines"].items()},
        "tree": {line: [at["parent"], at["attachment_uuid"]] for line, at in found["tree"].items()},
        "forks": {key: [rung, found["verdicts"][key]] for key, rung in found["forks"].items()},
        "set_aside": found["set_aside"],
        "inactive": [line for (line,) in ask(db, "select line_id from v1_lines where not is_active order by line_id")],
    }
