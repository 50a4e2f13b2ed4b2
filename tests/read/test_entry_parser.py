"""Parsing of JSON objects into entries and records: columns, content, usage and drift."""

import json
from typing import Any

import pytest

from ccindex.model.recorded import Unknown
from ccindex.read import entry_parser
from ccindex.read.entry_parser import Shape, shape_of
from tests.making.parsed_objects import ParsedEntry, parse_entry, parse_record, unknown_of
from tests.making.transcripts import text_block, tool_result, tool_use


def entry(**keys: Any) -> ParsedEntry:
    return parse_entry({"uuid": "u1", "type": "user"} | keys)


def user(content: Any, **keys: Any) -> ParsedEntry:
    return entry(message={"role": "user", "content": content}, **keys)


RESULT = tool_result("t1")
TEXT = text_block("hello")


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("assistant", {"type": "assistant"}),
        ("result", {"message": {"content": [RESULT]}}),
        ("result", {"type": "tool_result", "message": {"content": [RESULT, RESULT]}}),
        ("prompt", {"type": "tool_result", "message": {"content": "text"}}),
        ("prompt", {"message": {"content": [RESULT, TEXT]}}),
        ("prompt", {"message": {"content": "hello"}}),
        ("prompt", {"message": {"content": None}}),
        ("prompt", {"message": {"content": []}}),
        ("prompt", {"message": "a string"}),
        ("prompt", {}),
        ("prompt", {"type": "human", "message": {"content": [RESULT]}}),
        ("prompt", {"type": "compact_recap", "message": {"content": "recap"}}),
        ("boundary", {"type": "system", "subtype": "compact_boundary"}),
        ("boundary", {"type": "compact_prelude"}),
        ("side", {"type": "system", "subtype": "local_command"}),
        ("side", {"type": "progress", "data": {"type": "compact_boundary"}}),
        ("side", {"type": "system", "data": {"type": "compact_boundary"}}),
        ("side", {"type": "attachment"}),
        ("side", {"type": "never-heard-of"}),
        ("side", {"type": 7}),
    ],
)
def test_kind_depends_on_type_and_content(kind: str, keys: dict[str, Any]) -> None:
    assert entry(**keys).traits.kind == kind


@pytest.mark.parametrize(
    ("text", "is_command", "is_typed"),
    [
        ("hello", 0, 1),
        ("<command-name>/clear</command-name>", 1, 1),
        ("<bash-input>ls</bash-input>", 1, 1),
        ("<local-command-stdout>x", 1, 0),
        ("<bash-stdout>x", 1, 0),
        ("<bash-stderr>x", 1, 0),
        ("Caveat: The messages below were generated", 1, 0),
        ("[Request interrupted by user]", 0, 0),
        ("<task-notification>", 0, 0),
    ],
)
def test_typed_prompts_and_commands_are_recognised_by_prefix(text: str, is_command: int, is_typed: int) -> None:
    for content in (text, [{"type": "text", "text": text}]):
        traits = user(content).traits
        assert (traits.is_command, traits.is_typed) == (is_command, is_typed)
    assert user(text, isMeta=True).traits.is_typed == 0
    assert user(text, isCompactSummary="true").traits.is_typed == 0
    assert user([RESULT]).traits.is_typed == 0


@pytest.mark.parametrize(("value", "flag"), [(True, 1), (1, 1), ("true", 1), (False, 0), (0, 0), ("yes", 0), (None, 0)])
def test_flag_is_set_for_true_1_and_the_string_true(value: Any, flag: int) -> None:
    assert entry(isSidechain=value).traits.is_sidechain == flag


@pytest.mark.parametrize("uuid", [None, 7, "", [], {}])
def test_object_without_a_valid_uuid_is_a_record(uuid: Any) -> None:
    record = parse_record({"type": "summary", "uuid": uuid, "summary": "x"})
    assert json.loads(record.payload)["summary"] == "x"


