"""`explain` gives the reasons for the owner, the parent and the position of an entry."""

from pathlib import Path
from typing import Any

from ccindex.graph.ladder import RUNG_NUMBERS
from ccindex.query.explain import explain
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import assistant, at, line, tool_result, tool_use, user


def test_owner_of_a_copied_entry_is_explained_by_the_deciding_criterion(db: Path, project: Path) -> None:
    later = {"sessionId": "s2", "timestamp": at(50)}
    write(project / "s1.jsonl", line("u1"))
    write(project / "s2.jsonl", line("u1", **later), line("u2", parent="u1", **later))
    index(db, project)
    with reading(db) as connection:
        explanation = explain(connection, "u1")
        assert [(copy.session_id, copy.is_owner, copy.same_bytes) for copy in explanation.occurrences] == [
            ("s1", 1, 1),
            ("s2", 0, 0),
        ]
        assert explanation.owned_because.endswith("its session started first")
        assert (explanation.line.line_id, explanation.line.position) == ("s1", 0)
        assert explanation.fork is None
        child = explain(connection, "u2")
    assert (child.owned_because, child.parent.reason) == ("it is the only occurrence", "as recorded")
    assert (child.parent.parent_uuid, child.parent.root_kind) == ("u1", "resume")


def test_fork_is_explained_with_all_its_children(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        line("a"),
        line("b", parent="a", second=1),
        line("p", parent="b", type="progress", timestamp=at(5)),
        line("c", parent="b", timestamp=at(6)),
        line("d", parent="b", timestamp=at(7)),
    )
    index(db, project)
    with reading(db) as connection:
        explanation = explain(connection, "c")
        above = explain(connection, "b")
    assert explanation.fork is not None
    assert (explanation.fork.uuid, explanation.fork.rung, explanation.fork.name, explanation.fork.verdict) == (
        "b",
        RUNG_NUMBERS["rewind"],
        "rewind",
        "rewind",
    )
    assert [(child.uuid, child.line_id, child.starts_line) for child in explanation.fork.children] == [
        ("p", "s1", 0),
        ("c", "s1@c", 1),
        ("d", "s1@d", 1),
    ]
    assert [ruled.uuid for ruled in above.rulings] == ["b"]
    assert above.fork is None


def test_agent_file_with_the_most_entries_is_the_owner_and_helper_file_is_last(db: Path, project: Path) -> None:
    keys: dict[str, Any] = {"isSidechain": True, "agentId": "k"}
    folder = project / "s1" / "subagents"
    write(folder / "agent-a.jsonl", line("g1", timestamp=at(0), **keys))
    write(
        folder / "agent-b.jsonl", line("g1", timestamp=at(0), **keys), line("g2", parent="g1", timestamp=at(1), **keys)
    )
    many = [line(f"h{number}", timestamp=at(number + 2), **keys) for number in range(3)]
    write(folder / "agent-acompact-0.jsonl", line("g1", timestamp=at(0), **keys), *many)
    index(db, project)
    with reading(db) as connection:
        explanation = explain(connection, "g1")
    copies = [(Path(copy.source_path).stem, copy.is_owner, copy.is_helper_file) for copy in explanation.occurrences]
    assert copies == [("agent-b", 1, 0), ("agent-a", 0, 0), ("agent-acompact-0", 0, 1)]
    assert "has the most entries" in explanation.owned_because


def test_fork_of_an_entry_inlined_with_a_parallel_call_is_explained(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        assistant("a", 0, tool_use("t0", "Bash")),
        assistant("g", 1, tool_use("t1", "Bash"), parent="a"),
        assistant("g2", 2, tool_use("t2", "Task"), parent="g"),
        user("u", 3, tool_result("t0"), parent="a"),
        line("v", parent="u", second=4),
    )
    index(db, project)
    with reading(db) as connection:
        explanation = explain(connection, "g2")
    assert explanation.fork is not None
    assert (explanation.fork.uuid, explanation.fork.name, explanation.line.position) == ("a", "parallel_calls", 2)
