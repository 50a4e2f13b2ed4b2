"""Indexes that the tests of exports and drawings share."""

from pathlib import Path
from typing import Any

from tests.making.files import write
from tests.making.indexes import broken, index
from tests.making.transcripts import line

__all__ = ["at", "make_hostile", "make_world"]

# what could end a quoted string, a line or a page, or be taken for an escape or an entity
HOSTILE = (
    'say "hi" \\',
    "a\nb\r\n\tc\0\x1b[31m\u2028\u202e",
    '"]; evil [label="x"]; }',
    "</script><!-- --> &quot; &#34; \\N \\G \\l \\",
    "\\",
    '\\"',
    "// /* # <b>",
)


def at(second: int) -> str:
    return f"2026-03-01T09:{second // 60:02}:{second % 60:02}.000Z"


def says(uuid: str, parent: str | None, second: int, session: str = "main", **keys: Any) -> str:
    return line(uuid, parent=parent, sessionId=session, timestamp=at(second), **keys)


def replies(uuid: str, parent: str | None, second: int, session: str = "main", **keys: Any) -> str:
    content = [{"type": "text", "text": f"reply {uuid}"}]
    message = {"id": f"m-{uuid}", "role": "assistant", "model": "claude-x", "content": content}
    return says(uuid, parent, second, session, **{"type": "assistant", "message": message} | keys)


def calls(uuid: str, parent: str | None, second: int, tool_use_id: str) -> str:
    content = [{"type": "tool_use", "id": tool_use_id, "name": "Task", "input": {"prompt": "look around"}}]
    return replies(uuid, parent, second, message={"id": f"m-{uuid}", "role": "assistant", "content": content})


def result(uuid: str, parent: str | None, second: int, tool_use_id: str, **keys: Any) -> str:
    content = [{"type": "tool_result", "tool_use_id": tool_use_id, "content": "all is well"}]
    return says(uuid, parent, second, message={"role": "user", "content": content}, **keys)


def make_world(folder: Path) -> Path:
    """Make an index with a rewind, an agent, a session gone on with, a replay, a ghost and a compaction."""
    project = folder.resolve() / "projects" / "-w"
    write(
        project / "main.jsonl",
        says("p1", None, 1),
        calls("a1", "p1", 2, "t1"),
        result("r1", "a1", 5, "t1", toolUseResult={"agentId": "g1"}),
        replies("a2", "r1", 6),
        says("p2", "a2", 7),
        replies("a3", "p2", 8),
        says("p3", "a2", 900),
        replies("a4", "p3", 901),
    )
    write(
        project / "main" / "subagents" / "agent-g1.jsonl",
        says("q1", None, 3, isSidechain=True, agentId="g1"),
        replies("b1", "q1", 4, isSidechain=True, agentId="g1"),
    )
    write(
        project / "next.jsonl",
        says("p3", "a2", 900, "next"),
        replies("a4", "p3", 901, "next"),
        says("n1", "a4", 902, "next"),
        line("c1", sessionId="next", timestamp=at(903), type="system", subtype="compact_boundary", message=None)[:-1]
        + ', "logicalParentUuid": "n1", "content": "Conversation compacted"}',
        says("n2", "c1", 904, "next"),
    )
    again: dict[str, Any] = {"message": {"role": "user", "content": "again"}}
    write(
        project / "twin.jsonl",
        says("w0", "gone", 20, "twin"),
        replies("w1", "w0", 21, "twin"),
        says("w2", "w1", 22, "twin", **again),
        replies("w3", "w2", 23, "twin"),
        says("w4", "w1", 22, "twin", **again),
        replies("w5", "w4", 24, "twin"),
        line("w6", parent="w3", sessionId="twin", timestamp=None),
        '{"type": "summary", "summary": "Two of a kind", "leafUuid": "w3"}',
    )
    return _indexed(folder, project)


def make_hostile(folder: Path) -> Path:
    """Make an index whose session, entries, calls and results are full of signs that mean something elsewhere."""
    project = folder.resolve() / "projects" / "-w"
    session = 's"\\\n1'
    rows = []
    before = None
    for place, text in enumerate(HOSTILE):
        uuid = f"{place}{text}"
        call = {"type": "tool_use", "id": f"t{text}", "name": f"N{text}", "input": {"command": text}}
        content = [{"type": "text", "text": text}, call]
        message = {"id": f"m{place}", "role": "assistant", "content": content}
        rows.append(says(f"u{uuid}", before, 2 * place, session, message={"role": "user", "content": text}))
        rows.append(replies(f"a{uuid}", f"u{uuid}", 2 * place + 1, session, message=message))
        before = f"a{uuid}"
    rows.append(says("x1", 'never " \\', 50, session))
    # a control sign and the words that stand for it
    rows += [says("u\x01", None, 60, session), says("u\\x01", None, 61, session), says("u\\\\x01", None, 62, session)]
    write(project / "s.jsonl", *rows)
    return _indexed(folder, project)


def _indexed(folder: Path, project: Path) -> Path:
    db = folder / "world.db"
    index(db, project)
    assert broken(db) == {}
    return db
