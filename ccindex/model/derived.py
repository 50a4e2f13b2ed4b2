"""Rows of the derived tables, which can be deleted and computed again from recorded rows.

Columns are in insert order.
"""

from typing import Annotated, NamedTuple

from ccindex.model.columns import Key, OneOf, Ref


class SessionRank(NamedTuple):
    """One row per session that shares uuids with others: its rank in the election of a copy's owner."""

    session: Annotated[int, Key("session_ids")]
    first_at: int
    first_own_at: int | None


class SessionKey(NamedTuple):
    """One row per session id that an occurrence with a uuid claims."""

    session: Annotated[int, Key("session_ids")]
    family: Annotated[int, "the same number for sessions that are connected, which are derived together"]


class SessionGraph(NamedTuple):
    """The columns of a session that come from the graph of its family."""

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
    first_words: Annotated[str | None, "of first_prompt, if they differ from its text: after the context of an editor"]


class SessionSpan(NamedTuple):
    """The columns of a session that lists sort and filter by, and where it runs."""

    project: Annotated[str | None, "of its earliest entry"]
    first_at: Annotated[int | None, "timestamp_ms of first_entry"]
    last_at: Annotated[int | None, "timestamp_ms of last_entry"]
    worktree: Annotated[str | None, "path of its last git worktree; NULL: none, or it left it"]
    relocated_from: Annotated[str | None, "working directory before the last recorded move"]
    relocated_to: Annotated[str | None, "working directory after it"]
    teleported_from: Annotated[str | None, "id of the remote session it was fetched from"]


class Thread(NamedTuple):
    """One row per trunk of a session and per agent of it."""

    id: Annotated[int, Key()]
    session: Annotated[int, Ref("session_ids")]
    thread_id: str
    agent_id: Annotated[str | None, "NULL: the trunk of the session"]


class StoredLine(NamedTuple):
    """One row per DAG-line; its first and last entry are by time."""

    id: Annotated[int, Key()]
    thread: Annotated[int, Ref("threads")]
    line_id: str
    kind: Annotated[str, OneOf("trunk", "branch", "agent", "agent_branch")]
    parent: Annotated[int | None, Ref("lines")]
    parent_position: Annotated[
        int | None, "how far a path follows the parent line: to the attachment, or the fork above"
    ]
    attachment: Annotated[int | None, Ref("entries")]
    first_entry: Annotated[int, Ref("entries")]
    last_entry: Annotated[int, Ref("entries")]
    entry_count: int
    is_active: int


class Placement(NamedTuple):
    """One row per entry: its effective parent, and its position on a line or the fork that set it aside."""

    entry: Annotated[int, Key("entries")]
    thread: Annotated[int, Ref("threads")]
    line: Annotated[int | None, Ref("lines")]
    position: int | None
    set_aside_reason: Annotated[str | None, OneOf("replay", "structural"), "why it is on no line"]
    fork: Annotated[int | None, Ref("entries"), "that set it aside, or put it on the line beside its sibling"]
    effective_parent: Annotated[int | None, Ref("entries")]
    fork_line: Annotated[int | None, Ref("lines"), "of an entry that was set aside: the line that owns the fork"]


class ParentRepair(NamedTuple):
    """One row per effective parent that differs from the recorded one."""

    child: Annotated[int, Key("entries")]
    kind: Annotated[str, Key(), OneOf("spawn", "cut")]
    thread: Annotated[int, Ref("threads")]
    parent: Annotated[int | None, Ref("entries")]
    rule: Annotated[str | None, "that found the spawn"]


class StoredRoot(NamedTuple):
    """One row per entry without a parent in its thread."""

    entry: Annotated[int, Key("entries")]
    thread: Annotated[int, Ref("threads")]
    kind: str
    is_expected: int


class StoredFork(NamedTuple):
    """One row per ruling on several children of an entry in one thread, which is theirs."""

    entry: Annotated[int, Key("entries")]
    thread: Annotated[int, Key("threads")]
    line: Annotated[int, Ref("lines")]
    position: Annotated[int, "of the entry on the line; of an entry that was set aside, of the fork that did it"]
    rung: int
    verdict: str
    child_count: int
    reason: str


