"""The graph of every skeleton of a real project matches its `expected.json`."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.folders import SHARED
from tests.making.graph_outcome import expectation, outcome
from tests.making.indexes import ask, broken, index
from tests.reference.expected_graph import digest

CASES = sorted(path.parent for path in (SHARED / "skeletons").glob("*/expected.json"))
pytestmark = pytest.mark.skipif(not CASES, reason="the skeletons are not next to this checkout")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_skeleton_has_expected_outcome(case: Path, db: Path) -> None:
    index(db, case / "projects")
    assert _summarize(db) == expectation(case)
    assert broken(db) == {}


def _summarize(db: Path) -> dict[str, Any]:
    """Return the outcome in the format of a skeleton's `expected.json`."""
    graph = outcome(db)
    return {
        "lines": {line: [len(uuids), digest(uuids)] for line, uuids in graph["dag_lines"].items()},
        "tree": {line: [item["parent"], item["attachment_uuid"]] for line, item in graph["tree"].items()},
        "forks": {key: [rung, graph["verdicts"][key]] for key, rung in graph["forks"].items()},
        "set_aside": graph["set_aside"],
        "inactive": [line for (line,) in ask(db, "select line_id from v1_lines where not is_active order by line_id")],
    }
