"""Parse message content of any shape into blocks, tool calls, tool results, file touches and token usage."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from ccindex.model.recorded import Block, Content, FileTouch, Iteration, Mention, Message, ToolResult, ToolUse
from ccindex.read.json_values import (
    dumps_and_values,
    dumps_trimmed,
    flag,
    flag_or_none,
    integer,
    mapping,
    string,
    utf8_size,
)

_FILE_KEY, _PATH_KEYS = ("file_path",), ("file_path", "abs_path", "path")
# by tool name: the operation, and the input keys to try in order until one contains a path
_FILE_TOOLS = {
    "Read": ("read", _FILE_KEY),
    "Write": ("write", _FILE_KEY),
    "Edit": ("edit", _FILE_KEY),
    "MultiEdit": ("edit", _FILE_KEY),
    "NotebookRead": ("notebook", ("notebook_path",)),
    "NotebookEdit": ("notebook", ("notebook_path",)),
    "Grep": ("search", ("path",)),
    "Glob": ("search", ("path",)),
    "LS": ("search", ("path",)),
    # tools of editors that run Claude Code through the Agent Client Protocol; older editors use lower-case names
    "mcp__acp__Read": ("read", _PATH_KEYS),
    "mcp__acp__Write": ("write", _PATH_KEYS),
    "mcp__acp__Edit": ("edit", _PATH_KEYS),
    "mcp__acp__MultiEdit": ("edit", _PATH_KEYS),
    "mcp__acp__read": ("read", _PATH_KEYS),
    "mcp__acp__write": ("write", _PATH_KEYS),
    "mcp__acp__edit": ("edit", _PATH_KEYS),
    # tools of the Model Context Protocol (MCP) file system server
    "mcp__filesystem__read_file": ("read", _PATH_KEYS),
    "mcp__filesystem__read_text_file": ("read", _PATH_KEYS),
    "mcp__filesystem__read_media_file": ("read", _PATH_KEYS),
    "mcp__filesystem__get_file_info": ("read", _PATH_KEYS),
    "mcp__filesystem__write_file": ("write", _PATH_KEYS),
    "mcp__filesystem__create_directory": ("write", _PATH_KEYS),
    "mcp__filesystem__edit_file": ("edit", _PATH_KEYS),
    "mcp__filesystem__list_directory": ("search", _PATH_KEYS),
    "mcp__filesystem__list_directory_with_sizes": ("search", _PATH_KEYS),
    "mcp__filesystem__directory_tree": ("search", _PATH_KEYS),
    "mcp__filesystem__search_files": ("search", _PATH_KEYS),
}
# by name, for tools that take several files: the operation, and the input keys that contain a path or a list of paths
_MULTI_FILE_TOOLS = {
    "mcp__filesystem__read_multiple_files": ("read", ("paths",)),
    "mcp__filesystem__move_file": ("write", ("source", "destination")),
}


def find_touches(idx: int, tool: str | None, tool_input: Any) -> tuple[FileTouch, ...]:
    """Return one row per distinct file path in a tool's input, or no rows if the tool does not work on files."""
    if tool is None or type(tool_input) is not dict:
        return ()
    if tool in _FILE_TOOLS:
        operation, keys = _FILE_TOOLS[tool]
        path = next(filter(None, (string(tool_input.get(key)) for key in keys)), None)
        return () if path is None else (FileTouch(idx, path, operation),)
    if tool in _MULTI_FILE_TOOLS:
        operation, keys = _MULTI_FILE_TOOLS[tool]
        return tuple(FileTouch(idx, path, operation) for path in dict.fromkeys(_paths(tool_input, keys)))
    return ()


