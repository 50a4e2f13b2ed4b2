"""The reference implementation classifies entries and recognises typed prompts."""

from typing import Any

import pytest

from tests.making.transcripts import text_block, thinking_block, tool_result

from .entries import Entry
from .objects import Occurrence

_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
_RESULT = tool_result("t1")


def entry(**value: Any) -> Entry:
    return Entry(Occurrence({"uuid": "u1", **value}, "/p/s1.jsonl", 0, 0))


def user(content: Any, **keys: Any) -> Entry:
    return entry(**{"type": "user", "message": {"role": "user", "content": content}, **keys})


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        ("words", {}),
        ("<ide_opened_file>a</ide_opened_file> words", {}),
        ("<ide_selection>a</ide_selection> words <ide_selection>b</ide_selection>", {}),
        ([_IMAGE], {}),
        ([text_block("<ide_opened_file>a</ide_opened_file>"), _IMAGE], {}),
        ([_RESULT, text_block("words")], {}),
        ("<command-name>/clear</command-name>", {}),
        ("<user-memory-input>note</user-memory-input>", {}),
        ("about <system-reminder>", {"isMeta": False}),
    ],
)
def test_prompt_that_a_person_wrote_is_typed(content: Any, keys: dict[str, Any]) -> None:
    made = user(content, **keys)
    assert (made.kind, made.is_typed) == ("prompt", True)


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        ("words", {"isMeta": True}),
        ("words", {"isCompactSummary": "true"}),
        ("words", {"type": "compact_recap"}),
        ("<local-command-stdout>x</local-command-stdout>", {}),
        ("Caveat: The messages below", {}),
        (" <bash-stderr>x</bash-stderr>", {}),
        ("[Request interrupted by user for tool use]", {}),
        ("<bash-notification>x</bash-notification>", {}),
        ("<agent-notification>x</agent-notification>", {}),
        ('<teammate-message teammate_id="x">y</teammate-message>', {}),
        ("\n<system-reminder>x</system-reminder>", {}),
        ("<fork-boilerplate>x</fork-boilerplate> words", {}),
        ("Unknown skill: x", {}),
        ("Unknown slash command: x", {}),
        ("<ide_selection>a</ide_selection>\n <ide_opened_file>b</ide_opened_file> ", {}),
        ([_RESULT, _IMAGE], {}),
    ],
)
def test_generated_prompt_is_not_typed(content: Any, keys: dict[str, Any]) -> None:
    made = user(content, **keys)
    assert (made.kind, made.is_typed, made.is_quiet) == ("prompt", False, True)


@pytest.mark.parametrize(
    ("attachment", "expected"),
    [
        ({"type": "queued_command", "prompt": "and then?", "origin": {"kind": "human"}}, True),
        ({"type": "queued_command", "prompt": [text_block("and then?")], "commandMode": "prompt"}, True),
        ({"type": "queued_command", "prompt": "<task-notification>x", "commandMode": "task-notification"}, False),
        ({"type": "queued_command", "prompt": "x", "origin": {"kind": "task-notification"}}, False),
        ({"type": "hook_success", "content": "x"}, False),
    ],
)
def test_only_commands_queued_by_a_person_are_typed(attachment: dict[str, Any], expected: bool) -> None:  # noqa: FBT001
    made = entry(type="attachment", attachment=attachment)
    assert (made.kind, made.is_typed, made.is_typed_prompt, made.is_quiet) == ("side", expected, False, True)
    assert made.typed_text == ("and then?" if expected else "")


def test_only_non_empty_text_blocks_are_compared() -> None:
    blocks = [text_block(" "), text_block(""), text_block("a"), "b", thinking_block("c")]
    assert entry(type="assistant", message={"content": blocks}).texts == {" ", "a"}
    assert entry(type="assistant", message={"content": "a"}).texts == set()


def test_synthetic_entry_has_no_response() -> None:
    assert entry(type="assistant", message={"id": "m1", "model": "claude-x"}).response == "m1"
    assert entry(type="assistant", message={"id": "m1", "model": "<synthetic>"}).response is None
