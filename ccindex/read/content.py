"""Message content of any shape to blocks, tool calls, tool results, file touches and token usage."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from ccindex.model.recorded import Block, Content, Iteration, Mention, Message, ToolResult, ToolUse, Touch
from ccindex.read.json_values import clipped, flag, flag_or_none, integer, mapping, size, string, whole_and_values

_FILE, _ANY = ("file_path",), ("file_path", "abs_path", "path")
# tool: the operation, and the keys of its input that may name a file, of which the first that does counts
_TOOLS = {
    "Read": ("read", _FILE),
    "Write": ("write", _FILE),
    "Edit": ("edit", _FILE),
    "MultiEdit": ("edit", _FILE),
    "NotebookRead": ("notebook", ("notebook_path",)),
    "NotebookEdit": ("notebook", ("notebook_path",)),
    "Grep": ("search", ("path",)),
    "Glob": ("search", ("path",)),
    "LS": ("search", ("path",)),
    # editors that are hosts of Claude Code (Agent Client Protocol); older ones write the names in lower case
    "mcp__acp__Read": ("read", _ANY),
    "mcp__acp__Write": ("write", _ANY),
    "mcp__acp__Edit": ("edit", _ANY),
    "mcp__acp__MultiEdit": ("edit", _ANY),
    "mcp__acp__read": ("read", _ANY),
    "mcp__acp__write": ("write", _ANY),
    "mcp__acp__edit": ("edit", _ANY),
    # the file system server of the Model Context Protocol
    "mcp__filesystem__read_file": ("read", _ANY),
    "mcp__filesystem__read_text_file": ("read", _ANY),
    "mcp__filesystem__read_media_file": ("read", _ANY),
    "mcp__filesystem__get_file_info": ("read", _ANY),
    "mcp__filesystem__write_file": ("write", _ANY),
    "mcp__filesystem__create_directory": ("write", _ANY),
    "mcp__filesystem__edit_file": ("edit", _ANY),
    "mcp__filesystem__list_directory": ("search", _ANY),
    "mcp__filesystem__list_directory_with_sizes": ("search", _ANY),
    "mcp__filesystem__directory_tree": ("search", _ANY),
    "mcp__filesystem__search_files": ("search", _ANY),
}
# tools that name several files: the operation, and the keys, each of a path or of a list of them
_OF_SEVERAL = {
    "mcp__filesystem__read_multiple_files": ("read", ("paths",)),
    "mcp__filesystem__move_file": ("write", ("source", "destination")),
}


def touches_of(idx: int, tool: str | None, asked: Any) -> tuple[Touch, ...]:
    """The files that a call's input names, each once, if it is a tool for files."""
    if tool is None or type(asked) is not dict:
        return ()
    if tool in _TOOLS:
        operation, keys = _TOOLS[tool]
        path = next(filter(None, (string(asked.get(key)) for key in keys)), None)
        return () if path is None else (Touch(idx, path, operation),)
    if tool in _OF_SEVERAL:
        operation, keys = _OF_SEVERAL[tool]
        return tuple(Touch(idx, path, operation) for path in dict.fromkeys(_paths(asked, keys)))
    return ()


