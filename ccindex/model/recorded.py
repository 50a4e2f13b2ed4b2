"""Rows of the recorded tables, which store the content of files, and the values parsed from one object.

Columns are in insert order. Row types omit columns that the writer adds, such as the entry's id.
"""

from typing import Annotated, NamedTuple

from ccindex.model.columns import Key, OneOf, Ref, RowId, Unique


class SessionId(NamedTuple):
    """One row per session id: the session of an object, or the session that an object was forked from."""

    session_id: Annotated[str, Unique()]


class Occurrence(NamedTuple):
    """One row per JSON object in a transcript: its location, session, entry and timestamp."""

    id: Annotated[int, Key()]
    source: Annotated[int, Ref("sources")]
    generation: int
    line_no: int
    offset: int
    length: int
    hash: Annotated[int, "xxh3-64 of the bytes"]
    type: str | None
    timestamp_ms: Annotated[int, "UTC; that of a neighbour if the object has no timestamp"]
    has_own_timestamp: int
    has_parent: int
    session: Annotated[int, Ref("session_ids")]
    entry: Annotated[int | None, Ref("entries")]
    is_current: Annotated[int, "0: only an earlier generation of the file contains it"]
    is_owner: int
    has_copies: Annotated[int, "1: other objects have or had the same uuid"]


class ContentHash(NamedTuple):
    """The hash by which a row that several entries can share is found."""

    hash: Annotated[int, Unique(), "xxh3-64 of the other columns"]


class EntryContext(NamedTuple):
    """One row per distinct combination of values that many entries share, such as the working directory."""

    cwd: str | None
    git_branch: str | None
    version: str | None
    user_type: str | None
    entrypoint: str | None
    slug: str | None
    team_name: str | None


class ExtraJson(NamedTuple):
    """One row per distinct set of fields without a column, as JSON; long strings are truncated, images omitted."""

    json: str


class EntryTraits(NamedTuple):
    """One row per distinct combination of type, kind, form and flags of an entry."""

    type: str | None
    subtype: Annotated[str | None, "of a system entry; data.type of progress; attachment.type of an attachment"]
    kind: Annotated[str, OneOf("assistant", "result", "prompt", "boundary", "side")]
    form: Annotated[str | None, "typed, slash_command, interrupt, hook, and so on"]
    is_typed: int
    is_command: int
    is_sidechain: int
    is_meta: int
    is_compact_summary: int
    is_api_error: int
    is_active: int | None


class EntryHead(NamedTuple):
    """One row per distinct uuid, with the content of its owner; a ghost, which is only referred to, has no owner."""

    id: Annotated[int, Key()]
    uuid: Annotated[str, Unique()]
    occurrence: Annotated[int | None, RowId("occurrences"), "the owner, a row of occurrences"]
    revision: int
    hash: Annotated[int | None, "hash of the owner"]
    context: Annotated[int | None, Ref("entry_contexts")]
    details: Annotated[int | None, Ref("extra_json")]
    traits: Annotated[int | None, Ref("entry_traits")]


class EntryColumns(NamedTuple):
    """The columns of an entry that are read from its JSON object."""

    timestamp: Annotated[str | None, "as recorded; empty: timestamp_ms of the owner as YYYY-MM-DDTHH:MM:SS.mmmZ"]
    agent_id: Annotated[str | None, "agentId of the object"]
    named_agent_id: Annotated[str | None, "the agent that an agent_progress entry reports on"]
    tool_use_id: Annotated[
        str | None, "toolUseID of progress, hooks and system entries; empty: equal to parent_tool_use_id"
    ]
    parent_tool_use_id: str | None
    source_assistant_uuid: Annotated[str | None, "sourceToolAssistantUUID; empty: equal to the recorded parent"]
    text: Annotated[str | None, "only for entries without content blocks"]


class Edge(NamedTuple):
    """One row per link from an entry's owner to another entry; the parent may be a ghost."""

    child: Annotated[int, Key("entries")]
    kind: Annotated[str, Key(), OneOf("parent", "logical", "forked_from")]
    parent: Annotated[int, Ref("entries")]


class EntryKey(NamedTuple):
    """The entry that a row belongs to, as the primary key or the first part of it."""

    entry: Annotated[int, Key("entries")]


class EntryRef(NamedTuple):
    """The entry that a row belongs to."""

    entry: Annotated[int, Ref("entries")]


