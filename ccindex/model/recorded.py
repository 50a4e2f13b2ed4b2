"""Values parsed from one JSON object, in the order of the columns they are stored in."""

from typing import NamedTuple


class Context(NamedTuple):
    """What many entries of a session repeat."""

    cwd: str | None
    git_branch: str | None
    version: str | None
    user_type: str | None
    entrypoint: str | None
    slug: str | None
    team_name: str | None


class Message(NamedTuple):
    """The API message an entry holds or wraps, with its usage as recorded."""

    is_wrapped: int
    message_id: str | None
    request_id: str | None
    model: str | None
    stop_reason: str | None
    timestamp: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_creation_tokens: int | None
    cache_creation_5m_tokens: int | None
    cache_creation_1h_tokens: int | None
    cache_read_tokens: int | None
    web_search_requests: int | None
    web_fetch_requests: int | None
    service_tier: str | None
    response: str | None
    has_plain_text: int  # the content is a string, not a list of blocks


class Iteration(NamedTuple):
    """A part of `usage.iterations` that another model did, which is a response of its own."""

    idx: int
    type: str | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_creation_tokens: int | None
    cache_creation_5m_tokens: int | None
    cache_creation_1h_tokens: int | None
    cache_read_tokens: int | None
    response: str


class Block(NamedTuple):
    """One content block; the text of images and calls stands elsewhere or nowhere."""

    idx: int
    type: str | None
    text: str | None
    byte_size: int
    media_type: str | None
    details: str | None


class ToolUse(NamedTuple):
    """A call."""

    idx: int
    tool_use_id: str | None
    name: str | None
    input: str


class ToolResult(NamedTuple):
    """An answer to a call."""

    idx: int
    tool_use_id: str | None
    is_error: int | None


class Mention(NamedTuple):
    """An agent that a line of a result's text names."""

    idx: int
    agent_id: str


class Touch(NamedTuple):
    """A file that a call names."""

    idx: int
    path: str
    operation: str


class Content(NamedTuple):
    """A message's content, taken apart."""

    blocks: tuple[Block, ...] = ()
    uses: tuple[ToolUse, ...] = ()
    results: tuple[ToolResult, ...] = ()
    mentions: tuple[Mention, ...] = ()
    touches: tuple[Touch, ...] = ()


class Notice(NamedTuple):
    """The state of a background task; `result` is the report of a subagent."""

    task_id: str
    status: str
    kind: str = "task"  # the form of the notification: task, shell, agent
    summary: str | None = None
    result: str | None = None


class Words(NamedTuple):
    """What full-text search finds an entry by, in the order of the index's columns."""

    prompt: str | None
    answer: str | None
    thinking: str | None
    input: str | None
    result: str | None
    other: str | None


class Outcome(NamedTuple):
    """What `toolUseResult` says beyond the text that the model saw."""

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
    facts: str | None = None
    denial_kind: str | None = None  # of the entry, beside `toolUseResult`


class Entry(NamedTuple):
    """An object with a uuid: all that the index shows of it, save where it stands."""

    type: str | None
    subtype: str | None
    kind: str
    form: str | None
    is_typed: int
    is_command: int
    is_sidechain: int
    is_meta: int
    is_compact_summary: int
    is_api_error: int
    is_active: int | None
    timestamp: str | None
    agent_id: str | None
    named_agent_id: str | None
    tool_use_id: str | None
    parent_tool_use_id: str | None
    source_assistant_uuid: str | None
    text: str | None
    context: Context
    details: str | None
    parent: str | None
    logical_parent: str | None
    forked_from: str | None
    message: Message | None
    iterations: tuple[Iteration, ...]
    content: Content
    outcome: Outcome | None
    notices: tuple[Notice, ...]
    words: Words | None


class Unknown(NamedTuple):
    """A type or key that this version has no knowledge of."""

    kind: str
    name: str
    type: str
    version: str


class Parsed(NamedTuple):
    """What one object claims, and its content: an entry's, or a record's as JSON."""

    uuid: str | None
    session_id: str | None
    type: str | None
    at: int | None
    timestamp: str | None
    entry: Entry | None
    payload: str | None
    leaf: str | None
    notices: tuple[Notice, ...]
    unknown: tuple[Unknown, ...]
