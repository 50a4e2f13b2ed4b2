"""Parse a decoded JSON object into a typed value: an entry with its content, or a record."""

from functools import lru_cache
from typing import Any, NamedTuple

from ccindex.model.recorded import Entry, EntryColumns, EntryContext, EntryTraits, ParsedObject
from ccindex.read.content import all_text, error_text, first_result_text, joined_text, parse_content, parse_message
from ccindex.read.entry_kinds import KEYS, find_unknown, form_of, is_command, is_known, is_typed, kind_of
from ccindex.read.json_values import (
    dumps_trimmed,
    dumps_without_images,
    flag,
    flag_or_none,
    instant,
    is_canonical,
    mapping,
    string,
)
from ccindex.read.search_text import build_search_text
from ccindex.read.tool_outcomes import is_notification, parse_notices, parse_outcome

# Keys whose values have a column or a table. The values of all other keys are stored as JSON in `details`.
_COLUMN_KEYS = frozenset(
    "uuid parentUuid sessionId timestamp type subtype isSidechain userType cwd version gitBranch slug "
    "entrypoint teamName message toolUseResult agentId isMeta isCompactSummary isApiErrorMessage is_active "
    "logicalParentUuid toolUseID parentToolUseID sourceToolAssistantUUID content toolDenialKind".split()
)
# Keys that few entries have. They are looked up only if an entry has at least one of them.
_RARE_KEYS = frozenset(
    "subtype attachment content isMeta isCompactSummary isApiErrorMessage is_active logicalParentUuid "
    "forkedFrom".split()
)
_KNOWN_KEYS = KEYS | _COLUMN_KEYS


class Shape(NamedTuple):
    """Facts about the keys of an object: whether all are known, whether any is rare, and which have no column."""

    is_known: bool
    has_rare: bool
    details: tuple[str, ...]


def shape_of(value: dict[str, Any]) -> Shape:
    """Classify the keys of an object."""
    keys = value.keys()
    return Shape(
        keys <= _KNOWN_KEYS, not _RARE_KEYS.isdisjoint(keys), tuple([key for key in keys if key not in _COLUMN_KEYS])
    )


_MAX_DETAILS_CHARS = 64_000
# Keys of progress data whose values are also in other columns or in the result of the call.
_OMITTED_DATA_KEYS = frozenset("message normalizedMessages fullOutput output prompt".split())


def parse_object(value: dict[str, Any]) -> ParsedObject:
    """Parse an object whose fields may be missing or have unexpected types (rule: entry_or_record)."""
    get = value.get
    shape = shape_of(value)
    uuid, session_id, type_ = string(get("uuid")), string(get("sessionId")), string(get("type"))
    timestamp = string(get("timestamp"))
    timestamp_ms = instant(timestamp)
    unknown = (
        () if shape.is_known and is_known(value) else tuple(find_unknown(value, string(get("version")), _KNOWN_KEYS))
    )
    if uuid is not None:
        is_rendered = timestamp_ms is not None and is_canonical(timestamp or "")
        entry = _entry(value, shape, uuid, type_, "" if is_rendered else timestamp)
        return ParsedObject(uuid, session_id, type_, timestamp_ms, timestamp, entry, None, None, (), unknown)
    notices = parse_notices(string(get("content")) or "", None)
    leaf = string(get("parentLastUuid" if type_ == "fork-context-ref" else "leafUuid"))
    return ParsedObject(
        None, session_id, type_, timestamp_ms, timestamp, None, dumps_without_images(value), leaf, notices, unknown
    )


