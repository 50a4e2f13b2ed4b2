"""Rows of the derived tables, which can be deleted and recomputed from the recorded tables.

Columns are in insert order.
"""

from typing import Annotated, NamedTuple

from ccindex.model.columns import Key, OneOf, Ref, RowId


class SessionRank(NamedTuple):
    """One row per session that contains an entry with copies: the times that decide which occurrence is the owner."""

    session: Annotated[int, Key("session_ids")]
    first_timestamp_ms: int
    first_own_timestamp_ms: int | None


class SessionKey(NamedTuple):
    """One row per session with at least one occurrence of an entry."""

    session: Annotated[int, Key("session_ids")]
    family: Annotated[int, RowId("session_ids"), "the same for all connected sessions, which are derived together"]


class SessionGraph(NamedTuple):
    """The columns of a session that are derived from the graph of its family."""

    relation: Annotated[str, OneOf("root", "continues", "forks")]
    parent: Annotated[int | None, Ref("session_ids")]
    attachment: Annotated[int | None, Ref("entries")]
    first_entry: Annotated[int | None, Ref("entries")]
    last_entry: Annotated[int | None, Ref("entries")]
    first_prompt: Annotated[int | None, Ref("entries")]
    title: str | None
    entry_count: int
    line_count: int
    branch_count: int
    agent_count: int
    compaction_count: int
    model_names: str | None
    first_prompt_text: Annotated[str | None, "text of first_prompt without an editor's context; NULL: as recorded"]


class SessionSpan(NamedTuple):
    """The columns that session lists are sorted and filtered by, and the locations of the session."""

    project: Annotated[str | None, "of its earliest entry"]
    first_timestamp_ms: Annotated[int | None, "timestamp_ms of first_entry"]
    last_timestamp_ms: Annotated[int | None, "timestamp_ms of last_entry"]
    worktree: Annotated[str | None, "path or name of its last git worktree; NULL: none, or the session left it"]
    relocated_from: Annotated[str | None, "working directory before the last recorded move"]
    relocated_to: Annotated[str | None, "working directory after that move"]
    teleported_from: Annotated[str | None, "id of the remote session it was fetched from"]


class StoredThread(NamedTuple):
    """One row per thread: a session without its subagents, or one of its subagents."""

    id: Annotated[int, Key()]
    session: Annotated[int, Ref("session_ids")]
    thread_id: str
    agent_id: Annotated[str | None, "NULL: the trunk of the session"]


class StoredLine(NamedTuple):
    """One row per line; first_entry and last_entry are its earliest and latest entries."""

    id: Annotated[int, Key()]
    thread: Annotated[int, Ref("threads")]
    line_id: str
    kind: Annotated[str, OneOf("trunk", "branch", "agent", "agent_branch")]
    parent: Annotated[int | None, Ref("lines")]
    parent_position: Annotated[
        int | None,
        "the last position of the parent line on a path through this line: the attachment, or the fork above it",
    ]
    attachment: Annotated[int | None, Ref("entries")]
    first_entry: Annotated[int, Ref("entries")]
    last_entry: Annotated[int, Ref("entries")]
    entry_count: int
    is_active: int


class StoredPlacement(NamedTuple):
    """One row per entry except ghosts: its effective parent, and its position or the fork that set it aside."""

    entry: Annotated[int, Key("entries")]
    thread: Annotated[int, Ref("threads")]
    line: Annotated[int | None, Ref("lines")]
    position: int | None
    set_aside_reason: Annotated[str | None, OneOf("replay", "structural"), "why it is on no line"]
    fork: Annotated[int | None, Ref("entries"), "the fork that set the entry aside or inlined it"]
    effective_parent: Annotated[int | None, Ref("entries")]
    fork_line: Annotated[int | None, Ref("lines"), "the line of the fork, if the entry was set aside"]


class ParentRepair(NamedTuple):
    """One row per effective parent that differs from the recorded one."""

    child: Annotated[int, Key("entries")]
    kind: Annotated[str, Key(), OneOf("spawn", "cut")]
    thread: Annotated[int, Ref("threads")]
    parent: Annotated[int | None, Ref("entries")]
    rule: Annotated[str | None, "the rule that found the spawn"]


class StoredRoot(NamedTuple):
    """One row per entry without a parent in its thread."""

    entry: Annotated[int, Key("entries")]
    thread: Annotated[int, Ref("threads")]
    kind: str
    is_expected: int


class StoredFork(NamedTuple):
    """One row per entry and thread in which it has several children: the ruling on these children."""

    entry: Annotated[int, Key("entries")]
    thread: Annotated[int, Key("threads")]
    line: Annotated[int, Ref("lines")]
    position: Annotated[int, "of the entry on the line, or of the fork that set the entry aside"]
    rung: int
    verdict: str
    child_count: int
    reason: str