def _paths(asked: dict[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        value = asked.get(key)
        for item in value if type(value) is list else (value,):
            path = string(item)
            if path is not None:
                yield path


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


_LONGEST = 4_000
# as in: agentId: a1b2c3 (for resuming to continue this agent's work if needed)
_AGENT_LINE = re.compile(r"^agentId: (\S+)", re.MULTILINE)


class Apart(NamedTuple):
    """A message taken apart, and the words in the input of each call, by its place."""

    content: Content
    inputs: Mapping[int, str]


_NOTHING = Apart(Content(), {})


def content_of(message: Any) -> Apart:
    """Take apart a message, which may be a string itself; a string content is one text block."""
    content = message.get("content") if type(message) is dict else message
    if type(content) is list:
        return _apart(content)
    if type(content) is str:
        return Apart(Content((Block(0, "text", content, size(content), None, None),)), {})
    return _NOTHING


def _apart(items: list[Any]) -> Apart:
    if len(items) == 1:  # as nearly everywhere: Claude Code writes a line for each block
        return _item(0, items[0])
    parts = [_item(idx, item) for idx, item in enumerate(items)]
    columns = zip(*(part.content for part in parts), strict=True)
    inputs = {idx: words for part in parts for idx, words in part.inputs.items()}
    return Apart(Content(*(tuple(chain.from_iterable(column)) for column in columns)), inputs)


def _item(idx: int, item: Any) -> Apart:
    block = item if type(item) is dict else {"text": item}
    type_ = string(block.get("type"))
    if type_ == "tool_use":
        return _call(idx, block)
    if type_ == "tool_result":
        return _answer(idx, block)
    return Apart(Content((_other(idx, type_, block),)), {})


def _call(idx: int, block: dict[str, Any]) -> Apart:
    asked, name = block.get("input"), string(block.get("name"))
    written, words = whole_and_values(asked)
    use = ToolUse(idx, string(block.get("id")), name, written)
    shown = Block(idx, "tool_use", None, size(written), None, None)
    return Apart(Content((shown,), (use,), (), (), touches_of(idx, name, asked)), {idx: words})


def _answer(idx: int, block: dict[str, Any]) -> Apart:
    result = ToolResult(idx, string(block.get("tool_use_id")), flag_or_none(block.get("is_error")))
    shown = _result(idx, block.get("content"))
    agents = _mentioned(shown.text) if shown.text else ()
    return Apart(Content((shown,), (), (result,), tuple(Mention(idx, agent) for agent in agents)), {})


def _mentioned(text: str) -> Iterable[str]:
    """Agents that lines of a result's text name, each once."""
    if "agentId: " not in text:  # a tenth of the time that the pattern takes
        return ()
    return dict.fromkeys(word.rstrip(".,;:)") or word for word in _AGENT_LINE.findall(text))


def text_of(content: Content) -> str:
    """The words of a prompt: its text blocks, in order."""
    return "\n".join([block.text for block in content.blocks if block.type == "text" and block.text])


def first_result(content: Content) -> str:
    """The words of the first answer to a call."""
    return next((block.text or "" for block in content.blocks if block.type == "tool_result"), "")


def failure(content: Content) -> str | None:
    """The words of the only answer, if it tells of a failure."""
    return first_result(content) if len(content.results) == 1 and content.results[0].is_error else None


def searchable(apart: Apart) -> str | None:
    """All words of a message: text, thinking, calls and answers."""
    words = [block.text or apart.inputs.get(block.idx) for block in apart.content.blocks]
    return "\n".join([word for word in words if word]) or None


def _result(idx: int, content: Any) -> Block:
    """A result's content is a string, or a list of text, image and tool_reference."""
    if type(content) is str:
        return Block(idx, "tool_result", content, size(content), None, None)
    if type(content) is not list:
        text = None if content is None else clipped(content, longest=_LONGEST)
        return Block(idx, "tool_result", text, size(text or ""), None, None)
    parts = [item if isinstance(item, dict) else {"text": item} for item in content]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    images = [part for part in parts if part.get("type") == "image"]
    rest = [part for part in parts if not isinstance(part.get("text"), str) and part.get("type") != "image"]
    text = "\n".join(texts) if texts else None
    return Block(
        idx,
        "tool_result",
        text,
        size(text or "") + sum(_image_size(image) for image in images),
        _media_type(images[0]) if images else None,
        clipped(rest, longest=_LONGEST) if rest else None,
    )


def _other(idx: int, type_: str | None, block: dict[str, Any]) -> Block:
    """Text, thinking, images, and block types never heard of."""
    words = block.get("thinking" if type_ == "thinking" else "text")
    text = words if type(words) is str else None
    if text is not None and type_ in ("text", "thinking"):
        return Block(idx, type_, text, size(text), None, None)
    if type_ in ("image", "document"):
        return Block(idx, type_, text, _image_size(block), _media_type(block), None)
    rest = {key: value for key, value in block.items() if key not in ("type", "text")}
    details = clipped(rest, longest=_LONGEST) if rest else None
    return Block(idx, type_, text, size(text or "") + size(details or ""), None, details)


def _image_size(block: dict[str, Any]) -> int:
    source = block.get("source")
    data = source.get("data") if isinstance(source, dict) else None
    return len(data) if isinstance(data, str) else 0


def _media_type(block: dict[str, Any]) -> str | None:
    source = block.get("source")
    return string(source.get("media_type")) if isinstance(source, dict) else None