class StoredJunction(NamedTuple):
    """One row per entry and line that leaves from it; the thread is that of the entry."""

    entry: Annotated[int, Key("entries")]
    target: Annotated[int, Key("lines")]
    thread: Annotated[int, Ref("threads")]
    kind: Annotated[str, OneOf("resume", "fork", "rewind", "retry", "agent")]
    ordinal: int


class StoredPath(NamedTuple):
    """One row per path, identified by the line it ends on."""

    line: Annotated[int, Key("lines")]
    number: Annotated[int, "within the session, numbered apart for conversation and agents"]
    root: Annotated[int, Ref("entries")]
    leaf: Annotated[int, Ref("entries")]
    fork: Annotated[int | None, Ref("entries")]
    entry_count: int
    compaction_count: int


class GraphDiagnostic(NamedTuple):
    """One row per irregularity of the graph, replaced with the rows of its entry."""

    entry: Annotated[int, Key("entries")]
    kind: Annotated[str, Key()]
    thread: Annotated[int, Ref("threads")]
    severity: str
    detail: str | None


class QueuedWords(NamedTuple):
    """One row per text that a person queued, that was removed from the queue and that no entry contains."""

    occurrence: Annotated[int, Key("occurrences")]
    session: Annotated[int, Ref("session_ids")]
    entry: Annotated[int | None, Ref("entries"), "next to which it is shown; NULL: the trunk has none"]
    text: str
    timestamp_ms: Annotated[int, "of the enqueue operation"]
    removed_by: Annotated[str, OneOf("remove", "popAll")]
    removed_at: Annotated[int, "timestamp of that operation in milliseconds"]
    is_before: Annotated[int, "1: it precedes the entry; 0: it follows it"]


class ToolPair(NamedTuple):
    """One row per tool_use id in a session: the call, and the result that answers it."""

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
    """One row per API response: the entry it belongs to, and the usage of its fullest snapshot."""

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
    cost: Annotated[int | None, "in billionths of a US dollar; NULL: the model has no price"]
    parent: Annotated[str | None, "of an iteration of another model: the response it took part in"]


class ModelPrice(NamedTuple):
    """One row per model, day it was used on and tier: its list prices."""

    model: Annotated[str, Key()]
    day: Annotated[str, Key()]
    above: Annotated[int, Key(), "the prices apply to responses with more input tokens than this"]
    input: Annotated[float | None, "US dollars per million tokens; NULL: the model has no price"]
    output: float | None
    cache_read: float | None
    cache_write_5m: float | None
    cache_write_1h: float | None


class Agent(NamedTuple):
    """One row per subagent, with or without a transcript."""

    session: Annotated[int, Key("session_ids")]
    agent_id: Annotated[str, Key()]
    thread: Annotated[int | None, Ref("threads")]
    name: str
    kind: Annotated[str, OneOf("task", "async", "teammate", "workflow", "unknown")]
    depth: int | None
    parent_agent_id: str | None
    spawn: Annotated[int | None, Ref("entries")]
    rule: Annotated[str | None, "that found the spawn; recorded: its first entry names it"]
    tool_use_id: str | None
    call: Annotated[int | None, Ref("entries")]
    result: Annotated[int | None, Ref("entries")]
    told: Annotated[int | None, Ref("entries")]
    status: Annotated[str, OneOf("completed", "failed", "interrupted", "running", "unknown")]
    entry_count: int
    first_entry: Annotated[int | None, Ref("entries")]
    last_entry: Annotated[int | None, Ref("entries")]
    workflow_run: str | None


class CopyConflict(NamedTuple):
    """One row per uuid whose current copies differ in more than the session they claim."""

    entry: Annotated[int, Key("entries")]
    keys: Annotated[str, "that differ, sorted, comma-separated"]
    severity: Annotated[str, "info: the content is the same"]