def _entry(value: dict[str, Any], shape: Shape, uuid: str, type_: str | None, timestamp: str | None) -> Entry:
    get = value.get
    data, result = mapping(get("data")), get("toolUseResult")
    rare = _rare(value) if shape.has_rare else _NO_RARE_VALUES
    content, inputs = parse_content(get("message"))
    kind = kind_of(type_, rare.subtype, content, get("message"))
    subtype = string(data.get("type")) if type_ == "progress" else rare.subtype
    subtype = subtype or string(data.get("type")) or string(rare.attachment.get("type"))
    is_meta, is_summary = rare.is_meta, rare.is_summary or int(type_ == "compact_recap")
    wrapped = mapping(data.get("message"))
    own_text = None if content.blocks else _own_text(rare, wrapped)
    text = joined_text(content) or (first_result_text(content) if kind == "result" else own_text or "")
    text = text.lstrip()
    is_queued = subtype == "queued_command" and _is_from_person(rare.attachment, text)
    is_injected = bool(is_meta or is_summary)
    typed = is_queued or (kind == "prompt" and is_typed(text, content, is_injected=is_injected))
    is_result = result is not None or bool(content.results) or "toolDenialKind" in value
    message, iterations = parse_message(uuid, value, kind, wrapped)
    # positional, because keyword arguments are slower
    traits = EntryTraits(
        type_,
        subtype,
        kind,
        "queued" if is_queued else form_of(kind, subtype, text, is_meta=bool(is_meta), is_summary=bool(is_summary)),
        int(typed),
        int(kind == "prompt" and is_command(text)),
        flag(get("isSidechain")),
        is_meta,
        is_summary,
        rare.is_api_error,
        rare.is_active,
    )
    tool_use_id = string(get("toolUseID")) or string(rare.attachment.get("toolUseID"))
    parent_tool_use_id, parent = string(get("parentToolUseID")), string(get("parentUuid"))
    source_uuid = string(get("sourceToolAssistantUUID"))
    columns = EntryColumns(
        timestamp,
        string(get("agentId")),
        string(data.get("agentId")) or (string(get("agentId")) if subtype == "agent_progress" else None),
        "" if tool_use_id is not None and tool_use_id == parent_tool_use_id else tool_use_id,
        parent_tool_use_id,
        "" if source_uuid is not None and source_uuid == parent else source_uuid,
        own_text,
    )
    return Entry(
        traits,
        columns,
        _context(value),
        _details(value, shape, data) if shape.details or shape.has_rare else None,
        parent,
        rare.logical_parent,
        rare.forked_from,
        message,
        iterations,
        content,
        parse_outcome(result, error_text(content), string(get("toolDenialKind"))) if is_result else None,
        parse_notices(text, result),
        build_search_text(kind, content, own_text, is_typed=typed, inputs=inputs),
    )


def _is_from_person(queued: dict[str, Any], text: str) -> bool:
    """Return whether a person typed the command that was queued while Claude was working (rule: queued_prompt)."""
    origin = mapping(queued.get("origin")).get("kind")
    if origin is not None:
        return bool(origin == "human")
    return queued.get("commandMode") != "task-notification" and not is_notification(text)


class _RareValues(NamedTuple):
    """Values of keys that few entries have."""

    subtype: str | None
    attachment: dict[str, Any]
    content: Any
    is_meta: int
    is_summary: int
    is_api_error: int
    is_active: int | None
    logical_parent: str | None
    forked_from: str | None


def _rare(value: dict[str, Any]) -> _RareValues:
    get = value.get
    return _RareValues(
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


_NO_RARE_VALUES = _rare({})


def _own_text(rare: _RareValues, wrapped: dict[str, Any]) -> str | None:
    """Return the text of an entry without content blocks: a system entry, an attachment or a wrapped message."""
    if wrapped:
        return all_text(parse_content(wrapped.get("message")))
    if rare is _NO_RARE_VALUES:
        return None
    for text in (rare.content, rare.attachment.get("content"), rare.attachment.get("prompt")):
        if type(text) is str and text:
            return text
        if type(text) is list:
            return all_text(parse_content(text))
    return None


def _context(value: dict[str, Any]) -> EntryContext:
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
        return _shared_context(recorded)
    except TypeError:  # a value is a list or an object, which cannot be part of a cache key
        return EntryContext(*map(string, recorded))


@lru_cache(maxsize=64)
def _shared_context(recorded: tuple[Any, ...]) -> EntryContext:
    """Return the same object for equal values. The cache treats 1 and True as equal, but both become None anyway."""
    return EntryContext(*map(string, recorded))


def _details(value: dict[str, Any], shape: Shape, data: dict[str, Any]) -> str | None:
    details = {key: value[key] for key in shape.details if value[key] is not None}
    if "requestId" in details and value.get("type") == "assistant":
        del details["requestId"]  # stored with the message
    if "content" in value and not isinstance(value["content"], str):
        details["content"] = value["content"]
    if data and not _OMITTED_DATA_KEYS.isdisjoint(data):
        details["data"] = {key: item for key, item in data.items() if key not in _OMITTED_DATA_KEYS}
    return dumps_trimmed(details, max_chars=_MAX_DETAILS_CHARS) if details else None
