"""One JSON object to the values the index keeps of it: the door past which no dict of unknown shape goes."""

from functools import lru_cache
from typing import Any

from ccindex.model.facts import Context, Entry, Message, Parsed

from .content import content_of, failure, first_result, searchable, text_of
from .instants import instant
from .jsontext import clipped, whole
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
    get = value.get
    uuid, session_id, type_ = string(get("uuid")), string(get("sessionId")), string(get("type"))
    timestamp = get("timestamp")
    at, timestamp = instant(timestamp), string(timestamp)
    new = unknown(value, string(get("version")))
    if uuid is not None:
        return Parsed(uuid, session_id, type_, at, timestamp, _entry(uuid, type_, value), None, None, (), new)
    notices = notices_of(string(get("content")) or "", None)
    return Parsed(None, session_id, type_, at, timestamp, None, whole(value), string(get("leafUuid")), notices, new)


def _entry(uuid: str, type_: str | None, value: dict[str, Any]) -> Entry:
    get = value.get
    data, attachment = mapping(get("data")), mapping(get("attachment"))
    subtype = string(get("subtype"))
    content, inputs = content_of(get("message"))
    kind = kind_of(type_, subtype, content)
    subtype = subtype or string(data.get("type")) or string(attachment.get("type"))
    is_meta, is_summary = flag(get("isMeta")), flag(get("isCompactSummary"))
    is_summary = is_summary or int(type_ == "compact_recap")
    wrapped = mapping(data.get("message"))
    own = None if content.blocks else _own_text(get("content"), attachment, wrapped)
    said = text_of(content)
    begins = said or (first_result(content) if kind == "result" else own or "")
    typed = kind == "prompt" and is_typed(said, is_injected=bool(is_meta or is_summary))
    result, forked = get("toolUseResult"), get("forkedFrom")
    # in order, as names would take a third of the time of all this
    return Entry(
        type_,
        subtype,
        kind,
        form_of(kind, subtype, begins, is_meta=bool(is_meta), is_summary=bool(is_summary)),
        int(typed),
        int(kind == "prompt" and is_command(said)),
        flag(get("isSidechain")),
        is_meta,
        is_summary,
        flag(get("isApiErrorMessage")),
        flag_or_none(get("is_active")),
        string(get("timestamp")),
        string(get("agentId")),
        string(data.get("agentId")),
        string(get("toolUseID")) or string(attachment.get("toolUseID")),
        string(get("parentToolUseID")),
        string(get("sourceToolAssistantUUID")),
        own,
        _context(value),
        _details(value, data),
        string(get("parentUuid")),
        string(get("logicalParentUuid")),
        string(forked.get("messageUuid")) if type(forked) is dict else None,
        _message(uuid, value, kind, wrapped),
        content,
        outcome_of(result, failure(content)),
        notices_of(begins, result),
        words_of(kind, content, own, is_typed=typed, inputs=inputs),
    )


def _own_text(content: Any, attachment: dict[str, Any], wrapped: dict[str, Any]) -> str | None:
    """Words of an entry that has no message of its own: a system line, an attachment, a wrapped message."""
    if wrapped:
        return searchable(content_of(wrapped.get("message")))
    for words in (content, attachment.get("content"), attachment.get("prompt")):
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


def _details(value: dict[str, Any], data: dict[str, Any]) -> str | None:
    rest = {key: item for key, item in value.items() if key not in _PLACED and item is not None}
    if "requestId" in rest and value.get("type") == "assistant":
        del rest["requestId"]  # it stands with the message
    if "content" in value and not isinstance(value["content"], str):
        rest["content"] = value["content"]
    if data:
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
