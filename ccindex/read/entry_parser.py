"""Read the columns and the content of an entry from its decoded JSON object."""

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.model.events import EntryRows, Row
from ccindex.model.recorded import Unknown
from ccindex.read.api_messages import add_message
from ccindex.read.content import BlockText, add_content, all_text, first_result_text, joined_text, texts_of
from ccindex.read.entry_kinds import KEYS, find_unknown, form_of, is_command, is_known, is_typed, kind_of
from ccindex.read.json_values import dumps_trimmed, flag, flag_or_none, mapping, string
from ccindex.read.search_text import search_columns
from ccindex.read.tool_outcomes import is_notification, outcome_row, parse_notices

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
    """Facts about the keys of an object."""

    is_known: bool  # all of them
    has_rare: bool
    details: tuple[str, ...]  # those without a column
    assistant_details: tuple[str, ...]  # the same for an assistant entry, whose request id is stored with its message


_MAX_SHAPES = 1_000
_SHAPES: dict[tuple[str, ...], Shape] = {}  # the shapes of objects whose keys are all known, by their keys in order


def shape_of(value: dict[str, Any]) -> Shape:
    """Classify the keys of an object."""
    keys = tuple(value)
    shape = _SHAPES.get(keys)
    if shape is None:
        details = tuple([key for key in keys if key not in _COLUMN_KEYS])
        assistant_details = tuple([key for key in details if key != "requestId"])
        shape = Shape(_KNOWN_KEYS.issuperset(keys), not _RARE_KEYS.isdisjoint(keys), details, assistant_details)
        if shape.is_known and len(_SHAPES) < _MAX_SHAPES:  # unknown keys may be long and many
            _SHAPES[keys] = shape
    return shape


def unknown_in(value: dict[str, Any], shape: Shape) -> Iterable[Unknown]:
    """Return the types and keys of an object that this version does not know."""
    if shape.is_known and is_known(value):
        return ()
    return find_unknown(value, string(value.get("version")), _KNOWN_KEYS)


_FIRST = itemgetter(0)
_MAX_DETAILS_CHARS = 64_000
# Keys of progress data whose values are also in other columns or in the result of the call.
_OMITTED_DATA_KEYS = frozenset("message normalizedMessages fullOutput output prompt".split())


