"""Every conformance case has the expected outcome, whether its files arrive at once or in pieces and out of order."""

from operator import attrgetter
from pathlib import Path

import pytest

from tests.making.conformance import Case, all_cases
from tests.making.graph_outcome import outcome
from tests.making.indexes import broken, index


@pytest.mark.parametrize("case", all_cases(), ids=attrgetter("name"))
def test_case_has_expected_outcome(case: Case, db: Path, project: Path) -> None:
    index(db, case.write(project))
    assert outcome(db) == case.expected
    assert broken(db) == {}


@pytest.mark.parametrize("case", all_cases(), ids=attrgetter("name"))
def test_case_has_same_outcome_when_files_arrive_in_reverse_order_and_in_pieces(
    case: Case, db: Path, project: Path
) -> None:
    for step in range(3):
        for name, data in sorted(case.files.items(), reverse=True):
            target = project / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data[: len(data) * (step + 1) // 3])
            index(db, target)
    assert outcome(db) == case.expected
    assert broken(db) == {}
