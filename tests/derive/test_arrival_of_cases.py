"""Cases with records, copies and repeated history: indexing lines one by one gives the same rows as one run."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.making.dag import jsonl
from tests.making.dag.cases import Case, cases
from tests.making.files import append, write_all
from tests.making.folders import CASE_FILES
from tests.making.indexes import ask, broken, differences, everything, index

FILES = ("repair/agents", "repair/recorded_again", "tree/compact", "tree/paths")
CASES = [
    pytest.param(case, id=f"{name}-{number}")
    for name in FILES
    for number, case in enumerate(cases(CASE_FILES / f"{name}.dag"), start=1)
]


def arrivals(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield one line of every file in turn, agent files first."""
    names = sorted(files, reverse=True)
    for row in zip_longest(*(files[name].splitlines(keepends=True) for name in names)):
        yield from ((name, line) for name, line in zip(names, row, strict=True) if line is not None)


@pytest.mark.parametrize("case", CASES)
def test_lines_arriving_one_by_one_give_the_same_tables_as_one_run(
    case: Case, db: Path, project: Path, tmp_path: Path
) -> None:
    for name, line in arrivals(jsonl(case.recorded)):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        append(path, line)
        index(db, project)
    clean = tmp_path / "clean.db"
    index(clean, project)
    assert differences(everything(db), everything(clean)) == {}, case.sentence
    assert broken(db) == {}


@pytest.fixture
def rewound(project: Path) -> Path:
    write_all(project, jsonl("u0 -> a1 -> u2 -> a2\na1 -> u3 -> a3"))
    return project


def active(db: Path) -> list[str]:
    return [line for (line,) in ask(db, "select line_id from v1_lines where is_active = 1 order by 1")]


def test_new_leaf_record_changes_the_active_branch(db: Path, rewound: Path) -> None:
    index(db, rewound)
    assert active(db) == ["s", "s@u3"]
    append(rewound / "s.jsonl", '{"type":"last-prompt","lastPrompt":"x","leafUuid":"a2","sessionId":"s"}\n')
    index(db, rewound)
    assert active(db) == ["s", "s@u2"]
    append(rewound / "s.jsonl", '{"type":"last-prompt","lastPrompt":"x","leafUuid":"a3","sessionId":"s"}\n')
    index(db, rewound)
    assert active(db) == ["s", "s@u3"]


def test_agent_file_with_more_entries_becomes_the_owner(db: Path, project: Path) -> None:
    short = jsonl("u0 -> a1[t1] -> r1[t1]!j -> a2\nagent j: u7 -> a8")
    write_all(project, short)
    index(db, project)
    find = "select line_id, attachment_uuid from v1_lines where kind = 'agent'"
    assert ask(db, find) == [("s#agent-j", "r1")]
    full = jsonl("u0 -> a1[t1] -> r1[t1]!j -> a2\nagent k: u7 -> a8 -> u9")
    write_all(project, {name: data for name, data in full.items() if name not in short})
    index(db, project)
    assert ask(db, find) == [("s#agent-k", "r1")]
    assert broken(db) == {}
