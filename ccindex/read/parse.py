"""One JSON object to the values the index keeps of it: the door past which no dict of unknown shape goes."""

from typing import Any

from ccindex.model.facts import Content, Context, Entry, Message, Parsed

from .content import content_of, failure, first_result, searchable, text_of
from .instants import instant
from .jsontext import dumps, trimmed, whole
from .kinds import form_of, is_command, is_typed, kind_of
from .known import unknown
from .notices import notices_of
from .outcome import outcome_of
from .values import flag, flag_or_none, integer, mapping, string
from .words import words_of

_LONGEST = 64_000
NO_MODEL = "<synthetic>"  # Claude Code's own words in an assistant's place
# Keys that have a column or a table; the others go to `details` as JSON.
_PLACED = frozenset(
    "uuid parentUuid sessionId timestamp type subtype isSidechain userType cwd version gitBranch slug "
    "entrypoint teamName message toolUseResult agentId isMeta isCompactSummary isApiErrorMessage is_active "
    "logicalParentUuid toolUseID parentToolUseID sourceToolAssistantUUID content".split()
)
# Of progress data: what the result repeats, what `text` and `messages` hold.
_NOT_KEPT = frozenset("message normalizedMessages fullOutput output prompt".split())


def parse(value: dict[str, Any]) -> Parsed:
    """Read an object; every field may be missing or of another type than expected."""
    uuid = string(value.get("uuid"))
    timestamp = value.get("timestamp")
    version = string(value.get("version"))
    return Parsed(
        uuid=uuid,
        session_id=string(value.get("sessionId")),
        type=string(value.get("type")),
        at=instant(timestamp),
        timestamp=string(timestamp),
        entry=_entry(uuid, value) if uuid else None,
        payload=None if uuid else whole(value),
        leaf=None if uuid else string(value.get("leafUuid")),
        notices=() if uuid else notices_of(string(value.get("content")) or "", None),
        unknown=tuple(unknown(value, version)),
    )


def _entry(uuid: str, value: dict[str, Any]) -> Entry:
    get = value.get
    type_ = string(get("type"))
    data, attachment = mapping(get("data")), mapping(get("attachment"))
    subtype = string(get("subtype"))
    content = content_of(get("message"))
    kind = kind_of(type_, subtype, content)
    subtype = subtype or string(data.get("type")) or string(attachment.get("type"))
    is_meta, is_summary = flag(get("isMeta")), flag(get("isCompactSummary"))
    is_summary = is_summary or int(type_ == "compact_recap")
    wrapped = mapping(data.get("message"))
    own = _own_text(value, content, wrapped)
    said = text_of(content)
    begins = said or (first_result(content) if kind == "result" else own or "")
    typed = is_typed(kind, said, is_injected=bool(is_meta or is_summary))
    return Entry(
        type=type_,
        subtype=subtype,
        kind=kind,
        form=form_of(kind, subtype, begins, is_meta=bool(is_meta), is_summary=bool(is_summary)),
        is_typed=int(typed),
        is_command=int(is_command(kind, said)),
        is_sidechain=flag(get("isSidechain")),
        is_meta=is_meta,
        is_compact_summary=is_summary,
        is_api_error=flag(get("isApiErrorMessage")),
        is_active=flag_or_none(get("is_active")),
        timestamp=string(get("timestamp")),
        agent_id=string(get("agentId")),
        named_agent_id=string(data.get("agentId")),
        tool_use_id=string(get("toolUseID")) or string(attachment.get("toolUseID")),
        parent_tool_use_id=string(get("parentToolUseID")),
        source_assistant_uuid=string(get("sourceToolAssistantUUID")),
        text=own,
        context=Context(
            string(get("cwd")),
            string(get("gitBranch")),
            string(get("version")),
            string(get("userType")),
            string(get("entrypoint")),
            string(get("slug")),
            string(get("teamName")),
        ),
        details=_details(value, data),
        parent=string(get("parentUuid")),
        logical_parent=string(get("logicalParentUuid")),
        forked_from=string(mapping(get("forkedFrom")).get("messageUuid")),
        message=_message(uuid, value, kind, wrapped),
        content=content,
        outcome=outcome_of(get("toolUseResult"), failure(content)),
        notices=notices_of(begins, get("toolUseResult")),
        words=words_of(kind, content, own, is_typed=typed),
    )


def _own_text(value: dict[str, Any], content: Content, wrapped: dict[str, Any]) -> str | None:
    """Words of an entry that has no message of its own: a system line, an attachment, a wrapped message."""
    if content.blocks:
        return None
    if wrapped:
        return searchable(content_of(wrapped.get("message")))
    attachment = mapping(value.get("attachment"))
    for words in (value.get("content"), attachment.get("content"), attachment.get("prompt")):
        if isinstance(words, str) and words:
            return words
        if isinstance(words, list):
            return searchable(content_of({"content": words}))
    return None


def _details(value: dict[str, Any], data: dict[str, Any]) -> str | None:
    rest = {key: item for key, item in value.items() if key not in _PLACED and item is not None}
    if value.get("type") == "assistant":
        rest.pop("requestId", None)  # it stands with the message
    if "content" in value and not isinstance(value["content"], str):
        rest["content"] = value["content"]
    if data:
        rest["data"] = {key: item for key, item in data.items() if key not in _NOT_KEPT}
    return dumps(trimmed(rest, longest=_LONGEST)) if rest else None


def _message(uuid: str, value: dict[str, Any], kind: str, wrapped: dict[str, Any]) -> Message | None:
    """The API message: the entry's own, or the one that an agent_progress entry carries."""
    if wrapped.get("type") == "assistant":
        return _api_message(uuid, mapping(wrapped.get("message")), wrapped, value)
    if kind == "assistant":
        return _api_message(uuid, mapping(value.get("message")), value, value)
    return None


def _api_message(uuid: str, message: dict[str, Any], holder: dict[str, Any], value: dict[str, Any]) -> Message:
    is_wrapped = holder is not value
    usage = mapping(message.get("usage"))
    split, server = mapping(usage.get("cache_creation")), mapping(usage.get("server_tool_use"))
    message_id, request_id = string(message.get("id")), string(holder.get("requestId"))
    model = string(message.get("model"))
    is_error = flag(value.get("isApiErrorMessage")) or flag(holder.get("isApiErrorMessage"))
    return Message(
        is_wrapped=int(is_wrapped),
        message_id=message_id,
        request_id=request_id,
        model=model,
        stop_reason=string(message.get("stop_reason")),
        timestamp=string(holder.get("timestamp")) if is_wrapped else None,
        input_tokens=integer(usage.get("input_tokens")),
        output_tokens=integer(usage.get("output_tokens")),
        cache_creation_tokens=integer(usage.get("cache_creation_input_tokens")),
        cache_creation_5m_tokens=integer(split.get("ephemeral_5m_input_tokens")),
        cache_creation_1h_tokens=integer(split.get("ephemeral_1h_input_tokens")),
        cache_read_tokens=integer(usage.get("cache_read_input_tokens")),
        web_search_requests=integer(server.get("web_search_requests")),
        web_fetch_requests=integer(server.get("web_fetch_requests")),
        service_tier=string(usage.get("service_tier")),
        response=None if is_error or model == NO_MODEL else message_id or request_id or uuid,
    )
