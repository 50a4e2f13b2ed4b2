"""The graph is the same however its parts arrive, and only what they touch is derived again."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.derive import derive
from ccindex.ingest.ingest import ingest
from ccindex.maintain import rebuild
from ccindex.maintain.update import begin_run, renew_if_outdated
from ccindex.store import families
from ccindex.store.connection import changing
from tests.making.files import Files, append, write
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, broken, differences, everything, index, one
from tests.making.indexes import rebuild as rebuild_index
from tests.making.transcripts import assistant, line, tool_result, tool_use, user
from tests.reference.transcripts import folders


def clean(folder: Path, root: Path) -> dict[str, list[tuple[Any, ...]]]:
    db = folder / "clean.db"
    index(db, root)
    return everything(db)


@examples(24)
@given(st.data())
def test_any_order_and_any_split_gives_the_tables_of_one_run(data: st.DataObject) -> None:
    files: Files = data.draw(folders())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        root, db = folder / "p", folder / "x.db"
        for path, part in data.draw(arrivals(files)):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            append(target, part)
            index(db, target if data.draw(st.booleans()) else root)
            assert broken(db) == {}
        assert differences(everything(db), clean(folder, root)) == {}
        rebuild_index(db)
        assert differences(everything(db), clean(folder, root)) == {}


@examples(20)
@given(st.data())
def test_what_a_rewrite_took_away_and_gave_back_leaves_no_trace(data: st.DataObject) -> None:
    files: Files = data.draw(folders())
    name = data.draw(st.sampled_from(sorted(path for path, whole in files.items() if whole)))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        root, db = folder / "p", folder / "x.db"
        for path, whole in files.items():
            write(root / path, whole, end="")
        lines = files[name].splitlines(keepends=True)
        kept = data.draw(st.lists(st.sampled_from(lines), unique=True)) if lines else []
        write(root / name, b"".join(kept), end="")
        index(db, root)
        write(root / name, files[name], end="")
        os.utime(root / name, ns=(1, 1))
        index(db, root)
        assert broken(db) == {}
        said = everything(db)
        rebuild_index(db)
        assert differences(everything(db), said) == {}


@examples(24)
@given(folders())
def test_families_come_out_the_same_alone_and_together(files: Files) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, whole in files.items():
            write(folder / "p" / path, whole, end="")
        with patch.object(families, "_BATCH_OBJECTS", 0):
            index(folder / "alone.db", folder / "p")
        index(folder / "together.db", folder / "p")
        assert differences(everything(folder / "alone.db"), everything(folder / "together.db")) == {}


@examples(24)
@given(st.data())
def test_a_revision_moves_when_what_is_shown_of_an_entry_does_and_only_then(data: st.DataObject) -> None:
    files: Files = data.draw(folders())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        root, db = folder / "p", folder / "x.db"
        before: dict[str, tuple[Any, ...]] = {}
        for path, part in data.draw(arrivals(files)):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            append(target, part)
            index(db, root)
            now = {row[0]: row for row in ask(db, "select * from v1_entries")}  # its revision is the last column
            assert now.keys() >= before.keys()
            for uuid, row in before.items():
                assert (now[uuid][:-1] != row[:-1]) == (now[uuid][-1] != row[-1]), (row, now[uuid])
            before = now


@st.composite
def arrivals(draw: st.DrawFn, files: Files) -> list[tuple[str, bytes]]:
    """Files cut in pieces, the pieces shuffled, each file's own in their order."""
    pieces = {}
    for name, whole in files.items():
        cuts = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=3)))
        edges = [0, *cuts, len(whole)]
        pieces[name] = [whole[start:end] for start, end in pairwise(edges)]
    order = draw(st.permutations([name for name, parts in pieces.items() for _ in parts]))
    return [(name, pieces[name].pop(0)) for name in order]


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the families derived, run by run."""
    counts: list[int] = []
    real = derive._derive_families  # noqa: SLF001

    def counting(*values: Any, **named: Any) -> Any:
        counts.extend(values[1])
        return real(*values, **named)

    with patch.object(derive, "_derive_families", counting):
        yield counts


@pytest.fixture
def many(db: Path, project: Path) -> Path:
    for number in range(20):
        first, second = (
            line(f"u{number}", sessionId=f"s{number}"),
            line(f"v{number}", parent=f"u{number}", sessionId=f"s{number}"),
        )
        write(project / f"s{number}.jsonl", first, second)
    index(db, project)
    return project


def test_an_append_derives_its_own_family_and_writes_its_own_rows(db: Path, many: Path) -> None:
    before = dict(ask(db, "select uuid, revision from v1_entries"))
    append(many / "s7.jsonl", line("w7", parent="v7", sessionId="s7") + "\n")
    with counted() as derived:
        index(db, many)
    assert len(derived) == 1
    changed = {
        uuid for uuid, revision in ask(db, "select uuid, revision from v1_entries") if before.get(uuid) != revision
    }
    assert changed == {"w7"}


def test_a_run_with_nothing_new_derives_nothing(db: Path, many: Path) -> None:
    with counted() as derived:
        index(db, many)
        index(db, many, full=True)
    assert derived == []


def test_an_append_to_a_long_session_writes_few_rows(db: Path, project: Path) -> None:
    lines = [line(f"u{number}", parent=f"u{number - 1}" if number else None) for number in range(500)]
    path = write(project / "s1.jsonl", *lines)
    index(db, project)
    append(path, line("last", parent="u499") + "\n")
    with changing(db, create=False) as connection:
        before = connection.total_changes
        ingest(begin_run(connection), [project], named=True)
        assert connection.total_changes - before < 60
    assert one(db, "select position from v1_entries where uuid = 'last'") == 500


def test_a_parent_that_arrives_late_takes_its_children_from_another_session(db: Path, project: Path) -> None:
    write(project / "s2.jsonl", line("c1", parent="p1", sessionId="s2"))
    write(project / "s3.jsonl", line("x1", sessionId="s3"))
    index(db, project)
    assert ask(db, "select uuid, kind, missing_parent_uuid from v1_roots where uuid = 'c1'") == [("c1", "orphan", "p1")]
    write(project / "s1.jsonl", line("p1"))
    with counted() as derived:
        index(db, project)
    assert len(derived) == 1
    assert ask(db, "select uuid, kind, missing_parent_uuid from v1_roots where uuid = 'c1'") == [("c1", "resume", None)]
    assert ask(db, "select line_id, parent_line_id from v1_lines order by 1") == [
        ("s1", None),
        ("s2", "s1"),
        ("s3", None),
    ]
    assert ask(db, "select session_id, relation, parent_session_id from v1_sessions order by 1") == [
        ("s1", "root", None),
        ("s2", "continues", "s1"),
        ("s3", "root", None),
    ]


def call(uuid: str, tool: str, **keys: Any) -> str:
    return assistant(uuid, 0, tool_use(tool, "Task", prompt="look"), **keys)


def result(uuid: str, tool: str, **keys: Any) -> str:
    return user(uuid, 0, tool_result(tool, "done"), **keys)


def test_an_agent_waits_for_the_call_that_its_sidecar_names_wherever_that_comes(db: Path, project: Path) -> None:
    agents = project / "s2" / "subagents"
    write(agents / "agent-k.jsonl", line("g1", sessionId="s2", isSidechain=True, agentId="k"))
    index(db, project)
    hangs = "select attachment_uuid from v1_lines where line_id = 's2#agent-k'"
    assert one(db, hangs) is None
    write(agents / "agent-k.meta.json", json.dumps({"toolUseId": "t1"}))
    index(db, project)
    assert one(db, hangs) is None
    path = write(project / "s1.jsonl", line("u1"), call("a1", "t1", parent="u1"))
    index(db, project)
    assert one(db, hangs) == "a1"
    append(path, result("r1", "t1", parent="a1") + "\n")
    index(db, project)
    assert one(db, hangs) == "r1"
    write(project / "s2.jsonl", call("b1", "t1", sessionId="s2"))  # its own session's call comes before any other's
    index(db, project)
    assert one(db, hangs) == "b1"


def test_an_agent_waits_for_the_call_that_a_progress_entry_names(db: Path, project: Path) -> None:
    progress = {"type": "agent_progress", "agentId": "k"}
    write(project / "s2.jsonl", line("p1", sessionId="s2", type="progress", data=progress, parentToolUseID="t1"))
    write(project / "s2" / "subagents" / "agent-k.jsonl", line("g1", sessionId="s2", isSidechain=True, agentId="k"))
    index(db, project)
    hangs = "select attachment_uuid from v1_lines where line_id = 's2#agent-k'"
    assert one(db, hangs) is None
    write(project / "s1.jsonl", call("a1", "t1"))
    index(db, project)
    assert one(db, hangs) == "a1"


def test_a_summary_waits_for_its_leaf(db: Path, project: Path) -> None:
    write(project / "other.jsonl", json.dumps({"type": "summary", "summary": "All about u1", "leafUuid": "u1"}))
    index(db, project)
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    assert one(db, "select title from v1_sessions") == "All about u1"
    append(path, json.dumps({"type": "ai-title", "aiTitle": "Made up", "sessionId": "s1"}) + "\n")
    index(db, project)
    assert one(db, "select title from v1_sessions") == "Made up"
    append(path, json.dumps({"type": "custom-title", "customTitle": "Given", "sessionId": "s1"}) + "\n")
    index(db, project)
    assert one(db, "select title from v1_sessions") == "Given"


def test_an_entry_whose_owner_changes_moves_to_the_other_session_s_line(db: Path, project: Path) -> None:
    later = {"sessionId": "s2", "timestamp": "2026-03-02T09:00:00.000Z"}
    write(project / "s2.jsonl", line("u1", **later), line("u2", parent="u1", **later))
    index(db, project)
    assert ask(db, "select line_id, uuid from v1_line_entries order by 1, position") == [("s2", "u1"), ("s2", "u2")]
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    assert ask(db, "select line_id, uuid from v1_line_entries order by 1, position") == [("s1", "u1"), ("s2", "u2")]
    assert broken(db) == {}


def test_other_rules_derive_everything_anew_without_a_source(db: Path, many: Path) -> None:
    said = everything(db)
    shutil.rmtree(many)
    with changing(db, create=False) as connection:
        connection.execute("delete from placements")
        connection.execute("update lines set line_id = 'wrong'")
        connection.execute("update meta set value = '0' where key = 'derive_version'")
        renew_if_outdated(connection)
    assert differences(everything(db), said) == {}
    assert broken(db) == {}
    with changing(db, create=False) as connection, patch.object(rebuild, "derive_again") as again:
        renew_if_outdated(connection)
    assert not again.called


def revisions(db: Path) -> dict[str, int]:
    return dict(ask(db, "select uuid, revision from v1_entries"))


def test_a_revision_stays_where_a_rewrite_leaves_an_entry_where_it_was(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"), line("u3", parent="u2"))
    index(db, project)
    write(path, line("u1"), line("u2", parent="u1"), line("u4", parent="u2"))
    index(db, project)
    assert revisions(db) == {"u1": 1, "u2": 1, "u3": 2, "u4": 2}
    write(path, line("u2", parent="u1"), line("u1"), line("u4", parent="u2"))
    index(db, project)
    assert revisions(db) == {"u1": 3, "u2": 3, "u3": 2, "u4": 2}


def test_a_revision_moves_with_the_place_on_the_line_even_if_a_rewrite_leaves_the_entry_where_it_was(
    db: Path, project: Path
) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"), line("u3", parent="u2"))
    index(db, project)
    write(path, line("u1"), line("u2", parent="u1"), line("u0", timestamp="2026-01-01T00:00:00.000Z"))
    index(db, project)
    assert ask(db, "select uuid, position, revision from v1_entries order by 2") == [
        ("u0", 0, 2),
        ("u1", 1, 2),
        ("u2", 2, 2),
        ("u3", 3, 2),
    ]


def test_a_revision_stays_when_something_comes_that_is_not_shown_of_the_entry(db: Path, project: Path) -> None:
    origin = {"sessionId": "s1", "messageUuid": "o1"}
    write(project / "s2.jsonl", line("f1", sessionId="s2", forkedFrom=origin, logicalParentUuid="o1"))
    index(db, project)
    assert one(db, "select relation || ' ' || parent_session_id from v1_sessions") == "forks s1"
    write(project / "s1.jsonl", line("o1"))
    index(db, project)
    assert revisions(db) == {"f1": 1, "o1": 2}
    assert ask(db, "select relation, attachment_uuid from v1_sessions where session_id = 's2'") == [("continues", "o1")]


def test_a_passing_link_between_sessions_leaves_no_trace(db: Path, project: Path) -> None:
    told = {"role": "user", "content": "Look around"}
    agents: dict[str, Any] = {"isSidechain": True, "timestamp": "2026-03-01T09:00:03.000Z"}
    write(project / "s1.jsonl", line("p"), line("link", parent="p"))
    write(
        project / "s1" / "subagents" / "agent-g1.jsonl",
        line("x1", agentId="g1", message=told, **agents),
        call("x2", "t1", parent="x1", agentId="g1", **agents),
        result("x3", "t1", parent="x2", agentId="g1", toolUseResult={"agentId": "g2"}, **agents),
    )
    write(
        project / "s1" / "subagents" / "agent-g2.jsonl",
        line("y1", agentId="g2", **agents),
        call("y2", "t9", parent="y1", agentId="g2", **agents).replace('"look"', '"Look around"'),
    )
    write(project / "s2.jsonl", line("q", sessionId="s2"), result("q2", "t9", parent="q", sessionId="s2"))
    index(db, project)
    said = everything(db)
    for parent in ("q", "p"):
        write(project / "s1.jsonl", line("p"), line("link", parent=parent))
        index(db, project)
    after = everything(db)
    assert after["v1_lines"] == said["v1_lines"]
    rebuild_index(db)
    assert differences(everything(db), after) == {}
