"""Run every .dag case through `build_graph`, an index of its transcripts, and the reference implementation.

A case consists of a sentence, the recorded graph, `---` and the outcome; `===` separates cases. Lines and set-aside
entries are always compared. Other kinds of facts are compared only if the case lists facts of that kind. A case that
starts with "Nearly" differs from another case in one detail and has a different outcome.
"""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.graph.build import build_graph
from ccindex.graph.ladder import RUNG_NUMBERS
from ccindex.store.sql_files import load
from tests.making.dag import Line, Outcome, collect_outcome, format_outcome, graph, jsonl
from tests.making.dag.cases import FILES, Case, cases
from tests.making.files import write_all
from tests.making.folders import CASE_FILES, ROOT
from tests.making.graph_outcome import details, outcome, plain
from tests.making.indexes import ask, broken, findings, index
from tests.reference.expected_graph import expected

CASES = [
    pytest.param(case, id=f"{path.parent.name}/{path.stem}-{number}")
    for path in FILES
    for number, case in enumerate(cases(path), start=1)
]


@pytest.mark.parametrize("case", CASES)
def test_build_graph_produces_expected_outcome(case: Case) -> None:
    built_graph = build_graph(*graph(case.recorded))
    assert format_outcome(collect_outcome(built_graph), case.kinds) == case.expected, case.sentence


@pytest.mark.parametrize("case", CASES)
def test_index_and_reference_produce_expected_outcome(case: Case, db: Path, project: Path) -> None:
    write_all(project, jsonl(case.recorded))
    index(db, project)
    assert format_outcome(_read_outcome(db), case.kinds) == case.expected, case.sentence
    assert broken(db) == {}
    indexed, reference = {**outcome(db), **details(db)}, expected(project)
    assert {key: plain(value) for key, value in indexed.items()} == {key: plain(reference[key]) for key in indexed}


def test_ladder_folder_has_one_file_per_rung() -> None:
    rungs = [f"{number}_{name}" for name, number in RUNG_NUMBERS.items()]
    assert {path.stem for path in (CASE_FILES / "ladder").glob("*.dag")} == set(rungs)


def test_view_and_semantics_page_list_every_rung() -> None:
    assert f": {', '.join(f'{number} {name}' for name, number in RUNG_NUMBERS.items())}\n" in load("views/v1_forks")
    page = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert [(name, int(number)) for number, name in rows] == list(RUNG_NUMBERS.items())


def test_every_case_is_complete_and_every_file_has_near_misses() -> None:
    problems = {}
    for path in FILES:
        in_file = list(cases(path))
        sentences = {case.sentence for case in in_file}
        near_misses = sum(case.sentence.startswith("Nearly") for case in in_file)
        if not all(all(case) for case in in_file):
            problems[path.stem] = "a case lacks its sentence, graph or outcome"
        if len(sentences) != len(in_file):
            problems[path.stem] = "two cases have the same sentence"
        if near_misses < (2 if path.parent.name == "ladder" else 1):
            problems[path.stem] = f"{near_misses} near misses"
    assert problems == {}


def test_cases_for_a_rung_use_that_rung_unless_they_are_near_misses() -> None:
    wrong = []
    for path in sorted((CASE_FILES / "ladder").glob("*.dag")):
        for case in cases(path):
            is_shown = case.sentence.startswith("Nearly") or f"rung {path.stem.partition('_')[0]} at" in case.expected
            if "rung" not in case.kinds or not is_shown:
                wrong.append((path.stem, case.sentence))
    assert wrong == []


def _read_outcome(db: Path) -> Outcome:
    """Read the outcome from the views."""
    with closing(sqlite3.connect(db)) as connection:
        lines = ask(
            connection,
            "select line_id, attachment_uuid, parent_line_id, is_active from v1_lines "
            "order by first_timestamp_ms, line_id",
        )
        return Outcome(
            {
                line: Line(tuple(_entries_on(connection, line)), attachment, parent, bool(is_active))
                for line, attachment, parent, is_active in lines
            },
            ask(
                connection,
                "select a.uuid, a.reason, a.fork_uuid from v1_set_aside a join v1_entries e on e.uuid = a.uuid "
                "order by e.timestamp_ms, e.source_path, e.line_no",
            ),
            ask(
                connection,
                "select f.uuid, case when f.thread_id <> coalesce(l.thread_id, a.thread_id) then f.thread_id end, "
                "f.rung, f.verdict from v1_forks f join v1_entries e on e.uuid = f.uuid "
                "left join v1_lines l on l.line_id = e.line_id "
                "left join v1_set_aside a on a.uuid = f.uuid",
            ),
            ask(connection, "select uuid, target_line_id, kind from v1_junctions order by uuid, ordinal"),
            ask(connection, "select status, root_uuid, leaf_uuid, entry_count from v1_paths"),
            ask(connection, "select uuid, kind from v1_roots"),
            findings(connection),
            ask(
                connection,
                "select session_id, relation, parent_session_id, attachment_uuid from v1_sessions "
                "where relation <> 'root'",
            ),
        )


def _entries_on(connection: sqlite3.Connection, line: str) -> list[str]:
    return [
        uuid
        for (uuid,) in ask(connection, "select uuid from v1_line_entries where line_id = ? order by position", line)
    ]
