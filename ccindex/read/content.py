"""Add rows for message content of any shape: blocks, tool calls, tool results and file touches."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ccindex.model.events import EntryRows
from ccindex.read.json_values import dumps_and_values, dumps_trimmed, flag_or_none, string, utf8_size

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
_TOUCHING_TOOLS = _FILE_TOOLS.keys() | _MULTI_FILE_TOOLS.keys()


def _find_touches(tool: str, tool_input: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Return every distinct file path in the input of a tool that works on files, and the operation."""
    if tool in _FILE_TOOLS:
        operation, keys = _FILE_TOOLS[tool]
        for key in keys:
            path = string(tool_input.get(key))
            if path is not None:
                return ((path, operation),)
        return ()
    if tool in _MULTI_FILE_TOOLS:
        operation, keys = _MULTI_FILE_TOOLS[tool]
        return [(path, operation) for path in dict.fromkeys(_paths(tool_input, keys))]
    return ()


def _paths(tool_input: dict[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        value = tool_input.get(key)
        for item in value if type(value) is list else (value,):
            path = string(item)
            if path is not None:
                yield path


_MAX_DETAILS_CHARS = 4_000
# matches lines such as: agentId: a1b2c3 (for resuming to continue this agent's work if needed)
_AGENT_LINE = re.compile(r"^agentId: (\S+)", re.MULTILINE)


BlockText = tuple[str | None, str | None]  # the type of a block, and its text or the values in a tool's input


def add_content(rows: EntryRows, entry: int, message: Any) -> list[BlockText]:
    """Add the blocks of a message, or of the content of one, and return their texts.

    Content that is a string becomes one text block.
    """
    content = message.get("content") if type(message) is dict else message
    if type(content) is list:
        return [_add_block(rows, entry, idx, item) for idx, item in enumerate(content)]
    if type(content) is str:
        rows.blocks.append((entry, 0, "text", content, utf8_size(content), None, None))
        return [("text", content)]
    return []


def texts_of(message: Any) -> list[BlockText]:
    """Return the texts of the blocks of a message, or of the content of one."""
    return add_content(EntryRows.empty(), 0, message)


def _add_block(rows: EntryRows, entry: int, idx: int, item: Any) -> BlockText:
    block = item if type(item) is dict else {"text": item}
    type_ = string(block.get("type"))
    if type_ == "tool_use":
        return type_, _add_tool_use(rows, entry, idx, block)
    if type_ == "tool_result":
        return type_, _add_tool_result(rows, entry, idx, block)
    value = block.get("thinking" if type_ == "thinking" else "text")
    text = value if type(value) is str else None
    if text is not None and type_ in ("text", "thinking"):
        rows.blocks.append((entry, idx, type_, text, utf8_size(text), None, None))
    elif type_ in ("image", "document"):
        rows.blocks.append((entry, idx, type_, text, _image_size(block), _media_type(block), None))
    else:
        other_keys = {key: value for key, value in block.items() if key not in ("type", "text")}
        details = dumps_trimmed(other_keys, max_chars=_MAX_DETAILS_CHARS) if other_keys else None
        size = utf8_size(text or "") + utf8_size(details or "")
        rows.blocks.append((entry, idx, type_, text, size, None, details))
    return type_, text


def _add_tool_use(rows: EntryRows, entry: int, idx: int, block: dict[str, Any]) -> str:
    tool_input, name = block.get("input"), string(block.get("name"))
    input_json, search_text = dumps_and_values(tool_input)
    rows.blocks.append((entry, idx, "tool_use", None, utf8_size(input_json), None, None))
    rows.tool_uses.append((entry, idx, string(block.get("id")), name, input_json))
    if name in _TOUCHING_TOOLS and type(tool_input) is dict:
        rows.file_touches.extend((entry, idx, *touch) for touch in _find_touches(name, tool_input))
    return search_text


def _add_tool_result(rows: EntryRows, entry: int, idx: int, block: dict[str, Any]) -> str | None:
    content = block.get("content")
    if type(content) is str:
        text: str | None = content
        rows.blocks.append((entry, idx, "tool_result", content, utf8_size(content), None, None))
    else:
        text, *columns = _result_columns(content)
        rows.blocks.append((entry, idx, "tool_result", text, *columns))
    rows.tool_results.append((entry, idx, string(block.get("tool_use_id")), flag_or_none(block.get("is_error"))))
    if text and "agentId: " in text:  # ten times as fast as the pattern
        rows.agent_mentions.extend((entry, idx, agent) for agent in dict.fromkeys(_AGENT_LINE.findall(text)))
    return text


def joined_text(texts: Iterable[BlockText]) -> str:
    """Return the texts of all text blocks, joined by newlines (rule: entry_text)."""
    return "\n".join([text for type_, text in texts if type_ == "text" and text])


def first_result_text(texts: Iterable[BlockText]) -> str:
    """Return the text of the first tool result, or "" if there is none."""
    for type_, text in texts:
        if type_ == "tool_result":
            return text or ""
    return ""


def all_text(texts: Iterable[BlockText]) -> str | None:
    """Return all text of a message: text, thinking, tool inputs and tool results; None if there is none."""
    return "\n".join([text for _, text in texts if text]) or None


def _result_columns(content: Any) -> tuple[str | None, int, str | None, str | None]:
    """Return the columns of a tool result's block from `text` on. Its content is usually a list of text and images."""
    if type(content) is not list:
        text = None if content is None else dumps_trimmed(content, max_chars=_MAX_DETAILS_CHARS)
        return text, utf8_size(text or ""), None, None
    parts = [item if isinstance(item, dict) else {"text": item} for item in content]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    images = [part for part in parts if part.get("type") == "image"]
    others = [part for part in parts if not isinstance(part.get("text"), str) and part.get("type") != "image"]
    text = "\n".join(texts) if texts else None
    return (
        text,
        utf8_size(text or "") + sum(_image_size(image) for image in images),
        _media_type(images[0]) if images else None,
        dumps_trimmed(others, max_chars=_MAX_DETAILS_CHARS) if others else None,
    )


def _image_size(block: dict[str, Any]) -> int:
    source = block.get("source")
    data = source.get("data") if isinstance(source, dict) else None
    return len(data) if isinstance(data, str) else 0


def _media_type(block: dict[str, Any]) -> str | None:
    source = block.get("source")
    return string(source.get("media_type")) if isinstance(source, dict) else None
