"""Assistant messages of all threads to API responses: an id counts once (SEMANTICS.md, 11)."""

from typing import Any, NamedTuple

from .facts import Entry
from .objects import table, whole, word
from .world import World

_LIFETIMES = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")


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
    def iterations(self) -> list[Any]:
        found = self.usage.get("iterations")
        return found if isinstance(found, list) else []

    @property
    def others(self) -> dict[int, dict[str, Any]]:
        """Iterations of a type other than message that have a model of their own, by index."""
        named = {index: table(item) for index, item in enumerate(self.iterations)}
        return {
            index: item
            for index, item in named.items()
            if word(item.get("type")) not in (None, "message") and word(item.get("model")) not in (None, "<synthetic>")
        }

    @property
    def split(self) -> dict[str, Any]:
        """Cache lifetimes: the total's, or those of all iterations where the total lacks some."""
        own = table(self.usage.get("cache_creation"))
        covered = sum(_tokens(own, key) for key in _LIFETIMES)
        if covered and covered >= _tokens(self.usage, "cache_creation_input_tokens"):
            return own
        parts = [table(item) for item in self.iterations if table(item).get("type") == "message"]
        summed = {key: sum(_tokens(table(part.get("cache_creation")), key) for part in parts) for key in _LIFETIMES}
        return summed if sum(summed.values()) > covered else own

    @property
    def model(self) -> str | None:
        return word(self.message.get("model"))

    @property
    def is_response(self) -> bool:
        return self.model != "<synthetic>" and not self.entry.flag("isApiErrorMessage")


class Response(NamedTuple):
    """The member that a response belongs to, all of its members, and its row."""

    owner: Member
    members: list[Member]
    row: list[Any]


def responses(world: World) -> list[list[Any]]:
    """The rows of `v1_responses`, without the cost."""
    return [response.row for response in all_responses(world)]


def all_responses(world: World) -> list[Response]:
    """Return every response; one of another model, which a response mentions, has no members."""
    groups: dict[str, list[Member]] = {}
    for uuid in world.by_time(world.entries):
        member = _member(world, world.entries[uuid])
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
    """Return the first member outside of sidechains, else the first."""
    return [*(member for member in members if not member.entry.flag("isSidechain")), *members][0]


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
    owner = _owner(members)
    return [
        key,
        owner.request,
        owner.entry.session,
        owner.agent,
        next((member.model for member in (fullest, *reversed(members)) if member.model), None),
        owner.entry.stamp,
        len(members),
        *_took(fullest.usage, fullest.split),
        int(any(word(member.message.get("stop_reason")) for member in members)),
    ]


def _other_row(name: str, members: list[Member], holders: list[Member], index: int) -> list[Any]:
    """The response of another model: it belongs to the entry that the response around it belongs to."""
    owner = _owner(members)
    said = [member.others[index] for member in holders]
    most = max(_tokens(usage, "output_tokens") for usage in said)
    fullest = [usage for usage in said if _tokens(usage, "output_tokens") == most][-1]
    is_final = any(word(member.message.get("stop_reason")) for member in holders)
    place = [owner.request, owner.entry.session, owner.agent, word(fullest.get("model")), owner.entry.stamp]
    return [name, *place, len(holders), *_took(fullest, table(fullest.get("cache_creation"))), int(is_final)]


def _took(usage: dict[str, Any], split: dict[str, Any]) -> list[int]:
    """Input, output, cache writes for five minutes and for an hour, cache reads."""
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
    return whole(usage.get(key)) or 0
