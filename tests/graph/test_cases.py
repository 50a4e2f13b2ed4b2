"""Every case of the ladder, of repairs and of the tree: by `build_graph`, by an index of transcripts, by the reference.

A case is a sentence, the recorded graph, `---` and the outcome; `===` separates cases. Lines and entries set aside are
compared in full, other kinds of facts if the case has a line of that kind. A case that starts with "Nearly" changes one
thing of another case, so that the outcome differs.
"""

from pathlib import Path

import pytest

from ccindex.graph.build import build_graph
from ccindex.graph.ladder import LADDER
from tests.making.dag import Line, Outcome, graph, jsonl, made_of, told
from tests.making.dag.cases import FILES, Case, cases
from tests.making.files import write_all
from tests.making.folders import CASE_FILES
from tests.making.graph_outcome import details, outcome, plain
from tests.making.indexes import ask, broken, findings, index
from tests.reference.oracle import expected

CASES = [
    pytest.param(case, id=f"{path.parent.name}/{path.stem}-{number}")
    for path in FILES
    for number, case in enumerate(cases(path), start=1)
]


@pytest.mark.parametrize("case", CASES)
def test_build_graph_gives_the_outcome_of_the_case(case: Case) -> None:
    made = build_graph(*graph(case.recorded))
    assert told(made_of(made), case.kinds) == case.expected, case.sentence


@pytest.mark.parametrize("case", CASES)
def test_an_index_and_the_reference_give_the_outcome_of_the_case(case: Case, db: Path, project: Path) -> None:
    write_all(project, jsonl(case.recorded))
    index(db, project)
    assert told(_shown(db), case.kinds) == case.expected, case.sentence
    assert broken(db) == {}
    said, wanted = {**outcome(db), **details(db)}, expected(project)
    assert {key: plain(value) for key, value in said.items()} == {key: plain(wanted[key]) for key in said}


def test_the_folder_of_the_ladder_is_the_ladder() -> None:
    rungs = [f"{number}_{rung.__name__}" for number, rung in enumerate(LADDER, start=1)]
    assert [path.stem for path in sorted((CASE_FILES / "ladder").glob("*.dag"))] == rungs


def test_every_case_has_a_sentence_a_graph_and_an_outcome_and_every_file_has_near_misses() -> None:
    problems = {}
    for path in FILES:
        found = list(cases(path))
        sentences = {case.sentence for case in found}
        near_misses = sum(case.sentence.startswith("Nearly") for case in found)
        if not all(all(case) for case in found):
            problems[path.stem] = "a case lacks its sentence, graph or outcome"
        if len(sentences) != len(found):
            problems[path.stem] = "two cases have the same sentence"
        if near_misses < (2 if path.parent.name == "ladder" else 1):
            problems[path.stem] = f"{near_misses} near misses"
    assert problems == {}


def test_cases_of_a_rung_show_that_rung_unless_they_are_near_misses() -> None:
    wrong = []
    for path in sorted((CASE_FILES / "ladder").glob("*.dag")):
        for case in cases(path):
            is_shown = case.sentence.startswith("Nearly") or f"rung {path.stem[0]} at" in case.expected
            if "rung" not in case.kinds or not is_shown:
                wrong.append((path.stem, case.sentence))
    assert wrong == []


def _shown(db: Path) -> Outcome:
    """Read the outcome from the views."""
    lines = ask(
        db,
        "select line_id, attachment_uuid, parent_line_id, is_active from v1_lines order by first_timestamp_ms, line_id",
    )
    return Outcome(
        {
            line: Line(tuple(_names_on(db, line)), attachment, parent, bool(is_active))
            for line, attachment, parent, is_active in lines
        },
        ask(
            db,
            "select a.uuid, a.reason, a.fork_uuid from v1_set_aside a join v1_entries e on e.uuid = a.uuid "
            "order by e.timestamp_ms, e.source_path, e.line_no",
        ),
        ask(
            db,
            "select f.uuid, case when f.thread_id <> coalesce(l.thread_id, a.thread_id) then f.thread_id end, f.rung, "
            "f.verdict "
            "from v1_forks f join v1_entries e on e.uuid = f.uuid left join v1_lines l on l.line_id = e.line_id "
            "left join v1_set_aside a on a.uuid = f.uuid",
        ),
        ask(db, "select uuid, target_line_id, kind from v1_junctions order by uuid, ordinal"),
        ask(db, "select status, root_uuid, leaf_uuid, entry_count from v1_paths"),
        ask(db, "select uuid, kind from v1_roots"),
        findings(db),
        ask(
            db,
            "select session_id, relation, parent_session_id, attachment_uuid from v1_sessions where relation <> 'root'",
        ),
    )


def _names_on(db: Path, line: str) -> list[str]:
    return [uuid for (uuid,) in ask(db, "select uuid from v1_line_entries where line_id = ? order by position", line)]
