"""One JSON object to a ParsedObject: the last place that sees camelCase keys or values of unknown shape."""

from functools import lru_cache
from typing import Any, NamedTuple

from ccindex.model.recorded import Context, Entry, EntryColumns, Parsed
from ccindex.read.content import NO_MODEL, content_of, failure, first_result, searchable, text_of, usage_of
from ccindex.read.entry_kinds import KEYS, form_of, is_command, is_known, is_typed, kind_of, unknown
from ccindex.read.json_values import clipped, flag, flag_or_none, instant, mapping, string, whole
from ccindex.read.search_text import words_of
from ccindex.read.tool_outcomes import is_notification, notices_of, outcome_of

# Keys that have a column or a table; the others go to `details` as JSON.
_PLACED = frozenset(
    "uuid parentUuid sessionId timestamp type subtype isSidechain userType cwd version gitBranch slug "
    "entrypoint teamName message toolUseResult agentId isMeta isCompactSummary isApiErrorMessage is_active "
    "logicalParentUuid toolUseID parentToolUseID sourceToolAssistantUUID content toolDenialKind".split()
)
# Keys that few entries have, read only where one of them is.
_RARE = frozenset(
    "subtype attachment content isMeta isCompactSummary isApiErrorMessage is_active logicalParentUuid "
    "forkedFrom".split()
)
_KNOWN = KEYS | _PLACED


class Shape(NamedTuple):
    """Whether all keys are known, whether rare ones are among them, and the keys whose values go to `details`."""

    is_known: bool
    has_rare: bool
    details: tuple[str, ...]


def shape_of(value: dict[str, Any]) -> Shape:
    """Classify the keys of an object."""
    keys = value.keys()
    return Shape(keys <= _KNOWN, not _RARE.isdisjoint(keys), tuple([key for key in keys if key not in _PLACED]))


__all__ = ["NO_MODEL", "parse"]

_LONGEST = 64_000
# Of progress data: what the result repeats, what `text` and `messages` hold.
_NOT_KEPT = frozenset("message normalizedMessages fullOutput output prompt".split())


def parse(value: dict[str, Any]) -> Parsed:
    """Read an object; every field may be missing or of another type than expected."""
    get = value.get
    shape = shape_of(value)
    uuid, session_id, type_ = string(get("uuid")), string(get("sessionId")), string(get("type"))
    timestamp = string(get("timestamp"))
    at = instant(timestamp)
    new = () if shape.is_known and is_known(value) else tuple(unknown(value, string(get("version")), _KNOWN))
    if uuid is not None:
        entry = _entry(value, shape, uuid, type_, timestamp)
        return Parsed(uuid, session_id, type_, at, timestamp, entry, None, None, (), new)
    notices = notices_of(string(get("content")) or "", None)
    leaf = string(get("parentLastUuid" if type_ == "fork-context-ref" else "leafUuid"))
    return Parsed(None, session_id, type_, at, timestamp, None, whole(value), leaf, notices, new)


def _entry(value: dict[str, Any], shape: Shape, uuid: str, type_: str | None, timestamp: str | None) -> Entry:
    get = value.get
    data, result = mapping(get("data")), get("toolUseResult")
    rare = _rare(value) if shape.has_rare else _NOTHING_RARE
    content, inputs = content_of(get("message"))
    kind = kind_of(type_, rare.subtype, content)
    subtype = string(data.get("type")) if type_ == "progress" else rare.subtype
    subtype = subtype or string(data.get("type")) or string(rare.attachment.get("type"))
    is_meta, is_summary = rare.is_meta, rare.is_summary or int(type_ == "compact_recap")
    wrapped = mapping(data.get("message"))
    own = None if content.blocks else _own_text(rare, wrapped)
    said = text_of(content)
    begins = (said or (first_result(content) if kind == "result" else own or "")).lstrip()
    is_queued = subtype == "queued_command" and _is_from_person(rare.attachment, begins)
    is_injected = bool(is_meta or is_summary)
    typed = is_queued or (kind == "prompt" and is_typed(begins, content, is_injected=is_injected))
    is_answer = result is not None or bool(content.results) or "toolDenialKind" in value
    message, iterations = usage_of(uuid, value, kind, wrapped)
    # in order, because keyword arguments take longer
    columns = EntryColumns(
        type_,
        subtype,
        kind,
        "queued" if is_queued else form_of(kind, subtype, begins, is_meta=bool(is_meta), is_summary=bool(is_summary)),
        int(typed),
        int(kind == "prompt" and is_command(begins)),
        flag(get("isSidechain")),
        is_meta,
        is_summary,
        rare.is_api_error,
        rare.is_active,
        timestamp,
        string(get("agentId")),
        string(data.get("agentId")) or (string(get("agentId")) if subtype == "agent_progress" else None),
        string(get("toolUseID")) or string(rare.attachment.get("toolUseID")),
        string(get("parentToolUseID")),
        string(get("sourceToolAssistantUUID")),
        own,
    )
    return Entry(
        columns,
        _context(value),
        _details(value, shape, data) if shape.details or shape.has_rare else None,
        string(get("parentUuid")),
        rare.logical_parent,
        rare.forked_from,
        message,
        iterations,
        content,
        outcome_of(result, failure(content), string(get("toolDenialKind"))) if is_answer else None,
        notices_of(begins, result),
        words_of(kind, content, own, is_typed=typed, inputs=inputs),
    )


def _is_from_person(queued: dict[str, Any], text: str) -> bool:
    """Whether a person typed what was queued while Claude worked."""
    origin = mapping(queued.get("origin")).get("kind")
    if origin is not None:
        return bool(origin == "human")
    return queued.get("commandMode") != "task-notification" and not is_notification(text)


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