def test_usage_includes_both_cache_lifetimes() -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 9,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 40,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
        "server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 2},
        "service_tier": "standard",
    }
    message = {"id": "msg_1", "model": "claude-x", "stop_reason": "end_turn", "content": [TEXT], "usage": usage}
    row = entry(type="assistant", requestId="req_1", message=message).message
    assert row is not None
    assert row[:6] == (0, "", "req_1", "claude-x", "end_turn", None)
    assert row.response_id == "msg_1"
    assert row[6:] == (3, 9, 30, 10, 20, 40, 1, 2, "standard", "msg_1", 0)


def test_message_wrapped_by_agent_progress_keeps_its_text_and_usage() -> None:
    wrapped = {
        "type": "assistant",
        "timestamp": "2026-01-01T00:00:00Z",
        "requestId": "req_2",
        "message": {
            "id": "msg_2",
            "content": [TEXT, tool_use("t", "Bash", command="ls")],
            "usage": {"output_tokens": 5},
        },
    }
    data = {"type": "agent_progress", "agentId": "a1", "message": wrapped, "prompt": "long", "normalizedMessages": []}
    parsed_entry = entry(type="progress", data=data, parentToolUseID="t1")
    assert parsed_entry.message is not None
    message = parsed_entry.message
    # an empty message_id stands for the response_id
    assert (message.is_wrapped, message.message_id, message.response_id, message.output_tokens) == (1, "", "msg_2", 5)
    columns = parsed_entry.columns
    assert columns.text == "hello\nls"
    assert (parsed_entry.traits.subtype, columns.named_agent_id, columns.agent_id) == ("agent_progress", "a1", None)
    assert json.loads(parsed_entry.details or "") == {"data": {"type": "agent_progress", "agentId": "a1"}}


def test_content_blocks_of_every_type_are_parsed() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 600}}
    parsed_entry = user(
        [
            TEXT,
            {"type": "thinking", "thinking": "hm", "signature": "s" * 900},
            tool_use("t1", "Read", file_path="/w/ä"),
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [TEXT, image]},
            {"type": "tool_result", "tool_use_id": "t2"},
            image,
            {"type": "novel", "payload": {"n": 1}},
            "bare",
            None,
        ]
    )
    blocks = parsed_entry.content.blocks
    assert [(block.type, block.text, block.media_type) for block in blocks] == [
        ("text", "hello", None),
        ("thinking", "hm", None),
        ("tool_use", None, None),
        ("tool_result", "hello", "image/png"),
        ("tool_result", None, None),
        ("image", None, "image/png"),
        ("novel", None, None),
        (None, "bare", None),
        (None, None, None),
    ]
    assert [block.byte_size for block in blocks[2:6]] == [len('{"file_path":"/w/ä"}'.encode()), 605, 0, 600]
    assert parsed_entry.content.uses == ((2, "t1", "Read", '{"file_path":"/w/ä"}'),)
    assert parsed_entry.content.results == ((3, "t1", 1), (4, "t2", None))
    assert "AAAA" not in repr(parsed_entry)


def test_string_content_is_one_text_block() -> None:
    assert [(b.idx, b.type, b.text, b.byte_size) for b in user("äh").content.blocks] == [(0, "text", "äh", 3)]


def test_tool_use_result_becomes_an_outcome() -> None:
    patch = [{"oldStart": 1, "lines": [" a", "-b", "+c", "+d"]}, {"lines": ["+e", 7]}, "not a hunk"]
    result = {
        "filePath": "/w/a.py",
        "structuredPatch": patch,
        "originalFile": "x" * 9000,
        "userModified": False,
        "stdout": "é",
        "interrupted": True,
        "totalDurationMs": 12,
    }
    outcome = user([RESULT], toolUseResult=result).outcome
    assert outcome is not None
    assert (outcome.file_path, outcome.lines_added, outcome.lines_removed) == ("/w/a.py", 3, 1)
    assert (outcome.stdout_bytes, outcome.is_interrupted, outcome.duration_ms) == (2, 1, 12)
    assert json.loads(str(outcome.facts)) == {"userModified": False, "totalDurationMs": 12}


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ("Error: Exit code 2\nboom", 2),
        ("Error: no such file", None),
        ({"exitCode": 3}, 3),
        ({"task": {"exitCode": 4}}, 4),
        ([1], None),
    ],
)
def test_exit_code_is_found_in_every_known_format(result: Any, code: int | None) -> None:
    outcome = user([RESULT], toolUseResult=result).outcome
    assert outcome is not None
    assert outcome.exit_code == code


