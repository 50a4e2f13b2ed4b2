"""File touches: which calls name a file, and what they do with it."""

from typing import Any

import pytest

from ccindex.model.recorded import Touch
from ccindex.read.entry_parser import parse


def touches(*calls: tuple[Any, Any]) -> tuple[Touch, ...]:
    blocks = [
        {"type": "tool_use", "id": f"t{n}", "name": name, "input": asked} for n, (name, asked) in enumerate(calls)
    ]
    parsed = parse({"uuid": "a1", "type": "assistant", "message": {"content": blocks}})
    assert parsed.entry is not None
    return parsed.entry.content.touches


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
def test_a_tool_for_files_touches_the_one_its_input_names(tool: str, key: str, operation: str) -> None:
    others = {"file_path": "/other", "notebook_path": "/other", "path": "/other", "pattern": "x"}
    assert touches((tool, others | {key: "/w/ä b.py"})) == (Touch(0, "/w/ä b.py", operation),)
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
def test_tools_of_other_hosts_touch_files_too(tool: str, key: str, operation: str) -> None:
    assert touches((tool, {key: "/w/a.py", "content": "x"})) == (Touch(0, "/w/a.py", operation),)
    assert touches((tool, {"content": "x"})) == ()


def test_a_call_can_name_several_files() -> None:
    paths = ["/a", "/b", "/a", "", 7, None]
    asked = ("mcp__filesystem__read_multiple_files", {"paths": paths})
    moved = ("mcp__filesystem__move_file", {"source": "/a", "destination": "/b"})
    assert touches(asked, moved) == (
        Touch(0, "/a", "read"),
        Touch(0, "/b", "read"),
        Touch(1, "/a", "write"),
        Touch(1, "/b", "write"),
    )
    assert touches((asked[0], {"paths": {"a": 1}}), (moved[0], {"source": ["/c"]})) == (Touch(1, "/c", "write"),)


def test_a_file_is_named_as_the_call_names_it() -> None:
    assert touches(("Read", {"file_path": "../x.py"}), ("Read", {"file_path": " /w "})) == (
        Touch(0, "../x.py", "read"),
        Touch(1, " /w ", "read"),
    )


def test_every_call_of_an_entry_counts_by_its_place() -> None:
    asked = {"file_path": "/a"}
    assert touches(("Read", asked), ("Bash", {"command": "cat /b"}), ("Edit", asked)) == (
        Touch(0, "/a", "read"),
        Touch(2, "/a", "edit"),
    )


@pytest.mark.parametrize("asked", [None, "/a", ["/a"], 7, {}, {"file_path": ""}, {"file_path": 7}, {"file_path": None}])
def test_an_input_of_another_shape_names_no_file(asked: Any) -> None:
    assert touches(("Read", asked)) == ()


@pytest.mark.parametrize("tool", [None, 7, "", "read", "mcp__files__Read", "Bash", "WebFetch", "Task"])
def test_other_tools_touch_nothing(tool: Any) -> None:
    assert touches((tool, {"file_path": "/a", "path": "/a"})) == ()
