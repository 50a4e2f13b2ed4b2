"""Derived rows do not depend on the order in which data arrives, and only affected families are derived again."""

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
from tests.making.indexes import ask, broken, differences, everything, index, one, rows_of
from tests.making.indexes import rebuild as rebuild_index
from tests.making.transcripts import assistant, line, tool_result, tool_use, user
from tests.reference.random_projects import projects


def clean(folder: Path, root: Path) -> dict[str, list[tuple[Any, ...]]]:
    db = folder / "clean.db"
    index(db, root)
    return everything(db)


@examples(24)
@given(st.data())
def test_any_order_and_split_of_lines_gives_the_same_tables_as_one_run(data: st.DataObject) -> None:
    files: Files = data.draw(projects())
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
def test_lines_that_a_rewrite_removes_and_restores_leave_no_trace(data: st.DataObject) -> None:
    files: Files = data.draw(projects())
    name = data.draw(st.sampled_from(sorted(path for path, whole in files.items() if whole)))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
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
        before = everything(db)
        rebuild_index(db)
        assert differences(everything(db), before) == {}


@examples(24)
@given(projects())
def test_families_derived_separately_and_together_have_the_same_rows(files: Files) -> None:
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
def test_revision_changes_if_and_only_if_the_entry_view_row_changes(data: st.DataObject) -> None:
    files: Files = data.draw(projects())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        root, db = folder / "p", folder / "x.db"
        before: dict[str, tuple[int, dict[str, Any]]] = {}
        for path, part in data.draw(arrivals(files)):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            append(target, part)
            index(db, root)
            now = {row["uuid"]: (row.pop("revision"), row) for row in rows_of(db, "v1_entries")}
            assert now.keys() >= before.keys()
            for uuid, (old_revision, old_row) in before.items():
                revision, row = now[uuid]
                assert (revision != old_revision) == (row != old_row), (old_row, row)
            before = now


@st.composite
def arrivals(draw: st.DrawFn, files: Files) -> list[tuple[str, bytes]]:
    """Cut files into pieces and shuffle them; the pieces of one file stay in order."""
    pieces = {}
    for name, whole in files.items():
        cuts = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=3)))
        edges = [0, *cuts, len(whole)]
        pieces[name] = [whole[start:end] for start, end in pairwise(edges)]
    order = draw(st.permutations([name for name, parts in pieces.items() for _ in parts]))
    return [(name, pieces[name].pop(0)) for name in order]


@contextmanager
def derived_families() -> Iterator[list[int]]:
    """Collect the families that are derived."""
    derived: list[int] = []
    original = derive.derive_families

    def recording(*args: Any, **kwargs: Any) -> Any:
        derived.extend(args[1])
        return original(*args, **kwargs)

    with patch.object(derive, "derive_families", recording):
        yield derived


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


@pytest.mark.parametrize(("second", "families"), [(1, 0), (-1, 1)])  # only the former extends the line
def test_append_derives_at_most_one_family_and_changes_only_its_own_entries(
    db: Path, many: Path, second: int, families: int
) -> None:
    before = dict(ask(db, "select uuid, revision from v1_entries"))
    append(many / "s7.jsonl", line("w7", parent="v7", second=second, sessionId="s7") + "\n")
    with derived_families() as derived:
        index(db, many)
    assert len(derived) == families
    changed = {
        uuid for uuid, revision in ask(db, "select uuid, revision from v1_entries") if before.get(uuid) != revision
    }
    assert changed == {"w7"}


def test_run_without_changes_derives_nothing(db: Path, many: Path) -> None:
    with derived_families() as derived:
        index(db, many)
        index(db, many, full=True)
    assert derived == []


def test_append_to_a_long_session_writes_few_rows(db: Path, project: Path) -> None:
    lines = [line(f"u{number}", parent=f"u{number - 1}" if number else None) for number in range(500)]
    path = write(project / "s1.jsonl", *lines)
    index(db, project)
    append(path, line("last", parent="u499") + "\n")
    with changing(db, create=False) as connection:
        before = connection.total_changes
        ingest(begin_run(connection), [project], must_exist=True)
        assert connection.total_changes - before < 60
    assert one(db, "select position from v1_entries where uuid = 'last'") == 500


def test_late_parent_in_another_session_is_linked_to_its_children(db: Path, project: Path) -> None:
    write(project / "s2.jsonl", line("c1", parent="p1", sessionId="s2"))
    write(project / "s3.jsonl", line("x1", sessionId="s3"))
    index(db, project)
    assert ask(db, "select uuid, kind, missing_parent_uuid from v1_roots where uuid = 'c1'") == [("c1", "orphan", "p1")]
    write(project / "s1.jsonl", line("p1"))
    with derived_families() as derived:
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