def _paths(tool_input: dict[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        value = tool_input.get(key)
        for item in value if type(value) is list else (value,):
            path = string(item)
            if path is not None:
                yield path


SYNTHETIC_MODEL = "<synthetic>"  # recorded instead of a model if Claude Code itself wrote the message

_CacheWrites = tuple[int | None, int | None]  # tokens written to the 5-minute cache, and to the 1-hour cache


def parse_message(
    uuid: str, value: dict[str, Any], kind: str, wrapped: dict[str, Any]
) -> tuple[Message | None, tuple[Iteration, ...]]:
    """Parse the API message that an entry contains or wraps, and its iterations (rule: wrapped_response)."""
    if wrapped.get("type") == "assistant":
        return _parse_message(uuid, mapping(wrapped.get("message")), wrapped, value)
    if kind == "assistant":
        return _parse_message(uuid, mapping(value.get("message")), value, value)
    return None, ()


def _parse_message(
    uuid: str, message: dict[str, Any], holder: dict[str, Any], value: dict[str, Any]
) -> tuple[Message, tuple[Iteration, ...]]:
    """Parse a message. Synthetic and error messages have no response id (rule: response_identity, synthetic_entry).

    `holder` is the object that contains the message: the entry `value` itself, or the object that the entry wraps.
    """
    is_wrapped = holder is not value
    usage = mapping(message.get("usage"))
    server, iterations = mapping(usage.get("server_tool_use")), usage.get("iterations")
    message_id, request_id = string(message.get("id")), string(holder.get("requestId"))
    model = string(message.get("model"))
    is_error = flag(value.get("isApiErrorMessage")) or flag(holder.get("isApiErrorMessage"))
    response = None if is_error or model == SYNTHETIC_MODEL else message_id or request_id or uuid
    written, split = integer(usage.get("cache_creation_input_tokens")), _cache_writes(usage)
    other_iterations: tuple[Iteration, ...] = ()
    if type(iterations) is list and iterations:
        split = _complete_cache_writes(written, split, iterations)
        other_iterations = tuple(_other_iterations(iterations, response)) if response is not None else ()
    row = Message(
        int(is_wrapped),
        "" if message_id is not None and message_id == response else message_id,
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
    return row, other_iterations


def _cache_writes(usage: dict[str, Any]) -> _CacheWrites:
    split = mapping(usage.get("cache_creation"))
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


def _other_iterations(iterations: list[Any], response: str) -> Iterator[Iteration]:
    """Yield the iterations of other models, such as an advisor. The usage of the message excludes them.

    (rule: advisor_response)
    """
    for idx, item in enumerate(iterations):
        if type(item) is not dict:
            continue
        type_, model = string(item.get("type")), string(item.get("model"))
        if type_ in (None, "message") or model in (None, SYNTHETIC_MODEL):
            continue
        yield Iteration(
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


_MAX_DETAILS_CHARS = 4_000
# matches lines such as: agentId: a1b2c3 (for resuming to continue this agent's work if needed)
_AGENT_LINE = re.compile(r"^agentId: (\S+)", re.MULTILINE)


class ParsedContent(NamedTuple):
    """The content of a message, and the search text of every tool input, by block index."""

    content: Content
    inputs: Mapping[int, str]


_EMPTY = ParsedContent(Content(), {})


def parse_content(message: Any) -> ParsedContent:
    """Parse a message, or the content of one. Content that is a string becomes one text block."""
    content = message.get("content") if type(message) is dict else message
    if type(content) is list:
        return _parse_blocks(content)
    if type(content) is str:
        return ParsedContent(Content((Block(0, "text", content, utf8_size(content), None, None),)), {})
    return _EMPTY


def _parse_blocks(items: list[Any]) -> ParsedContent:
    if len(items) == 1:  # the usual case: Claude Code writes one line per block
        return _parse_block(0, items[0])
    parts = [_parse_block(idx, item) for idx, item in enumerate(items)]
    columns = zip(*(part.content for part in parts), strict=True)
    inputs = {idx: text for part in parts for idx, text in part.inputs.items()}
    return ParsedContent(Content(*(tuple(chain.from_iterable(column)) for column in columns)), inputs)


def _parse_block(idx: int, item: Any) -> ParsedContent:
    block = item if type(item) is dict else {"text": item}
    type_ = string(block.get("type"))
    if type_ == "tool_use":
        return _parse_tool_use(idx, block)
    if type_ == "tool_result":
        return _parse_tool_result(idx, block)
    return ParsedContent(Content((_other_block(idx, type_, block),)), {})


def _parse_tool_use(idx: int, block: dict[str, Any]) -> ParsedContent:
    tool_input, name = block.get("input"), string(block.get("name"))
    input_json, search_text = dumps_and_values(tool_input)
    use = ToolUse(idx, string(block.get("id")), name, input_json)
    row = Block(idx, "tool_use", None, utf8_size(input_json), None, None)
    return ParsedContent(Content((row,), (use,), (), (), find_touches(idx, name, tool_input)), {idx: search_text})


def _parse_tool_result(idx: int, block: dict[str, Any]) -> ParsedContent:
    result = ToolResult(idx, string(block.get("tool_use_id")), flag_or_none(block.get("is_error")))
    row = _result_block(idx, block.get("content"))
    agents = _mentioned_agents(row.text) if row.text else ()
    return ParsedContent(Content((row,), (), (result,), tuple(Mention(idx, agent) for agent in agents)), {})


def _mentioned_agents(text: str) -> Iterable[str]:
    """Return the distinct ids in the `agentId:` lines of a result."""
    if "agentId: " not in text:  # ten times as fast as the pattern
        return ()
    return dict.fromkeys(_AGENT_LINE.findall(text))


def joined_text(content: Content) -> str:
    """Return the texts of all text blocks, joined by newlines (rule: entry_text)."""
    return "\n".join([block.text for block in content.blocks if block.type == "text" and block.text])


def first_result_text(content: Content) -> str:
    """Return the text of the first tool result, or "" if there is none."""
    return next((block.text or "" for block in content.blocks if block.type == "tool_result"), "")


def error_text(content: Content) -> str | None:
    """Return the text of the tool result if there is exactly one and it is an error, else None."""
    return first_result_text(content) if len(content.results) == 1 and content.results[0].is_error else None


def all_text(parsed: ParsedContent) -> str | None:
    """Return all text of a message: text, thinking, tool inputs and tool results; None if there is none."""
    texts = [block.text or parsed.inputs.get(block.idx) for block in parsed.content.blocks]
    return "\n".join([text for text in texts if text]) or None


def _result_block(idx: int, content: Any) -> Block:
    """Build the block of a tool result. Its content is usually a string, or a list of items such as text and images."""
    if type(content) is str:
        return Block(idx, "tool_result", content, utf8_size(content), None, None)
    if type(content) is not list:
        text = None if content is None else dumps_trimmed(content, max_chars=_MAX_DETAILS_CHARS)
        return Block(idx, "tool_result", text, utf8_size(text or ""), None, None)
    parts = [item if isinstance(item, dict) else {"text": item} for item in content]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    images = [part for part in parts if part.get("type") == "image"]
    others = [part for part in parts if not isinstance(part.get("text"), str) and part.get("type") != "image"]
    text = "\n".join(texts) if texts else None
    return Block(
        idx,
        "tool_result",
        text,
        utf8_size(text or "") + sum(_image_size(image) for image in images),
        _media_type(images[0]) if images else None,
        dumps_trimmed(others, max_chars=_MAX_DETAILS_CHARS) if others else None,
    )


def _other_block(idx: int, type_: str | None, block: dict[str, Any]) -> Block:
    """Build a block of any other type: text, thinking, image, document or an unknown type."""
    value = block.get("thinking" if type_ == "thinking" else "text")
    text = value if type(value) is str else None
    if text is not None and type_ in ("text", "thinking"):
        return Block(idx, type_, text, utf8_size(text), None, None)
    if type_ in ("image", "document"):
        return Block(idx, type_, text, _image_size(block), _media_type(block), None)
    other_keys = {key: value for key, value in block.items() if key not in ("type", "text")}
    details = dumps_trimmed(other_keys, max_chars=_MAX_DETAILS_CHARS) if other_keys else None
    return Block(idx, type_, text, utf8_size(text or "") + utf8_size(details or ""), None, details)


def _image_size(block: dict[str, Any]) -> int:
    source = block.get("source")
    data = source.get("data") if isinstance(source, dict) else None
    return len(data) if isinstance(data, str) else 0


def _media_type(block: dict[str, Any]) -> str | None:
    source = block.get("source")
    return string(source.get("media_type")) if isinstance(source, dict) else None
