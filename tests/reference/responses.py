"""Assistant messages of all threads to API responses: an id counts once (SEMANTICS.md, 11)."""

from typing import Any, NamedTuple

from .facts import Entry
from .objects import table, whole, word
from .world import World


class Member(NamedTuple):
    """An assistant message: an entry's own, or one that an entry wraps."""

    entry: Entry
    message: dict[str, Any]
    request: str | None
    agent: str | None

    @property
    def key(self) -> str:
        return word(self.message.get("id")) or self.request or self.entry.uuid

    @property
    def usage(self) -> dict[str, Any]:
        return table(self.message.get("usage"))

    @property
    def model(self) -> str | None:
        return word(self.message.get("model"))

    @property
    def is_response(self) -> bool:
        return self.model != "<synthetic>" and not self.entry.flag("isApiErrorMessage")


def responses(world: World) -> list[list[Any]]:
    """The rows of `v1_responses`, without the cost."""
    groups: dict[str, list[Member]] = {}
    for uuid in world.by_time(world.entries):
        member = _member(world, world.entries[uuid])
        if member is not None and member.is_response:
            groups.setdefault(member.key, []).append(member)
    return [_row(key, members) for key, members in groups.items()]


def _member(world: World, entry: Entry) -> Member | None:
    if entry.kind == "assistant":
        thread = world.threads[world.thread_of[entry.uuid]]
        return Member(entry, table(entry.value.get("message")), word(entry.value.get("requestId")), thread.agent)
    data = table(entry.value.get("data"))
    wrapped = table(data.get("message"))
    if wrapped.get("type") == "assistant":
        return Member(entry, table(wrapped.get("message")), word(wrapped.get("requestId")), word(data.get("agentId")))
    return None


def _row(key: str, members: list[Member]) -> list[Any]:
    """One response; its members are by time."""
    most = max(_tokens(member.usage, "output_tokens") for member in members)
    fullest = [member for member in members if _tokens(member.usage, "output_tokens") == most][-1]
    owner = [*(member for member in members if not member.entry.flag("isSidechain")), *members][0]
    usage = fullest.usage
    split = table(usage.get("cache_creation"))
    hour = _tokens(split, "ephemeral_1h_input_tokens")
    unsplit = _tokens(usage, "cache_creation_input_tokens") - hour
    return [
        key,
        owner.request,
        owner.entry.session,
        owner.agent,
        next((member.model for member in (fullest, *reversed(members)) if member.model), None),
        owner.entry.stamp,
        len(members),
        _tokens(usage, "input_tokens"),
        most,
        max(_tokens(split, "ephemeral_5m_input_tokens"), unsplit, 0),
        hour,
        _tokens(usage, "cache_read_input_tokens"),
        int(any(word(member.message.get("stop_reason")) for member in members)),
    ]


def _tokens(usage: dict[str, Any], key: str) -> int:
    return whole(usage.get(key)) or 0
