"""Small indexes with every kind of structure, for tests of queries, exports and graph drawings."""

from pathlib import Path
from typing import Any

from tests.making.files import write
from tests.making.indexes import broken, index
from tests.making.transcripts import (
    assistant,
    boundary_entry,
    line,
    result_entry,
    text_block,
    to_line,
    tool_use,
    user_message,
)

# strings that could end a quoted string, a line or a script, or that look like an escape sequence or HTML entity
HOSTILE = (
    'say "hi" \\',
    "a\nb\r\n\tc\0\x1b[31m\u2028\u202e",
    '"]; evil [label="x"]; }',
    "</script><!-- --> &quot; &#34; \\N \\G \\l \\",
    "\\",
    '\\"',
    "// /* # <b>",
)


def prompt(uuid: str, parent: str | None, second: int, session: str = "main", **keys: Any) -> str:
    return line(uuid, parent=parent, second=second, sessionId=session, **keys)


def reply(uuid: str, parent: str | None, second: int, session: str = "main", **keys: Any) -> str:
    message = {"model": "claude-x"} | keys.pop("message", {})
    text = text_block(f"reply {uuid}")
    return assistant(uuid, second, text, parent=parent, sessionId=session, message=message, **keys)


def task_call(uuid: str, parent: str | None, second: int, tool_use_id: str) -> str:
    call = tool_use(tool_use_id, "Task", prompt="look around")
    return reply(uuid, parent, second, message={"content": [call], "model": None})


def task_result(uuid: str, parent: str | None, second: int, tool_use_id: str, **keys: Any) -> str:
    return to_line(result_entry(uuid, parent, second, tool_use_id, "all is well", sessionId="main", **keys))


def make_example(folder: Path) -> Path:
    """Create an index with a rewind, an agent, a continued session, a replay, a ghost and a compaction."""
    project = folder.resolve() / "projects" / "-w"
    write(
        project / "main.jsonl",
        prompt("p1", None, 1),
        task_call("a1", "p1", 2, "t1"),
        task_result("r1", "a1", 5, "t1", toolUseResult={"agentId": "g1"}),
        reply("a2", "r1", 6),
        prompt("p2", "a2", 7),
        reply("a3", "p2", 8),
        prompt("p3", "a2", 900),
        reply("a4", "p3", 901),
    )
    write(
        project / "main" / "subagents" / "agent-g1.jsonl",
        prompt("q1", None, 3, isSidechain=True, agentId="g1"),
        reply("b1", "q1", 4, isSidechain=True, agentId="g1"),
    )
    write(
        project / "next.jsonl",
        prompt("p3", "a2", 900, "next"),
        reply("a4", "p3", 901, "next"),
        prompt("n1", "a4", 902, "next"),
        to_line(boundary_entry("c1", "n1", 903, sessionId="next", content="Conversation compacted")),
        prompt("n2", "c1", 904, "next"),
    )
    again: dict[str, Any] = {"message": user_message("again")}
    write(
        project / "twin.jsonl",
        prompt("w0", "gone", 20, "twin"),
        reply("w1", "w0", 21, "twin"),
        prompt("w2", "w1", 22, "twin", **again),
        reply("w3", "w2", 23, "twin"),
        prompt("w4", "w1", 22, "twin", **again),
        reply("w5", "w4", 24, "twin"),
        line("w6", parent="w3", sessionId="twin", timestamp=None),
        '{"type": "summary", "summary": "Two of a kind", "leafUuid": "w3"}',
    )
    return _indexed(folder, project)


def make_hostile(folder: Path) -> Path:
    """Create an index whose ids and text contain characters that are special in DOT, HTML and Markdown."""
    project = folder.resolve() / "projects" / "-w"
    session = 's"\\\n1'
    rows = []
    previous = None
    for number, text in enumerate(HOSTILE):
        uuid = f"{number}{text}"
        content = [text_block(text), tool_use(f"t{text}", f"N{text}", command=text)]
        message = {"id": f"m{number}", "model": None, "content": content}
        rows.append(prompt(f"u{uuid}", previous, 2 * number, session, message=user_message(text)))
        rows.append(reply(f"a{uuid}", f"u{uuid}", 2 * number + 1, session, message=message))
        previous = f"a{uuid}"
    rows.append(prompt("x1", 'never " \\', 50, session))
    # a control character, and text that looks like its escape sequence
    rows += [
        prompt("u\x01", None, 60, session),
        prompt("u\\x01", None, 61, session),
        prompt("u\\\\x01", None, 62, session),
    ]
    write(project / "s.jsonl", *rows)
    return _indexed(folder, project)


def _indexed(folder: Path, project: Path) -> Path:
    db = folder / "example.db"
    index(db, project)
    assert broken(db) == {}
    return db
