"""The API message of an entry to its usage: tokens of the message, and of other models that took part in it."""

from collections.abc import Iterator
from typing import Any

from ccindex.model.facts import Iteration, Message

from .values import flag, integer, mapping, string

NO_MODEL = "<synthetic>"  # Claude Code's own words in an assistant's place

_Split = tuple[int | None, int | None]  # tokens written to the cache for five minutes, and for an hour


def usage_of(
    uuid: str, value: dict[str, Any], kind: str, wrapped: dict[str, Any]
) -> tuple[Message | None, tuple[Iteration, ...]]:
    """Read the entry's own message, or the one that an agent_progress entry carries."""
    if wrapped.get("type") == "assistant":
        return _read(uuid, mapping(wrapped.get("message")), wrapped, value)
    if kind == "assistant":
        return _read(uuid, mapping(value.get("message")), value, value)
    return None, ()


def _read(
    uuid: str, message: dict[str, Any], holder: dict[str, Any], value: dict[str, Any]
) -> tuple[Message, tuple[Iteration, ...]]:
    is_wrapped = holder is not value
    usage = mapping(message.get("usage"))
    server, iterations = mapping(usage.get("server_tool_use")), usage.get("iterations")
    message_id, request_id = string(message.get("id")), string(holder.get("requestId"))
    model = string(message.get("model"))
    is_error = flag(value.get("isApiErrorMessage")) or flag(holder.get("isApiErrorMessage"))
    response = None if is_error or model == NO_MODEL else message_id or request_id or uuid
    written, split = integer(usage.get("cache_creation_input_tokens")), _split(usage)
    others: tuple[Iteration, ...] = ()
    if type(iterations) is list and iterations:
        split = _whole_split(written, split, iterations)
        others = tuple(_others(iterations, response)) if response is not None else ()
    found = Message(
        int(is_wrapped),
        message_id,
        request_id,
        model,
        string(message.get("stop_reason")),
        string(holder.get("timestamp")) if is_wrapped else None,
        integer(usage.get("input_tokens")),
        integer(usage.get("output_tokens")),
        written,
        *split,
        integer(usage.get("cache_read_input_tokens")),
        integer(server.get("web_search_requests")),
        integer(server.get("web_fetch_requests")),
        string(usage.get("service_tier")),
        response,
        int(type(message.get("content")) is str),
    )
    return found, others


def _split(usage: dict[str, Any]) -> _Split:
    split = mapping(usage.get("cache_creation"))
    return integer(split.get("ephemeral_5m_input_tokens")), integer(split.get("ephemeral_1h_input_tokens"))


def _whole_split(written: int | None, split: _Split, iterations: list[Any]) -> _Split:
    """The split of all iterations where that of the total, which may cover the first only, falls short of the total."""
    covered = _sum(split)
    if covered and covered >= (written or 0):
        return split
    splits = [_split(item) for item in iterations if type(item) is dict and item.get("type") == "message"]
    short = sum(max(tokens or 0, 0) for tokens, _ in splits)
    long = sum(max(tokens or 0, 0) for _, tokens in splits)
    return (integer(short), integer(long)) if short + long > covered else split


def _sum(split: _Split) -> int:
    return sum(max(tokens or 0, 0) for tokens in split)


def _others(iterations: list[Any], response: str) -> Iterator[Iteration]:
    """Iterations of another model, such as an advisor's; the totals do not include them."""
    for idx, item in enumerate(iterations):
        if type(item) is not dict:
            continue
        type_, model = string(item.get("type")), string(item.get("model"))
        if type_ in (None, "message") or model in (None, NO_MODEL):
            continue
        yield Iteration(
            idx,
            type_,
            model,
            integer(item.get("input_tokens")),
            integer(item.get("output_tokens")),
            integer(item.get("cache_creation_input_tokens")),
            *_split(item),
            integer(item.get("cache_read_input_tokens")),
            f"{response}#{idx}",
        )