def test_agent_is_attached_once_the_call_in_its_sidecar_arrives(db: Path, project: Path) -> None:
    agents = project / "s2" / "subagents"
    write(agents / "agent-k.jsonl", line("g1", sessionId="s2", isSidechain=True, agentId="k"))
    index(db, project)
    find = "select attachment_uuid from v1_lines where line_id = 's2#agent-k'"
    assert one(db, find) is None
    write(agents / "agent-k.meta.json", json.dumps({"toolUseId": "t1"}))
    index(db, project)
    assert one(db, find) is None
    path = write(project / "s1.jsonl", line("u1"), call("a1", "t1", parent="u1"))
    index(db, project)
    assert one(db, find) == "a1"
    append(path, result("r1", "t1", parent="a1") + "\n")
    index(db, project)
    assert one(db, find) == "r1"
    write(project / "s2.jsonl", call("b1", "t1", sessionId="s2"))  # a call in the agent's own session takes precedence
    index(db, project)
    assert one(db, find) == "b1"


def test_agent_is_attached_once_the_call_in_a_progress_entry_arrives(db: Path, project: Path) -> None:
    progress = {"type": "agent_progress", "agentId": "k"}
    write(project / "s2.jsonl", line("p1", sessionId="s2", type="progress", data=progress, parentToolUseID="t1"))
    write(project / "s2" / "subagents" / "agent-k.jsonl", line("g1", sessionId="s2", isSidechain=True, agentId="k"))
    index(db, project)
    find = "select attachment_uuid from v1_lines where line_id = 's2#agent-k'"
    assert one(db, find) is None
    write(project / "s1.jsonl", call("a1", "t1"))
    index(db, project)
    assert one(db, find) == "a1"


def test_summary_applies_once_its_leaf_arrives(db: Path, project: Path) -> None:
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


def test_entry_with_a_new_owner_moves_to_the_line_of_the_owners_session(db: Path, project: Path) -> None:
    later = {"sessionId": "s2", "timestamp": "2026-03-02T09:00:00.000Z"}
    write(project / "s2.jsonl", line("u1", **later), line("u2", parent="u1", **later))
    index(db, project)
    assert ask(db, "select line_id, uuid from v1_line_entries order by 1, position") == [("s2", "u1"), ("s2", "u2")]
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    assert ask(db, "select line_id, uuid from v1_line_entries order by 1, position") == [("s1", "u1"), ("s2", "u2")]
    assert broken(db) == {}


def test_new_derive_version_derives_everything_again_without_source_files(db: Path, many: Path) -> None:
    before = everything(db)
    shutil.rmtree(many)
    with changing(db, create=False) as connection:
        connection.execute("delete from placements")
        connection.execute("update lines set line_id = 'wrong'")
        connection.execute("update meta set value = '0' where key = 'derive_version'")
        renew_if_outdated(connection)
    assert differences(everything(db), before) == {}
    assert broken(db) == {}
    with changing(db, create=False) as connection, patch.object(rebuild, "derive_again") as derive_again:
        renew_if_outdated(connection)
    assert not derive_again.called


def revisions(db: Path) -> dict[str, int]:
    return dict(ask(db, "select uuid, revision from v1_entries"))


def test_rewrite_keeps_the_revision_of_entries_that_did_not_move(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"), line("u3", parent="u2"))
    index(db, project)
    write(path, line("u1"), line("u2", parent="u1"), line("u4", parent="u2"))
    index(db, project)
    assert revisions(db) == {"u1": 1, "u2": 1, "u3": 2, "u4": 2}
    write(path, line("u2", parent="u1"), line("u1"), line("u4", parent="u2"))
    index(db, project)
    assert revisions(db) == {"u1": 3, "u2": 3, "u3": 2, "u4": 2}


def test_revision_changes_with_the_position_on_the_line(db: Path, project: Path) -> None:
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


def test_revision_is_unchanged_if_the_change_is_not_visible_in_the_entry(db: Path, project: Path) -> None:
    origin = {"sessionId": "s1", "messageUuid": "o1"}
    write(project / "s2.jsonl", line("f1", sessionId="s2", forkedFrom=origin, logicalParentUuid="o1"))
    index(db, project)
    assert one(db, "select relation || ' ' || parent_session_id from v1_sessions") == "forks s1"
    write(project / "s1.jsonl", line("o1"))
    index(db, project)
    assert revisions(db) == {"f1": 1, "o1": 2}
    assert ask(db, "select relation, attachment_uuid from v1_sessions where session_id = 's2'") == [("continues", "o1")]


def test_temporary_link_between_sessions_leaves_no_trace(db: Path, project: Path) -> None:
    message = {"role": "user", "content": "Look around"}
    agents: dict[str, Any] = {"isSidechain": True, "timestamp": "2026-03-01T09:00:03.000Z"}
    write(project / "s1.jsonl", line("p"), line("link", parent="p"))
    write(
        project / "s1" / "subagents" / "agent-g1.jsonl",
        line("x1", agentId="g1", message=message, **agents),
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
    before = everything(db)
    for parent in ("q", "p"):
        write(project / "s1.jsonl", line("p"), line("link", parent=parent))
        index(db, project)
    after = everything(db)
    assert after["v1_lines"] == before["v1_lines"]
    rebuild_index(db)
    assert differences(everything(db), after) == {}
