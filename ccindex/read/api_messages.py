"""Add the rows of an API message: its ids, its token usage, and the responses from other models in it."""

from collections.abc import Iterator
from typing import Any

from ccindex.model.events import EntryRows, Row
from ccindex.read.json_values import flag, integer, mapping, string

SYNTHETIC_MODEL = "<synthetic>"  # recorded instead of a model if Claude Code itself wrote the message

_CacheWrites = tuple[int | None, int | None]  # tokens written to the 5-minute cache, and to the 1-hour cache


def add_message(rows: EntryRows, entry: int, value: dict[str, Any], wrapped: dict[str, Any]) -> None:
    """Add the API message of an assistant entry or of the assistant entry that an entry wraps, and its iterations.

    Synthetic and error messages have no response id.

    (rule: wrapped_response, response_identity, synthetic_entry)
    """
    is_wrapped = wrapped.get("type") == "assistant"
    if not is_wrapped and value.get("type") != "assistant":
        return
    holder = wrapped if is_wrapped else value
    message = mapping(holder.get("message"))
    get = message.get
    usage = mapping(get("usage"))
    count = usage.get
    message_id, request_id, model = string(get("id")), string(holder.get("requestId")), string(get("model"))
    is_error = flag(value.get("isApiErrorMessage")) or flag(holder.get("isApiErrorMessage"))
    response = None if is_error or model == SYNTHETIC_MODEL else message_id or request_id or value["uuid"]
    written = integer(count("cache_creation_input_tokens"))
    short, long = _cache_writes(usage)
    iterations, server = count("iterations"), count("server_tool_use")
    if type(iterations) is list and iterations:
        short, long = _complete_cache_writes(written, (short, long), iterations)
        if response is not None:
            rows.iterations.extend((entry, *row) for row in _other_iterations(iterations, response))
    searches = fetches = None
    if type(server) is dict:
        searches, fetches = integer(server.get("web_search_requests")), integer(server.get("web_fetch_requests"))
    rows.messages.append(
        (
            entry,
            int(is_wrapped),
            "" if message_id is not None and message_id == response else message_id,
            request_id,
            model,
            string(get("stop_reason")),
            string(holder.get("timestamp")) if is_wrapped else None,
            integer(count("input_tokens")),
            integer(count("output_tokens")),
            written,
            short,
            long,
            integer(count("cache_read_input_tokens")),
            searches,
            fetches,
            string(count("service_tier")),
            response,
            int(type(get("content")) is str),
        )
    )


def _cache_writes(usage: dict[str, Any]) -> _CacheWrites:
    split = usage.get("cache_creation")
    if type(split) is not dict:
        return None, None
    return integer(split.get("ephemeral_5m_input_tokens")), integer(split.get("ephemeral_1h_input_tokens"))


def _complete_cache_writes(written: int | None, split: _CacheWrites, iterations: list[Any]) -> _CacheWrites:
    """Return cache writes by lifetime, as recorded or, if the recorded numbers are incomplete, summed over iterations.

    The recorded numbers may cover only the first iteration.

    (rule: advisor_response)
    """
    covered = _sum(split)
    if covered and covered >= (written or 0):
        return split
    splits = [_cache_writes(item) for item in iterations if type(item) is dict and item.get("type") == "message"]
    short = sum(max(tokens or 0, 0) for tokens, _ in splits)
    long = sum(max(tokens or 0, 0) for _, tokens in splits)
    return (integer(short), integer(long)) if short + long > covered else split


def _sum(split: _CacheWrites) -> int:
    return sum(max(tokens or 0, 0) for tokens in split)


def _other_iterations(iterations: list[Any], response: str) -> Iterator[Row]:
    """Yield the iterations of other models, such as an advisor. The usage of the message excludes them.

    (rule: advisor_response)
    """
    for idx, item in enumerate(iterations):
        if type(item) is not dict:
            continue
        type_, model = string(item.get("type")), string(item.get("model"))
        if type_ in (None, "message") or model in (None, SYNTHETIC_MODEL):
            continue
        yield (
            idx,
            type_,
            model,
            integer(item.get("input_tokens")),
            integer(item.get("output_tokens")),
            integer(item.get("cache_creation_input_tokens")),
            *_cache_writes(item),
            integer(item.get("cache_read_input_tokens")),
            f"{response}#{idx}",
        )