class Message(NamedTuple):
    """One row per API message in an assistant entry or wrapped by an agent_progress entry, with the recorded usage."""

    is_wrapped: Annotated[int, "1: an agent_progress entry wraps it"]
    message_id: Annotated[str | None, "empty: equal to response_id"]
    request_id: str | None
    model: str | None
    stop_reason: str | None
    timestamp: Annotated[str | None, "only for a wrapped message"]
    input_tokens: int | None
    output_tokens: int | None
    cache_creation_tokens: int | None
    cache_creation_5m_tokens: int | None
    cache_creation_1h_tokens: int | None
    cache_read_tokens: int | None
    web_search_requests: int | None
    web_fetch_requests: int | None
    service_tier: str | None
    response_id: Annotated[str | None, "the API response it is part of: message id, else request id, else uuid"]
    has_plain_text: Annotated[int, "1: the content is a string, not a list of blocks"]


class Iteration(NamedTuple):
    """One row per response from another model in `usage.iterations`; the message's usage does not include it."""

    idx: Annotated[int, Key(), "index in usage.iterations"]
    type: Annotated[str | None, "advisor_message, for example"]
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_creation_tokens: int | None
    cache_creation_5m_tokens: int | None
    cache_creation_1h_tokens: int | None
    cache_read_tokens: int | None
    response_id: Annotated[str, "response_id of the message, then # and idx"]


class Block(NamedTuple):
    """One row per content block; content that is a string counts as one text block."""

    idx: int
    type: str | None
    text: str | None
    byte_size: int
    media_type: str | None
    details: Annotated[str | None, "JSON of a block whose type has no columns, or of other items of a tool result"]


class ToolUse(NamedTuple):
    """One row per tool call, which is a tool_use block."""

    idx: Annotated[int, Key()]
    tool_use_id: str | None
    name: str | None
    input: Annotated[str, "JSON"]


class ToolResult(NamedTuple):
    """One row per tool result, which is a tool_result block; its text is in `blocks`."""

    idx: Annotated[int, Key()]
    tool_use_id: str | None
    is_error: int | None


class Mention(NamedTuple):
    """One row per tool result and agent id in it; the id is on a line that starts with `agentId:`."""

    idx: Annotated[int, Key()]
    agent_id: Annotated[str, Key()]


class FileTouch(NamedTuple):
    """One row per tool call and file path in its input."""

    idx: Annotated[int, Key()]
    path: Annotated[str, Key()]
    operation: Annotated[str, OneOf("read", "write", "edit", "notebook", "search")]


class Content(NamedTuple):
    """The stored content of an entry."""

    blocks: tuple[Block, ...] = ()
    uses: tuple[ToolUse, ...] = ()


class NoticeOrigin(NamedTuple):
    """The entry or record that contains a notice."""

    entry: Annotated[int | None, Ref("entries")]
    record: Annotated[int | None, Ref("occurrences")]


class Notice(NamedTuple):
    """One row per reported state of a background task."""

    task_id: str
    status: str
    kind: Annotated[str, OneOf("task", "shell", "agent"), "from the tag of the notification"] = "task"
    summary: str | None = None
    result: Annotated[str | None, "the report of a subagent"] = None


class SearchText(NamedTuple):
    """The columns of the full-text table."""

    prompt: str | None
    answer: str | None
    thinking: str | None
    input: str | None
    result: str | None
    other: str | None


class ToolOutcome(NamedTuple):
    """One row per result that has a `toolUseResult`, an exit code or a denial: everything but the result's text."""

    status: str | None = None
    exit_code: int | None = None
    is_interrupted: int | None = None
    duration_ms: int | None = None
    agent_id: str | None = None
    workflow_run: str | None = None
    file_path: str | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    num_files: int | None = None
    num_lines: int | None = None
    stdout_bytes: int | None = None
    stderr_bytes: int | None = None
    total_tokens: int | None = None
    total_tool_uses: int | None = None
    is_async: int | None = None
    background_task_id: str | None = None
    persisted_path: str | None = None
    persisted_size: int | None = None
    facts: Annotated[int | None, Ref("extra_json"), "the other fields"] = None
    denial_kind: Annotated[str | None, "toolDenialKind of the entry: why the call was not allowed"] = None


class RecordKey(NamedTuple):
    """The occurrence of a record."""

    occurrence: Annotated[int, Key("occurrences")]


class Record(NamedTuple):
    """One row per object without a uuid, such as a queue operation, snapshot, summary, title, mode or link."""

    timestamp: str | None
    payload: Annotated[str, "JSON; images are omitted"]
    leaf: Annotated[str | None, "the uuid it names: leafUuid, or parentLastUuid of a fork-context-ref"]


class SidecarKey(NamedTuple):
    """The source of a sidecar or workflow run file."""

    source: Annotated[int, Key("sources")]


class StoredSidecar(NamedTuple):
    """One row per agent-*.meta.json file or workflow run file: its latest complete JSON."""

    agent_type: str | None
    description: str | None
    tool_use_id: str | None
    payload: str
    name: Annotated[str | None, "only for a teammate"]


class Unknown(NamedTuple):
    """A type or key that this version does not know."""

    kind: str
    name: str
    type: str
    version: str
