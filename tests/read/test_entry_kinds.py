"""Classification of entries by text prefix, flags and subtype; known types and keys; drift."""

import json
from pathlib import Path
from typing import Any

import pytest

from ccindex.model.recorded import EntryTraits, Unknown
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.parsed_objects import parse_entry, unknown_of
from tests.making.transcripts import line, text_block, tool_result

SESSION = {"sessionId": "s1", "timestamp": "2026-03-01T09:00:00Z"}


def unknown(**keys: Any) -> tuple[Unknown, ...]:
    return unknown_of(keys)


@pytest.mark.parametrize(
    "record",
    [
        {
            "type": "worktree-state",
            "worktreeSession": {"worktreePath": "/w/.claude/worktrees/x", "worktreeName": "x", "originalCwd": "/w"},
        },
        {"type": "worktree-state", "worktreeSession": None},
        {"type": "relocated", "relocatedCwd": "/w"},
        {"type": "teleported-from", "remoteSessionId": "session_01", "messageCount": 3},
        {"type": "frame-link", "path": "/w/a.html", "frameUrl": "https://example.com", "title": "a"},
        {
            "type": "fork-context-ref",
            "agentId": "k",
            "parentSessionId": "s1",
            "parentLastUuid": "u",
            "contextLength": 9,
        },
        {"type": "agent-setting", "agentSetting": "pax"},
        {"type": "last-prompt", "lastPrompt": "x", "leafUuid": "u", "explicit": True},
        {"type": "bridge-session", "bridgeSessionId": "b", "ownerAccountUuid": "a", "ownerOrganizationUuid": "o"},
        {"type": "file-history-delta", "snapshotMessageId": "m"},
        {"type": "atis-latch", "atis": True},
    ],
    ids=lambda record: record["type"],
)
def test_records_of_later_versions_are_known(record: dict[str, Any]) -> None:
    assert unknown(**SESSION, **record) == ()


@pytest.mark.parametrize(
    "name",
    "cost-state continued-in launched failed artifact-autoreact-ledger artifact-comment-monitor".split(),
)
def test_records_known_only_by_type_may_have_any_keys(db: Path, project: Path, name: str) -> None:
    record = {"type": name, **SESSION, "never": {"heard": "of"}}
    write(project / "s1.jsonl", line("u1"), json.dumps(record))
    index(db, project)
    assert ask(db, "select * from v1_drift") == []
    [(payload,)] = ask(db, "select payload from v1_records where type = ?", name)
    assert json.loads(payload)["never"] == {"heard": "of"}


@pytest.mark.parametrize("subtype", ["model_refusal_fallback", "model_refusal_no_fallback", "informational"])
def test_system_subtypes_of_later_versions_are_known(subtype: str) -> None:
    keys = {"originalModel": "a", "fallbackModel": "b", "apiRefusalCategory": "c", "trigger": "refusal"}
    assert unknown(type="system", uuid="u", subtype=subtype, level="warning", content="x", **keys) == ()


@pytest.mark.parametrize(
    "name",
    (
        "total_tokens_reminder async_hook_response queued_command auto_mode structured_output companion_intro "
        "auto_mode_exit read_truncation_notice goal_status ultra_effort_enter ultra_effort_exit "
        "workflow_keyword_request prompt_snapshot environment model instructions skill_activated "
        "hook_non_blocking_error hook_additional_context agent_listing_delta todo_reminder mcp_instructions_delta "
        "command_permissions compact_file_reference edited_text_file date_change hook_system_message nested_memory "
        "invoked_skills plan_file_reference directory opened_file_in_ide selected_lines_in_ide plan_mode "
        "plan_mode_exit plan_mode_reentry deferred_tools_delta"
    ).split(),
)
def test_attachments_of_later_versions_are_known(name: str) -> None:
    assert unknown(type="attachment", uuid="u", attachment={"type": name}, rendered="text") == ()


@pytest.mark.parametrize("name", ["query_update", "search_results_received", "waiting_for_task"])
def test_progress_of_later_versions_is_known(name: str) -> None:
    assert unknown(type="progress", uuid="u", data={"type": name}) == ()


@pytest.mark.parametrize("name", ["advisor_tool_result", "server_tool_use", "fallback", "document"])
def test_blocks_of_later_versions_are_known(name: str) -> None:
    assert unknown(type="assistant", uuid="u", message={"content": [{"type": name}]}) == ()


@pytest.mark.parametrize(
    "key",
    (
        "sessionKind snapshotMessageId ownerAccountUuid ownerOrganizationUuid classifierMetaLines atis toolDenialKind "
        "toolEndsTurn userFeedback apiErrorIsTransient isAbortedMidStream queuePriority turnCompanion "
        "interruptedByShutdown upgradeNudge quotaLimits truncatedAfterOutput promptSource hookAdditionalContext "
        "interruptedMessageId mcpMeta imagePasteIds errorDetails apiErrorStatus apiError apiBlockIndex perTurnEffort"
    ).split(),
)
def test_keys_of_later_versions_are_known(key: str) -> None:
    assert unknown(**{"type": "user", "uuid": "u", key: 1}) == ()


@pytest.mark.parametrize("key", ["diagnostics", "stop_details"])
def test_message_keys_of_later_versions_are_known(key: str) -> None:
    assert unknown(type="assistant", uuid="u", message={"content": [], key: None}) == ()


