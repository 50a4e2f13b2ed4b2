"""Groups the assistant messages of all threads into API responses: an id counts once (SEMANTICS.md, 11)."""

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
    return [row for key, members in groups.items() for row in _rows(key, members)]


def _member(world: World, entry: Entry) -> Member | None:
    if entry.kind == "assistant":
        thread = world.threads[world.thread_of[entry.uuid]]
        return Member(entry, table(entry.value.get("message")), word(entry.value.get("requestId")), thread.agent)
    data = table(entry.value.get("data"))
    wrapped = table(data.get("message"))
    if wrapped.get("type") == "assistant":
        return Member(entry, table(wrapped.get("message")), word(wrapped.get("requestId")), word(data.get("agentId")))
    return None


def _rows(key: str, members: list[Member]) -> list[list[Any]]:
    """One response and the responses of other models within it; the members are by time."""
    most = max(_tokens(member.usage, "output_tokens") for member in members)
    fullest = [member for member in members if _tokens(member.usage, "output_tokens") == most][-1]
    iterations = _iterations(fullest.usage)
    model = next((member.model for member in (fullest, *reversed(members)) if member.model), None)
    found = [_row(key, members, model, _counts(fullest.usage, iterations))]
    for index, iteration in enumerate(iterations):
        model = word(iteration.get("model"))
        if iteration.get("type") != "message" and model is not None:
            found.append(_row(f"{key}#{index}", members, model, _counts(iteration, [])))
    return found


def _iterations(usage: dict[str, Any]) -> list[dict[str, Any]]:
    found = usage.get("iterations")
    return [table(item) for item in found] if isinstance(found, list) else []


def _row(key: str, members: list[Member], model: str | None, counts: list[int]) -> list[Any]:
    owner = [*(member for member in members if not member.entry.flag("isSidechain")), *members][0]
    is_final = any(word(member.message.get("stop_reason")) for member in members)
    place = [owner.request, owner.entry.session, owner.agent]
    return [key, *place, model, owner.entry.stamp, len(members), *counts, int(is_final)]


def _counts(usage: dict[str, Any], iterations: list[dict[str, Any]]) -> list[int]:
    """Input, output, five-minute and one-hour cache writes, cache reads."""
    total = _tokens(usage, "cache_creation_input_tokens")
    brief, hour = _lifetimes(usage)
    if brief + hour < total:
        # the split of the total may cover the first iteration only
        parts = [_lifetimes(item) for item in iterations if item.get("type") == "message"]
        summed = sum(part[0] for part in parts), sum(part[1] for part in parts)
        brief, hour = max((brief, hour), summed, key=sum)
    written = [max(brief, total - hour, 0), hour]
    return [
        _tokens(usage, "input_tokens"),
        _tokens(usage, "output_tokens"),
        *written,
        _tokens(usage, "cache_read_input_tokens"),
    ]


def _lifetimes(usage: dict[str, Any]) -> tuple[int, int]:
    split = table(usage.get("cache_creation"))
    return _tokens(split, "ephemeral_5m_input_tokens"), _tokens(split, "ephemeral_1h_input_tokens")


def _tokens(usage: dict[str, Any], key: str) -> int:
    return whole(usage.get(key)) or 0
