"""Which calls name a file, and what they do with it."""

from typing import Any

import pytest

from ccindex.model.facts import Touch
from ccindex.read.parse import parse


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
    assert touches((tool, others | {key: "/w/ä b.py"})) == (Touch(0, operation, "/w/ä b.py"),)
    del others[key]
    assert touches((tool, others)) == ()


def test_a_file_is_named_as_the_call_names_it() -> None:
    assert touches(("Read", {"file_path": "../x.py"}), ("Read", {"file_path": " /w "})) == (
        Touch(0, "read", "../x.py"),
        Touch(1, "read", " /w "),
    )


def test_every_call_of_an_entry_counts_by_its_place() -> None:
    asked = {"file_path": "/a"}
    assert touches(("Read", asked), ("Bash", {"command": "cat /b"}), ("Edit", asked)) == (
        Touch(0, "read", "/a"),
        Touch(2, "edit", "/a"),
    )


@pytest.mark.parametrize("asked", [None, "/a", ["/a"], 7, {}, {"file_path": ""}, {"file_path": 7}, {"file_path": None}])
def test_an_input_of_another_shape_names_no_file(asked: Any) -> None:
    assert touches(("Read", asked)) == ()


@pytest.mark.parametrize("tool", [None, 7, "", "read", "mcp__files__Read", "Bash", "WebFetch", "Task"])
def test_other_tools_touch_nothing(tool: Any) -> None:
    assert touches((tool, {"file_path": "/a", "path": "/a"})) == ()