def test_keys_without_a_column_are_kept_as_json_without_images() -> None:
    parsed_entry = user(
        "x",
        thinkingMetadata={"level": "high"},
        todos=[{"content": "do", "status": "pending"}],
        permissionMode="plan",
        promptId="p1",
        novelty={"shot": "iVBOR" * 400, "n": 1},
        planContent="plan " * 20_000,
    )
    details = json.loads(parsed_entry.details or "")
    assert details["thinkingMetadata"] == {"level": "high"}
    assert details["todos"][0]["content"] == "do"
    assert details["novelty"] == {"shot": None, "n": 1}
    assert len(details["planContent"]) == 64_001
    assert user("x").details is None


def test_image_is_removed_from_a_record() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 5000}}
    record = parse_record({"type": "queue-operation", "content": [image, TEXT]})
    assert json.loads(record.payload)["content"] == [
        {"type": "image", "source": {"type": "base64", "data": None}},
        TEXT,
    ]


def test_unknown_types_and_keys_are_reported() -> None:
    value = {
        "type": "system",
        "uuid": "u1",
        "version": "3.0",
        "subtype": "new_sub",
        "newKey": 1,
        "message": {"new": 1, "content": [{"type": "b"}]},
    }
    origin = ("system", "3.0")
    assert set(unknown_of(value)) == {
        Unknown("key", "newKey", *origin),
        Unknown("subtype", "new_sub", *origin),
        Unknown("message-key", "new", *origin),
        Unknown("block", "b", *origin),
    }
    assert unknown_of({"type": "qwen"}) == (Unknown("type", "qwen", "qwen", ""),)
    assert unknown_of({"x": 1})[0] == Unknown("type", "(none)", "", "")


@pytest.mark.parametrize(
    "wrong", [None, 0, 1.5, -1e300, True, "", "x", [], [[]], {}, {"content": 3}, 2**70, ["a", {"type": 5}]]
)
@pytest.mark.parametrize(
    "key",
    [
        "type",
        "message",
        "data",
        "attachment",
        "toolUseResult",
        "timestamp",
        "content",
        "sessionId",
        "parentUuid",
        "forkedFrom",
        "version",
        "isMeta",
        "is_active",
    ],
)
def test_any_field_may_have_any_type(key: str, wrong: Any) -> None:
    for type_ in ("assistant", "user", "system", "progress", "attachment"):
        parsed = parse_entry({"uuid": "u1", "type": type_, "message": {"content": [TEXT]}} | {key: wrong})
        assert parsed.traits.kind in ("assistant", "prompt", "side")


def test_keys_without_a_column_are_details_in_recorded_order() -> None:
    shape = shape_of({"uuid": "u1", "requestId": "r", "type": "user", "data": {}})
    assert shape == (True, False, ("requestId", "data"), ("data",))
    assert shape_of({"data": {}, "requestId": "r", "uuid": "u1"}).details == ("data", "requestId")


def test_only_shapes_of_known_keys_are_remembered_and_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: dict[tuple[str, ...], Shape] = {}
    monkeypatch.setattr(entry_parser, "_SHAPES", shapes)
    monkeypatch.setattr(entry_parser, "_MAX_SHAPES", 2)
    values: list[dict[str, Any]] = [{"uuid": "u1"}, {"zeta": 1}, {"uuid": "u1", "type": "x"}, {"type": "x"}]
    assert [shape_of(value) for value in values + values] == 2 * [shape_of(value) for value in values]
    assert list(shapes) == [("uuid",), ("uuid", "type")]


def test_unknown_key_is_reported_every_time() -> None:
    for _ in range(2):
        shape = shape_of({"uuid": "u1", "subtype": "x", "zeta": 1})
        assert (shape.is_known, shape.has_rare, shape.details) == (False, True, ("zeta",))