class StoredJunction(NamedTuple):
    """One row per entry and line that continues from it; `thread` is the thread of the entry."""

    entry: Annotated[int, Key("entries")]
    target: Annotated[int, Key("lines")]
    thread: Annotated[int, Ref("threads")]
    kind: Annotated[str, OneOf("resume", "fork", "rewind", "retry", "agent")]
    ordinal: int


class StoredPath(NamedTuple):
    """One row per path, identified by the line it ends on."""

    line: Annotated[int, Key("lines")]
    number: Annotated[int, "within the session; conversation and agent paths are numbered separately"]
    root: Annotated[int, Ref("entries")]
    leaf: Annotated[int, Ref("entries")]
    fork: Annotated[int | None, Ref("entries")]
    entry_count: int
    compaction_count: int


class GraphDiagnostic(NamedTuple):
    """One row per diagnostic about the graph; rows are replaced together with the other derived rows of their entry."""

    entry: Annotated[int, Key("entries")]
    kind: Annotated[str, Key()]
    thread: Annotated[int, Ref("threads")]
    severity: str
    detail: str | None


class QueuedWords(NamedTuple):
    """One row per queued text that was removed from the queue and that no entry contains."""

    occurrence: Annotated[int, Key("occurrences")]
    session: Annotated[int, Ref("session_ids")]
    entry: Annotated[int | None, Ref("entries"), "the entry it is shown next to; NULL: the trunk has no entries"]
    text: str
    timestamp_ms: Annotated[int, "of the enqueue operation"]
    removed_by: Annotated[str, OneOf("remove", "popAll")]
    removed_ms: Annotated[int, "timestamp of that operation in milliseconds"]
    is_before: Annotated[int, "1: shown before the entry; 0: shown after it"]


class ToolPair(NamedTuple):
    """One row per tool_use id and session: the call, the result that answers it, or both."""

    tool_use_id: Annotated[str, Key()]
    session: Annotated[int, Key("session_ids")]
    use: Annotated[int | None, Ref("entries")]
    use_idx: int | None
    result: Annotated[int | None, Ref("entries")]
    result_idx: int | None
    timestamp_ms: Annotated[int | None, "of the call, else of the result"]
    duration_ms: Annotated[int | None, "from the call to the result"] = None
    outcome: Annotated[str, OneOf("pending", "ok", "error", "refused", "interrupted")] = "pending"


class StoredResponse(NamedTuple):
    """One row per API response: the entry it belongs to, and the usage with the most output tokens."""

    response_id: Annotated[str, Key(), "message id, else request id, else uuid"]
    entry: Annotated[int, Ref("entries")]
    session: Annotated[int, Ref("session_ids")]
    timestamp_ms: Annotated[int, "of that entry"]
    model: str | None
    entry_count: int
    input_tokens: int
    output_tokens: int
    cache_creation_5m_tokens: int
    cache_creation_1h_tokens: int
    cache_read_tokens: int
    is_final: Annotated[int, "1: a stop reason was recorded"]
    cost_nanousd: Annotated[int | None, "in billionths of a US dollar; NULL: the model has no price"]
    parent: Annotated[str | None, "the response that an iteration by another model is part of"]


class ModelPrice(NamedTuple):
    """One row per model, day of use and price tier: the list prices."""

    model: Annotated[str, Key()]
    day: Annotated[str, Key()]
    above_input_tokens: Annotated[int, Key(), "the tier applies to responses with more input tokens than this"]
    input: Annotated[float | None, "US dollars per million tokens; NULL: the model has no price"]
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None


class StoredAgent(NamedTuple):
    """One row per subagent, with or without a transcript."""

    session: Annotated[int, Key("session_ids")]
    agent_id: Annotated[str, Key()]
    thread: Annotated[int | None, Ref("threads")]
    name: str
    kind: Annotated[str, OneOf("task", "async", "teammate", "workflow", "unknown")]
    depth: int | None
    parent_agent_id: str | None
    spawn: Annotated[int | None, Ref("entries")]
    rule: Annotated[str | None, "the rule that found the spawn; recorded: it is the recorded parent of the first entry"]
    tool_use_id: str | None
    call: Annotated[int | None, Ref("entries")]
    result: Annotated[int | None, Ref("entries")]
    first_prompt: Annotated[int | None, Ref("entries"), "the agent's first prompt"]
    status: Annotated[str, OneOf("completed", "failed", "interrupted", "running", "unknown")]
    entry_count: int
    first_entry: Annotated[int | None, Ref("entries")]
    last_entry: Annotated[int | None, Ref("entries")]
    workflow_run: str | None


class CopyConflict(NamedTuple):
    """One row per uuid whose current occurrences differ in more than the session id and the slug."""

    entry: Annotated[int, Key("entries")]
    keys: Annotated[str, "the keys that differ, sorted and comma-separated"]
    severity: Annotated[str, "info: the content is the same"]
