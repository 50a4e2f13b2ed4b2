"""Content blocks: the files and operations of tool calls, and the agents that a result mentions."""

from typing import Any

import pytest

from ccindex.model.recorded import FileTouch
from tests.making.parsed_objects import parse_entry


def touches(*calls: tuple[Any, Any]) -> tuple[FileTouch, ...]:
    blocks = [
        {"type": "tool_use", "id": f"t{n}", "name": name, "input": tool_input}
        for n, (name, tool_input) in enumerate(calls)
    ]
    return parse_entry({"uuid": "a1", "type": "assistant", "message": {"content": blocks}}).content.touches


@pytest.mark.parametrize(
    ("tool", "key", "operation"),
    [
        ("Read", "file_path", "read"),
        ("Write", "file_path", "write"),
        ("Edit", "file_path", "edit"),
        ("MultiEdit", "file_path", "edit"),
        ("NotebookRead", "notebook_path", "notebook"),
        ("NotebookEdit", "notebook_path", "notebook"),
        ("Grep", "path", "search"),
        ("Glob", "path", "search"),
        ("LS", "path", "search"),
    ],
)
def test_file_tool_touches_the_file_in_its_input(tool: str, key: str, operation: str) -> None:
    others = {"file_path": "/other", "notebook_path": "/other", "path": "/other", "pattern": "x"}
    assert touches((tool, others | {key: "/w/ä b.py"})) == (FileTouch(0, "/w/ä b.py", operation),)
    del others[key]
    assert touches((tool, others)) == ()


@pytest.mark.parametrize(
    ("tool", "key", "operation"),
    [
        ("mcp__acp__Read", "file_path", "read"),
        ("mcp__acp__Edit", "file_path", "edit"),
        ("mcp__acp__Write", "file_path", "write"),
        ("mcp__acp__read", "abs_path", "read"),
        ("mcp__filesystem__read_file", "path", "read"),
        ("mcp__filesystem__read_text_file", "path", "read"),
        ("mcp__filesystem__write_file", "path", "write"),
        ("mcp__filesystem__edit_file", "path", "edit"),
        ("mcp__filesystem__create_directory", "path", "write"),
        ("mcp__filesystem__list_directory", "path", "search"),
        ("mcp__filesystem__directory_tree", "path", "search"),
        ("mcp__filesystem__search_files", "path", "search"),
    ],
)
def test_mcp_tools_touch_files(tool: str, key: str, operation: str) -> None:
    assert touches((tool, {key: "/w/a.py", "content": "x"})) == (FileTouch(0, "/w/a.py", operation),)
    assert touches((tool, {"content": "x"})) == ()


def test_call_can_refer_to_several_files() -> None:
    paths = ["/a", "/b", "/a", "", 7, None]
    read = ("mcp__filesystem__read_multiple_files", {"paths": paths})
    move = ("mcp__filesystem__move_file", {"source": "/a", "destination": "/b"})
    assert touches(read, move) == (
        FileTouch(0, "/a", "read"),
        FileTouch(0, "/b", "read"),
        FileTouch(1, "/a", "write"),
        FileTouch(1, "/b", "write"),
    )
    assert touches((read[0], {"paths": {"a": 1}}), (move[0], {"source": ["/c"]})) == (FileTouch(1, "/c", "write"),)


def test_path_is_kept_as_recorded() -> None:
    assert touches(("Read", {"file_path": "../x.py"}), ("Read", {"file_path": " /w "})) == (
        FileTouch(0, "../x.py", "read"),
        FileTouch(1, " /w ", "read"),
    )


def test_touches_have_the_block_index_of_their_call() -> None:
    tool_input = {"file_path": "/a"}
    assert touches(("Read", tool_input), ("Bash", {"command": "cat /b"}), ("Edit", tool_input)) == (
        FileTouch(0, "/a", "read"),
        FileTouch(2, "/a", "edit"),
    )


@pytest.mark.parametrize(
    "tool_input", [None, "/a", ["/a"], 7, {}, {"file_path": ""}, {"file_path": 7}, {"file_path": None}]
)
def test_input_with_unexpected_shape_touches_no_file(tool_input: Any) -> None:
    assert touches(("Read", tool_input)) == ()


@pytest.mark.parametrize("tool", [None, 7, "", "read", "mcp__files__Read", "Bash", "WebFetch", "Task"])
def test_other_tools_touch_no_file(tool: Any) -> None:
    assert touches((tool, {"file_path": "/a", "path": "/a"})) == ()


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("done\nagentId: k1 (for resuming)", ["k1"]),
        ("agentId: k1\nagentId: k2", ["k1", "k2"]),
        ("agentId: k1.", ["k1."]),
        ("see agentId: k1", []),
    ],
)
def test_agents_mentioned_in_lines_of_a_result_are_found(text: str, agents: list[str]) -> None:
    """The whole word after `agentId: ` is the id (rule: link_mention)."""
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    entry = parse_entry({"type": "user", "uuid": "u", "message": {"role": "user", "content": [result]}})
    assert [mention.agent_id for mention in entry.content.mentions] == agents