def test_numeric_keys_of_a_spread_string_count_as_one_key(db: Path, project: Path) -> None:
    spread = {str(number): "x" for number in range(13_894)}
    write(
        project / "s1.jsonl",
        line("u1", message=spread | {"role": "user", "new": 1}),
        line("u2", message=spread),
        line("u3", **spread),
    )
    index(db, project)
    assert ask(db, "select kind, name, count from v1_drift order by 1, 2") == [
        ("key", "(numbers)", 1),
        ("message-key", "(numbers)", 2),
        ("message-key", "new", 1),
    ]


def test_other_unknown_keys_are_reported_by_name() -> None:
    names = {item.name for item in unknown(**{"type": "user", "uuid": "u", "a1": 1, "²": 2, "٣": 3, "-1": 4})}
    assert names == {"a1", "²", "٣", "-1"}


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)
CANCELLED = (
    "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you "
    "how to proceed."
)


def entry(**keys: Any) -> EntryTraits:
    return parse_entry({"uuid": "u1", "type": "user"} | keys).traits


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("fix the bug", "typed"),
        ("", "typed"),
        (" <command-name>/x", "slash_command"),
        ("what is <bash-input>?", "typed"),
        ("<command-name>/clear</command-name>", "slash_command"),
        ("<command-message>init is analyzing</command-message>\n<command-name>/init</command-name>", "slash_command"),
        ("<bash-input>ls -l</bash-input>", "shell_command"),
        ("<local-command-stdout>Set model</local-command-stdout>", "command_output"),
        ("<local-command-stderr>no</local-command-stderr>", "command_output"),
        ("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", "command_output"),
        ("<bash-stderr>x</bash-stderr>", "command_output"),
        ("<local-command-caveat>Caveat: The messages below", "caveat"),
        ("Caveat: The messages below were generated by the user", "caveat"),
        ("[Request interrupted by user]", "interrupt"),
        ("[Request interrupted by user for tool use]", "interrupt"),
        ("<task-notification>\n<task-id>b1</task-id>", "notification"),
        ('<teammate-message teammate_id="lead">go</teammate-message>', "teammate_message"),
    ],
)
def test_form_of_a_prompt_depends_on_how_its_text_begins(text: str, form: str) -> None:
    for content in (
        text,
        [text_block(text)],
        [text_block(text), text_block("more")],
        [{"type": "image"}, text_block(text)],
    ):
        traits = entry(message={"content": content})
        assert (traits.kind, traits.form) == ("prompt", form)


def test_prompt_without_leading_text_is_typed() -> None:
    assert entry(message={"content": [{"type": "image", "source": {"data": "aGk="}}]}).form == "typed"
    assert entry(message={"content": [tool_result("t1", REJECTED), text_block("do it so")]}).form == "typed"


def test_compaction_summary_is_recognised_by_its_flags() -> None:
    for keys in ({"isCompactSummary": True}, {"isCompactSummary": "true", "isMeta": True}, {"type": "compact_recap"}):
        assert entry(message={"content": "This session is being continued"}, **keys).form == "compact_summary"


def test_meta_prompt_is_injected_unless_its_text_is_a_caveat() -> None:
    assert entry(message={"content": "<system-reminder>"}, isMeta=True).form == "injected"
    assert entry(message={"content": "Caveat: The messages below"}, isMeta=True).form == "caveat"
    assert entry(message={"content": "Base directory for this skill"}, isMeta=1).form == "injected"
    assert entry(message={"content": "so it is"}, isMeta=False).form == "typed"


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (REJECTED, "rejection"),
        ([text_block(REJECTED)], "rejection"),
        ("[Request interrupted by user for tool use]", "interrupt"),
        ("ok", None),
        (f"the file says: {REJECTED}", None),
        (None, None),
    ],
)
def test_rejection_and_interrupt_are_recognised_in_results(content: Any, form: str | None) -> None:
    traits = entry(message={"content": [tool_result("t1", content, is_error=True)]})
    assert (traits.kind, traits.form) == ("result", form)


@pytest.mark.parametrize(
    ("other", "kind"),
    [("plain", "result"), (None, "result"), ({}, "prompt"), ({"text": "x"}, "prompt"), (text_block(""), "prompt")],
)
def test_items_that_are_not_objects_are_not_blocks(other: Any, kind: str) -> None:
    """The kind depends only on the blocks (rule: entry_kind)."""
    assert entry(message={"content": [other, tool_result("t1", "ok")]}).kind == kind


def test_call_cancelled_after_a_rejected_call_counts_as_rejected() -> None:
    # 2.0.42 writes this result for calls that were queued after a rejected call
    assert entry(message={"content": [tool_result("t1", CANCELLED, is_error=True)]}).form in ("rejection", "interrupt")


@pytest.mark.parametrize(
    ("keys", "form"),
    [
        ({"type": "system", "subtype": "stop_hook_summary"}, "hook"),
        ({"type": "progress", "data": {"type": "hook_progress", "hookEvent": "PostToolUse"}}, "hook"),
        ({"type": "attachment", "attachment": {"type": "hook_success", "content": "fine"}}, "hook"),
        ({"type": "system", "subtype": "local_command", "content": "<command-name>/model"}, "local_command"),
        ({"type": "system", "subtype": "turn_duration"}, None),
        ({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}, None),
        ({"type": "progress", "data": {"type": "bash_progress"}}, None),
        ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "and then?"}}, "queued"),
        ({"type": "attachment", "attachment": {"prompt": "<task-notification>"}}, "notification"),
        ({"type": "assistant", "message": {"content": [text_block("[Request interrupted by user]")]}}, None),
        ({"type": "system"}, None),
        ({"type": "never-heard-of"}, None),
    ],
)
def test_form_of_side_entries_depends_on_their_subtype(keys: dict[str, Any], form: str | None) -> None:
    assert entry(**keys).form == form
