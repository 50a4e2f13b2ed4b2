"""Classify entries by kind and form, and report types and keys that this version does not know."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ccindex.model.recorded import Unknown
from ccindex.read.json_values import string
from ccindex.read.text_tags import is_ide_context
from ccindex.read.tool_outcomes import is_notification

_USER_TYPES = frozenset({"user", "tool_result", "human", "compact_recap"})
_RESULT_TYPES = frozenset({"user", "tool_result"})
_COMMANDS = ("<command-", "<bash-input", "<user-memory-input")
_CAVEATS = ("<local-command-", "Caveat: The messages below")
_OUTPUTS = ("<bash-stdout", "<bash-stderr", *_CAVEATS)
_INTERRUPT = "[Request interrupted by user"
_NOT_TYPED = (
    *_OUTPUTS,
    _INTERRUPT,
    "<teammate-message",
    "<system-reminder",
    "<fork-boilerplate",
    "Unknown skill: ",
    "Unknown slash command: ",
)
# the forms of prompts that start with these prefixes; the first match is used
_FORMS = (
    ("<command-", "slash_command"),
    ("<bash-input", "shell_command"),
    ("<user-memory-input", "memory_note"),
    ("<local-command-caveat", "caveat"),
    ("Caveat: The messages below", "caveat"),
    ("<local-command-", "command_output"),
    ("<bash-stdout", "command_output"),
    ("<bash-stderr", "command_output"),
    (_INTERRUPT, "interrupt"),
    ("<teammate-message", "teammate_message"),
    ("<system-reminder", "injected"),
    ("<fork-boilerplate", "injected"),
    ("Unknown skill: ", "command_output"),
    ("Unknown slash command: ", "command_output"),
)
_REFUSALS = (
    (_INTERRUPT, "interrupt"),
    ("The user doesn't want to proceed with this tool use", "rejection"),
    ("The user doesn't want to take this action", "rejection"),
)


def kind_of(type_: str | None, subtype: str | None, block_types: Sequence[str | None], message: Any) -> str:
    """Return the kind of an entry: assistant, result, prompt, boundary or side (rule: entry_kind)."""
    if type_ == "assistant":
        return "assistant"
    if type_ in _USER_TYPES:
        return "result" if type_ in _RESULT_TYPES and _has_only_results(block_types, message) else "prompt"
    if type_ == "compact_prelude" or (type_ == "system" and subtype == "compact_boundary"):
        return "boundary"
    return "side"


def _has_only_results(block_types: Sequence[str | None], message: Any) -> bool:
    """Return whether all blocks of a message are tool results. Plain strings in a list do not count as blocks."""
    results = block_types.count("tool_result")
    if results in (0, len(block_types)):
        return results > 0
    return sum(isinstance(item, dict) for item in message["content"]) == results


def is_command(text: str) -> bool:
    """Return whether a prompt is a slash command, a shell command or a memory note, or the caveat or output of one.

    (rule: command_prompt)
    """
    return text.startswith(_COMMANDS + _OUTPUTS)


def is_typed(text: str, block_types: Collection[str | None], *, is_injected: bool) -> bool:
    """Return whether a person typed a prompt (rule: typed_prompt).

    `is_injected`: the prompt is marked as isMeta or is a compaction summary.
    """
    if is_injected or text.startswith(_NOT_TYPED) or is_notification(text):
        return False
    if "tool_result" in block_types and not text:
        return False
    return not (text.startswith("<ide_") and is_ide_context(text) and "image" not in block_types)


def form_of(kind: str, subtype: str | None, text: str, *, is_meta: int, is_summary: int) -> str | None:
    """Return the form of an entry, such as typed, interrupt or hook, or None if the entry has no particular form."""
    if text and is_notification(text):
        return "notification"
    if kind == "prompt":
        if is_summary or (is_meta and text.startswith(_CAVEATS)):
            return "compact_summary" if is_summary else "caveat"
        return _match_prefix(text, _FORMS) or ("injected" if is_meta else "typed")
    if kind == "result":
        return _match_prefix(text, _REFUSALS)
    if kind == "side" and subtype == "local_command":
        return "command_output" if text.startswith(_OUTPUTS) else "local_command"
    return "hook" if kind == "side" and "hook" in (subtype or "") else None


def _match_prefix(text: str, forms: tuple[tuple[str, str], ...]) -> str | None:
    for prefix, form in forms:
        if text.startswith(prefix):
            return form
    return None


# Types that were reported but not yet seen in a transcript. The keys of such objects are not checked.
REPORTED_TYPES = frozenset(
    "cost-state continued-in launched failed artifact-autoreact-ledger artifact-comment-monitor".split()
)
TYPES = REPORTED_TYPES | frozenset(
    "assistant user system progress attachment summary file-history-snapshot file-history-delta queue-operation "
    "last-prompt ai-title custom-title agent-name agent-setting agent-color permission-mode mode pr-link "
    "bridge-session atis-latch tag started result worktree-state relocated teleported-from frame-link "
    "fork-context-ref human tool_result compact_prelude compact_recap".split()
)
SUBTYPES = frozenset(
    "stop_hook_summary turn_duration compact_boundary local_command api_error away_summary microcompact_boundary "
    "bridge_status scheduled_task_fire informational model_refusal_fallback model_refusal_no_fallback".split()
)
PROGRESS_TYPES = frozenset(
    "bash_progress hook_progress agent_progress mcp_progress query_update search_results_received waiting_for_task "
    "skill_progress powershell_progress".split()
)
ATTACHMENT_TYPES = frozenset(
    "hook_success hook_additional_context hook_non_blocking_error hook_blocking_error hook_cancelled "
    "hook_error_during_execution hook_permission_decision async_hook_response structured_output "
    "hook_system_message hook_stopped_continuation queued_command task_reminder todo_reminder task_status "
    "deferred_tools_delta skill_listing nested_memory file edited_text_file edited_image_file directory "
    "plan_mode plan_mode_exit plan_mode_reentry plan_file_reference invoked_skills diagnostics date_change "
    "mcp_resource mcp_instructions_delta agent_listing_delta agent_mention command_permissions "
    "compact_file_reference opened_file_in_ide selected_lines_in_ide critical_system_reminder output_style "
    "teammate_mailbox team_context dynamic_skill ultrathink_effort verify_plan_reminder already_read_file "
    "total_tokens_reminder auto_mode auto_mode_exit companion_intro read_truncation_notice goal_status "
    "ultra_effort_enter ultra_effort_exit workflow_keyword_request prompt_snapshot environment model instructions "
    "skill_activated".split()
)
BLOCK_TYPES = frozenset(
    "text thinking redacted_thinking tool_use tool_result image document tool_reference server_tool_use "
    "web_search_tool_result advisor_tool_result fallback".split()
)
KEYS = frozenset(
    # nearly every entry
    "parentUuid uuid sessionId session_id timestamp type isSidechain userType cwd version gitBranch slug entrypoint "
    # messages
    "message requestId toolUseResult toolUseID parentToolUseID sourceToolAssistantUUID sourceToolUseID isMeta "
    "isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage error apiError errorDetails apiErrorStatus agentId "
    "agentName agentColor teamName promptId promptSource permissionMode thinkingMetadata todos planContent forkedFrom "
    "is_active effort advisorModel imagePasteIds origin mcpMeta attributionAgent attributionPlugin attributionSkill "
    "attributionMcpServer attributionMcpTool interruptedMessageId isCompactSummaryRetry summarizeMetadata "
    "sessionKind toolDenialKind toolEndsTurn userFeedback queuePriority turnCompanion apiErrorIsTransient "
    "isAbortedMidStream interruptedByShutdown upgradeNudge classifierMetaLines apiBlockIndex perTurnEffort "
    "quotaLimits truncatedAfterOutput "
    # system, progress, attachments
    "subtype content level logicalParentUuid compactMetadata microcompactMetadata cause maxRetries retryAttempt "
    "retryInMs hookCount hookInfos hookErrors hookAdditionalContext hasOutput preventedContinuation stopReason "
    "durationMs messageCount pendingBackgroundAgentCount pendingWorkflowCount budgetTokens budgetLimit budgetNudges "
    "url commands data attachment isReplay rendered source trigger originalModel fallbackModel scope "
    "apiRefusalCategory apiRefusalExplanation refusedUserMessageUuid retractedMessageUuids "
    # records
    "summary leafUuid messageId snapshot isSnapshotUpdate operation lastPrompt aiTitle customTitle mode prNumber "
    "prRepository prUrl key result tag agentSetting bridgeSessionId lastSequenceNum trackingPath backup "
    "snapshotMessageId ownerAccountUuid ownerOrganizationUuid atis explicit worktreeSession relocatedCwd "
    "remoteSessionId path frameUrl title parentSessionId parentLastUuid contextLength".split()
)
MESSAGE_KEYS = frozenset(
    "id type role model content stop_reason stop_sequence stop_details usage container context_management "
    "diagnostics provider".split()
)
NUMERIC_KEYS = "(numbers)"  # stands for the keys "0", "1", ... that result from spreading a string into an object


def is_known(value: dict[str, Any]) -> bool:
    """Return True only if all types and message keys of an object are known; otherwise `find_unknown` must check."""
    type_, message, data = value.get("type"), value.get("message"), value.get("data")
    if type(type_) is not str or type_ not in TYPES or type_ == "system" or "attachment" in value:
        return False
    if type(data) is dict:
        name = data.get("type")
        if type(name) is not str or name not in PROGRESS_TYPES:
            return False
    if type(message) is not dict:
        return True
    if not MESSAGE_KEYS.issuperset(message):
        return False
    content = message.get("content")
    for block in content if type(content) is list else ():
        name = block.get("type") if type(block) is dict else None
        if type(name) is not str or name not in BLOCK_TYPES:
            return False
    return True


def find_unknown(value: dict[str, Any], version: str | None, keys: frozenset[str]) -> Iterator[Unknown]:
    """Yield the unknown types, keys, message keys and block types of an object. `keys` contains the known keys."""
    type_ = string(value.get("type")) or ""
    origin = (type_, version or "")
    if type_ not in TYPES:
        yield Unknown("type", type_ or "(none)", *origin)
    for key in () if type_ in REPORTED_TYPES else _unknown_keys(value, keys):
        yield Unknown("key", key, *origin)
    for kind, name, known in _inner_types(value, type_):
        if isinstance(name, str) and name not in known:
            yield Unknown(kind, name, *origin)
    message = value.get("message")
    if isinstance(message, dict):
        for key in _unknown_keys(message, MESSAGE_KEYS):
            yield Unknown("message-key", key, *origin)
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            name = string(block.get("type")) if isinstance(block, dict) else "(no object)"
            if name not in BLOCK_TYPES:
                yield Unknown("block", name or "(none)", *origin)


def _unknown_keys(value: dict[str, Any], known: frozenset[str]) -> Iterable[str]:
    """Return the unknown keys. All numeric keys are combined into one."""
    keys = value.keys() - known
    named = [key for key in keys if not (key.isascii() and key.isdecimal())]
    return named if len(named) == len(keys) else chain(named, (NUMERIC_KEYS,))


def _inner_types(value: dict[str, Any], type_: str) -> Iterator[tuple[str, Any, frozenset[str]]]:
    if type_ == "system":
        yield "subtype", value.get("subtype"), SUBTYPES
    data, attachment = value.get("data"), value.get("attachment")
    if isinstance(data, dict):
        yield "progress", data.get("type"), PROGRESS_TYPES
    if isinstance(attachment, dict):
        yield "attachment", attachment.get("type"), ATTACHMENT_TYPES
