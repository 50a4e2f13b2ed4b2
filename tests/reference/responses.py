"""Group the assistant messages of all threads into API responses (rule: response_identity, wrapped_response)."""

from typing import Any, NamedTuple

from .entries import Entry
from .entry_graph import EntryGraph
from .objects import as_count, as_object, as_text

_LIFETIMES = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")


class Member(NamedTuple):
    """An assistant message: an entry's own message, or a message inside a progress entry."""

    entry: Entry
    message: dict[str, Any]
    request: str | None
    agent: str | None

    @property
    def key(self) -> str:
        return as_text(self.message.get("id")) or self.request or self.entry.uuid

    @property
    def usage(self) -> dict[str, Any]:
        return as_object(self.message.get("usage"))

    @property
    def iterations(self) -> list[Any]:
        found = self.usage.get("iterations")
        return found if isinstance(found, list) else []

    @property
    def others(self) -> dict[int, dict[str, Any]]:
        """The iterations that are not of type `message` and have their own model, by index (rule: advisor_response)."""
        named = {index: as_object(item) for index, item in enumerate(self.iterations)}
        return {
            index: item
            for index, item in named.items()
            if as_text(item.get("type")) not in (None, "message")
            and as_text(item.get("model")) not in (None, "<synthetic>")
        }

    @property
    def split(self) -> dict[str, Any]:
        """The cache writes by lifetime: the recorded split or, if it is incomplete, the sums over the iterations."""
        own = as_object(self.usage.get("cache_creation"))
        covered = sum(_tokens(own, key) for key in _LIFETIMES)
        if covered and covered >= _tokens(self.usage, "cache_creation_input_tokens"):
            return own
        parts = [as_object(item) for item in self.iterations if as_object(item).get("type") == "message"]
        summed = {key: sum(_tokens(as_object(part.get("cache_creation")), key) for part in parts) for key in _LIFETIMES}
        return summed if sum(summed.values()) > covered else own

    @property
    def model(self) -> str | None:
        return as_text(self.message.get("model"))

    @property
    def is_response(self) -> bool:
        return self.model != "<synthetic>" and not self.entry.flag("isApiErrorMessage")


class Response(NamedTuple):
    """A response: the member that owns it, all of its members, and its row."""

    owner: Member
    members: list[Member]
    row: list[Any]


def responses(graph: EntryGraph) -> list[list[Any]]:
    """Return the rows of `v1_responses`, without the cost."""
    return [response.row for response in all_responses(graph)]


def all_responses(graph: EntryGraph) -> list[Response]:
    """Return every response. A response of another model inside a response is listed separately, without members."""
    groups: dict[str, list[Member]] = {}
    for uuid in graph.by_time(graph.entries):
        member = _member(graph, graph.entries[uuid])
        if member is not None and member.is_response:
            groups.setdefault(member.key, []).append(member)
    found = [Response(_owner(members), members, _row(key, members)) for key, members in groups.items()]
    for key, members in groups.items():
        for index in sorted({index for member in members for index in member.others}):
            name = f"{key}#{index}"
            if name not in groups:
                holders = [member for member in members if index in member.others]
                found.append(Response(_owner(members), [], _other_row(name, members, holders, index)))
    return found


def _owner(members: list[Member]) -> Member:
    """Return the first member that is not in a sidechain or, failing that, the first member (rule: response_owner)."""
    return [*(member for member in members if not member.entry.flag("isSidechain")), *members][0]


def _member(graph: EntryGraph, entry: Entry) -> Member | None:
    if entry.kind == "assistant":
        thread = graph.threads[graph.thread_of[entry.uuid]]
        return Member(entry, as_object(entry.value.get("message")), as_text(entry.value.get("requestId")), thread.agent)
    data = as_object(entry.value.get("data"))
    wrapped = as_object(data.get("message"))
    if wrapped.get("type") == "assistant":
        is_named = as_text(data.get("type")) == "agent_progress"
        agent = as_text(data.get("agentId")) or (as_text(entry.value.get("agentId")) if is_named else None)
        return Member(entry, as_object(wrapped.get("message")), as_text(wrapped.get("requestId")), agent)
    return None


def _row(key: str, members: list[Member]) -> list[Any]:
    """Return the row of a response, given its members in time order (rule: fullest_snapshot)."""
    most = max(_tokens(member.usage, "output_tokens") for member in members)
    fullest = [member for member in members if _tokens(member.usage, "output_tokens") == most][-1]
    owner = _owner(members)
    return [
        key,
        owner.request,
        owner.entry.session,
        owner.agent,
        next((member.model for member in (fullest, *reversed(members)) if member.model), None),
        owner.entry.stamp,
        len(members),
        *_token_counts(fullest.usage, fullest.split),
        int(any(as_text(member.message.get("stop_reason")) for member in members)),
    ]


def _other_row(name: str, members: list[Member], holders: list[Member], index: int) -> list[Any]:
    """Return the row of a response by another model, which has the same owner as the enclosing response."""
    owner = _owner(members)
    usages = [member.others[index] for member in holders]
    most = max(_tokens(usage, "output_tokens") for usage in usages)
    fullest = [usage for usage in usages if _tokens(usage, "output_tokens") == most][-1]
    is_final = any(as_text(member.message.get("stop_reason")) for member in holders)
    place = [owner.request, owner.entry.session, owner.agent, as_text(fullest.get("model")), owner.entry.stamp]
    return [
        name,
        *place,
        len(holders),
        *_token_counts(fullest, as_object(fullest.get("cache_creation"))),
        int(is_final),
    ]


def _token_counts(usage: dict[str, Any], split: dict[str, Any]) -> list[int]:
    """Return the token counts: input, output, five-minute and one-hour cache writes, and cache reads."""
    hour = _tokens(split, "ephemeral_1h_input_tokens")
    unsplit = _tokens(usage, "cache_creation_input_tokens") - hour
    return [
        _tokens(usage, "input_tokens"),
        _tokens(usage, "output_tokens"),
        max(_tokens(split, "ephemeral_5m_input_tokens"), unsplit, 0),
        hour,
        _tokens(usage, "cache_read_input_tokens"),
    ]


def _tokens(usage: dict[str, Any], key: str) -> int:
    return as_count(usage.get(key)) or 0
