"""Every case of the ladder, of repairs and of the tree: by `build_graph`, by an index of transcripts, by the reference.

A case is a sentence, the recorded graph, `---` and the outcome; `===` separates cases. Lines and entries set aside are
compared in full, other kinds of facts if the case has a line of that kind. A case that starts with "Nearly" changes one
thing of another case, so that the outcome differs.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ccindex.graph.build import build_graph
from ccindex.graph.ladder import LADDER
from tests.dagtext import KINDS, Line, Outcome, graph, jsonl, made_of, told
from tests.reference.oracle import expected
from tests.support import ask, broken, findings, index, write_all

from .outcome import details, outcome, plain

TESTS = Path(__file__).resolve().parents[1]
FOLDERS = ("ladder", "repair", "tree")


class Case(NamedTuple):
    """One case of a file."""

    sentence: str
    recorded: str
    expected: str

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of facts it compares besides lines and entries set aside."""
        words = {line.removeprefix("no ").split(" ")[0].rstrip(":") for line in self.expected.splitlines()}
        return [kind for kind in KINDS if kind in words]


def cases(path: Path) -> Iterator[Case]:
    for text in path.read_text(encoding="utf-8").split("\n===\n"):
        case, _, expected = text.partition("\n---\n")
        sentence, _, recorded = case.strip().partition("\n\n")
        lines = (line.strip() for line in expected.splitlines())
        yield Case(sentence, recorded, "\n".join(sorted(line for line in lines if line)))


FILES = [path for folder in FOLDERS for path in sorted((TESTS / folder).glob("*.dag"))]
CASES = [
    pytest.param(case, id=f"{path.parent.name}/{path.stem}-{number}")
    for path in FILES
    for number, case in enumerate(cases(path), start=1)
]


@pytest.mark.parametrize("case", CASES)
def test_untangle_gives_the_outcome_of_the_case(case: Case) -> None:
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
    assert [path.stem for path in sorted((TESTS / "ladder").glob("*.dag"))] == rungs


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_has_a_sentence_a_graph_and_an_outcome_and_every_file_has_near_misses(path: Path) -> None:
    found = list(cases(path))
    assert all(all(case) for case in found)
    assert len({case.sentence for case in found}) == len(found)
    wanted = 2 if path.parent.name == "ladder" else 1
    assert sum(case.sentence.startswith("Nearly") for case in found) >= wanted


@pytest.mark.parametrize("path", sorted((TESTS / "ladder").glob("*.dag")), ids=lambda path: path.stem)
def test_cases_of_a_rung_show_that_rung_unless_they_are_near_misses(path: Path) -> None:
    own = f"rung {path.stem[0]} at"
    for case in cases(path):
        assert "rung" in case.kinds, case.sentence
        if not case.sentence.startswith("Nearly"):
            assert own in case.expected, case.sentence


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
