"""One JSON object to the values the index keeps of it: the door past which no dict of unknown shape goes."""

from functools import lru_cache
from typing import Any, NamedTuple

from ccindex.model.facts import Context, Entry, Message, Parsed

from .content import content_of, failure, first_result, searchable, text_of
from .instants import instant
from .jsontext import clipped, whole
from .kinds import form_of, is_command, is_typed, kind_of
from .known import unknown
from .notices import is_notification, notices_of
from .outcome import outcome_of
from .shapes import Shape, shape_of
from .values import flag, flag_or_none, integer, mapping, string
from .words import words_of

_LONGEST = 64_000
NO_MODEL = "<synthetic>"  # Claude Code's own words in an assistant's place
# Of progress data: what the result repeats, what `text` and `messages` hold.
_NOT_KEPT = frozenset("message normalizedMessages fullOutput output prompt".split())


def parse(value: dict[str, Any]) -> Parsed:
    """Read an object; every field may be missing or of another type than expected."""
    get = value.get
    shape = shape_of(value)
    uuid, session_id, type_ = string(get("uuid")), string(get("sessionId")), string(get("type"))
    timestamp = string(get("timestamp"))
    at = instant(timestamp)
    new = unknown(value, string(get("version")), has_new_keys=not shape.is_known)
    if uuid is not None:
        entry = _entry(value, shape, uuid, type_, timestamp)
        return Parsed(uuid, session_id, type_, at, timestamp, entry, None, None, (), new)
    notices = notices_of(string(get("content")) or "", None)
    return Parsed(None, session_id, type_, at, timestamp, None, whole(value), string(get("leafUuid")), notices, new)


def _entry(value: dict[str, Any], shape: Shape, uuid: str, type_: str | None, timestamp: str | None) -> Entry:
    get = value.get
    data, result = mapping(get("data")), get("toolUseResult")
    rare = _rare(value) if shape.has_rare else _NOTHING_RARE
    content, inputs = content_of(get("message"))
    kind = kind_of(type_, rare.subtype, content)
    subtype = rare.subtype or string(data.get("type")) or string(rare.attachment.get("type"))
    is_meta, is_summary = rare.is_meta, rare.is_summary or int(type_ == "compact_recap")
    wrapped = mapping(data.get("message"))
    own = None if content.blocks else _own_text(rare, wrapped)
    said = text_of(content)
    begins = said or (first_result(content) if kind == "result" else own or "")
    is_queued = subtype == "queued_command" and _is_persons(rare.attachment, own or "")
    typed = is_queued or (kind == "prompt" and is_typed(said, is_injected=bool(is_meta or is_summary)))
    # in order, since passing so many by name takes longer
    return Entry(
        type_,
        subtype,
        kind,
        "queued" if is_queued else form_of(kind, subtype, begins, is_meta=bool(is_meta), is_summary=bool(is_summary)),
        int(typed),
        int(kind == "prompt" and is_command(said)),
        flag(get("isSidechain")),
        is_meta,
        is_summary,
        rare.is_api_error,
        rare.is_active,
        timestamp,
        string(get("agentId")),
        string(data.get("agentId")),
        string(get("toolUseID")) or string(rare.attachment.get("toolUseID")),
        string(get("parentToolUseID")),
        string(get("sourceToolAssistantUUID")),
        own,
        _context(value),
        _details(value, shape, data),
        string(get("parentUuid")),
        rare.logical_parent,
        rare.forked_from,
        _message(uuid, value, kind, wrapped),
        content,
        outcome_of(result, failure(content)),
        notices_of(begins, result),
        words_of(kind, content, own, is_typed=typed, inputs=inputs),
    )


class _Rare(NamedTuple):
    """What few entries have."""

    subtype: str | None
    attachment: dict[str, Any]
    content: Any
    is_meta: int
    is_summary: int
    is_api_error: int
    is_active: int | None
    logical_parent: str | None
    forked_from: str | None


def _rare(value: dict[str, Any]) -> _Rare:
    get = value.get
    return _Rare(
        subtype=string(get("subtype")),
        attachment=mapping(get("attachment")),
        content=get("content"),
        is_meta=flag(get("isMeta")),
        is_summary=flag(get("isCompactSummary")),
        is_api_error=flag(get("isApiErrorMessage")),
        is_active=flag_or_none(get("is_active")),
        logical_parent=string(get("logicalParentUuid")),
        forked_from=string(mapping(get("forkedFrom")).get("messageUuid")),
    )


_NOTHING_RARE = _rare({})


def _is_persons(attachment: dict[str, Any], text: str) -> bool:
    """Whether a person queued a command: as its origin says, else unless it is a notification."""
    origin = attachment.get("origin")
    if type(origin) is dict:
        return origin.get("kind") == "human"
    return string(attachment.get("commandMode")) != "task-notification" and not is_notification(text)


def _own_text(rare: _Rare, wrapped: dict[str, Any]) -> str | None:
    """Words of an entry that has no message of its own: a system line, an attachment, a wrapped message."""
    if wrapped:
        return searchable(content_of(wrapped.get("message")))
    if rare is _NOTHING_RARE:
        return None
    for words in (rare.content, rare.attachment.get("content"), rare.attachment.get("prompt")):
        if type(words) is str and words:
            return words
        if type(words) is list:
            return searchable(content_of(words))
    return None


def _context(value: dict[str, Any]) -> Context:
    get = value.get
    recorded = (
        get("cwd"),
        get("gitBranch"),
        get("version"),
        get("userType"),
        get("entrypoint"),
        get("slug"),
        get("teamName"),
    )
    try:
        return _same_context(recorded)
    except TypeError:  # a list or an object among them, which no cache can hold
        return Context(*map(string, recorded))


@lru_cache(maxsize=64)
def _same_context(recorded: tuple[Any, ...]) -> Context:
    """One value for all lines that repeat it; what is equal and no string, as 1 and true are, is None anyway."""
    return Context(*map(string, recorded))


def _details(value: dict[str, Any], shape: Shape, data: dict[str, Any]) -> str | None:
    rest = {key: value[key] for key in shape.details if value[key] is not None}
    if "requestId" in rest and value.get("type") == "assistant":
        del rest["requestId"]  # it stands with the message
    if "content" in value and not isinstance(value["content"], str):
        rest["content"] = value["content"]
    if data and not _NOT_KEPT.isdisjoint(data):
        rest["data"] = {key: item for key, item in data.items() if key not in _NOT_KEPT}
    return clipped(rest, longest=_LONGEST) if rest else None


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
        int(is_wrapped),
        message_id,
        request_id,
        model,
        string(message.get("stop_reason")),
        string(holder.get("timestamp")) if is_wrapped else None,
        integer(usage.get("input_tokens")),
        integer(usage.get("output_tokens")),
        integer(usage.get("cache_creation_input_tokens")),
        integer(split.get("ephemeral_5m_input_tokens")),
        integer(split.get("ephemeral_1h_input_tokens")),
        integer(usage.get("cache_read_input_tokens")),
        integer(server.get("web_search_requests")),
        integer(server.get("web_fetch_requests")),
        string(usage.get("service_tier")),
        None if is_error or model == NO_MODEL else message_id or request_id or uuid,
    )