def links_of(value: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the uuids to which few entries refer: the logical parent, and the entry that this is a copy of."""
    return string(value.get("logicalParentUuid")), string(mapping(value.get("forkedFrom")).get("messageUuid"))


def context_of(value: dict[str, Any]) -> tuple[Any, ...]:
    """Return the values of the columns of `EntryContext`, as recorded."""
    get = value.get
    return (
        get("cwd"),
        get("gitBranch"),
        get("version"),
        get("userType"),
        get("entrypoint"),
        get("slug"),
        get("teamName"),
    )


def parse_entry(
    rows: EntryRows, entry: int, type_: str | None, value: dict[str, Any], shape: Shape
) -> tuple[Row, Row, str | None]:
    """Add the content of an entry of the given type.

    Fields may be missing or have unexpected types. Return the traits (`EntryTraits`), the columns (`EntryColumns`
    without the timestamp) and the details.
    """
    get = value.get
    message, result, data, agent_id = get("message"), get("toolUseResult"), get("data"), string(get("agentId"))
    rare = _rare(value) if shape.has_rare else _NO_RARE
    recorded_subtype, attachment, is_meta, is_summary, is_api_error, is_active = rare
    if type_ == "compact_recap":
        is_summary = 1
    texts = [] if message is None else add_content(rows, entry, message)
    block_types = [*map(_FIRST, texts)] if texts else ()
    kind = kind_of(type_, recorded_subtype, block_types, message)
    subtype = None if type_ == "progress" else recorded_subtype
    data = data if type(data) is dict else _NOTHING
    if data or attachment:
        subtype = subtype or string(data.get("type")) or string(attachment.get("type"))
    wrapped = mapping(data.get("message")) if data else _NOTHING
    own_text = _own_text(value, attachment, wrapped) if not texts and (wrapped or shape.has_rare) else None
    text = joined_text(texts) or (first_result_text(texts) if kind == "result" else own_text or "")
    text = text.lstrip()
    is_queued = subtype == "queued_command" and _is_from_person(attachment, text)
    is_prompt = kind == "prompt"
    is_typed_prompt = is_queued or (is_prompt and is_typed(text, block_types, is_injected=bool(is_meta or is_summary)))
    if kind == "assistant" or wrapped:
        add_message(rows, entry, value, wrapped)
    if result is not None or "tool_result" in block_types or "toolDenialKind" in value:
        _add_outcome(rows, entry, value, texts)
    notices = parse_notices(text, result) if text or result is not None else ()
    if notices:
        rows.task_notices.extend((entry, *notice) for notice in notices)
    search_text = search_columns(kind, texts, own_text, is_typed=is_typed_prompt) if texts or own_text else None
    if search_text is not None:
        rows.search_texts.append((entry, *search_text))
    traits = (
        type_,
        subtype,
        kind,
        "queued" if is_queued else form_of(kind, subtype, text, is_meta=is_meta, is_summary=is_summary),
        int(is_typed_prompt),
        int(is_prompt and is_command(text)),
        flag(get("isSidechain")),
        is_meta,
        is_summary,
        is_api_error,
        is_active,
    )
    tool_use_id = string(get("toolUseID")) or (string(attachment.get("toolUseID")) if attachment else None)
    parent_tool_use_id, source_uuid = string(get("parentToolUseID")), string(get("sourceToolAssistantUUID"))
    columns = (
        agent_id,
        (string(data.get("agentId")) if data else None) or (agent_id if subtype == "agent_progress" else None),
        "" if tool_use_id is not None and tool_use_id == parent_tool_use_id else tool_use_id,
        parent_tool_use_id,
        "" if source_uuid is not None and source_uuid == string(get("parentUuid")) else source_uuid,
        own_text,
    )
    details = shape.assistant_details if type_ == "assistant" else shape.details
    return traits, columns, _details(value, details, data) if details or shape.has_rare else None


def _add_outcome(rows: EntryRows, entry: int, value: dict[str, Any], texts: list[BlockText]) -> None:
    """Add the outcome of an entry's calls, if it is recorded."""
    is_failed = sum(type_ == "tool_result" for type_, _ in texts) == 1 and rows.tool_results[-1][3]
    error_text = first_result_text(texts) if is_failed else None
    row = outcome_row(entry, value.get("toolUseResult"), error_text, string(value.get("toolDenialKind")))
    if row is not None:
        rows.tool_outcomes.append(row)


def _is_from_person(queued: dict[str, Any], text: str) -> bool:
    """Return whether a person typed the command that was queued while Claude was working (rule: queued_prompt)."""
    origin = mapping(queued.get("origin")).get("kind")
    if origin is not None:
        return bool(origin == "human")
    return queued.get("commandMode") != "task-notification" and not is_notification(text)


_RareValues = tuple[str | None, dict[str, Any], int, int, int, int | None]


def _rare(value: dict[str, Any]) -> _RareValues:
    """Return subtype, attachment, isMeta, isCompactSummary, isApiErrorMessage and is_active."""
    get = value.get
    return (
        string(get("subtype")),
        mapping(get("attachment")),
        flag(get("isMeta")),
        flag(get("isCompactSummary")),
        flag(get("isApiErrorMessage")),
        flag_or_none(get("is_active")),
    )


_NOTHING: dict[str, Any] = {}
_NO_RARE = _rare({})


def _own_text(value: dict[str, Any], attachment: dict[str, Any], wrapped: dict[str, Any]) -> str | None:
    """Return the text of an entry without content blocks: a system entry, an attachment or a wrapped message."""
    if wrapped:
        return all_text(texts_of(wrapped.get("message")))
    for text in (value.get("content"), attachment.get("content"), attachment.get("prompt")):
        if type(text) is str and text:
            return text
        if type(text) is list:
            return all_text(texts_of(text))
    return None


def _details(value: dict[str, Any], keys: tuple[str, ...], data: dict[str, Any]) -> str | None:
    details = {key: value[key] for key in keys if value[key] is not None}
    if "content" in value and not isinstance(value["content"], str):
        details["content"] = value["content"]
    if data and not _OMITTED_DATA_KEYS.isdisjoint(data):
        details["data"] = {key: item for key, item in data.items() if key not in _OMITTED_DATA_KEYS}
    return dumps_trimmed(details, max_chars=_MAX_DETAILS_CHARS) if details else None
