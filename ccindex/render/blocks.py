"""Format content blocks that have no layout of their own: server tools, advisors and unknown types."""

import json
from collections.abc import Iterator

from ccindex.query.transcript import ContentBlock

_CALLS = ("server_tool_use", "mcp_tool_use")
_RESULT_SUFFIX = "_tool_result"
_OMITTED_KEYS = frozenset(
    "type id tool_use_id signature data encrypted_content encrypted_index encrypted_stdout cache_control".split()
)


def is_server_call(block: ContentBlock) -> bool:
    """Return whether a block is a call to a server tool, that is, a tool that the API provider runs."""
    return block.type in _CALLS


def is_server_result(block: ContentBlock) -> bool:
    """Return whether a block is the result of a server tool."""
    return (block.type or "").endswith(_RESULT_SUFFIX)


def describe_server_call(block: ContentBlock) -> tuple[str, str]:
    """Return the name of the tool, and its input as JSON (empty if there is none)."""
    details = _details(block)
    name, arguments = details.get("name"), details.get("input")
    text = json.dumps(arguments, ensure_ascii=False) if arguments else ""
    return name if isinstance(name, str) else "server tool", text


def server_result_text(block: ContentBlock) -> str:
    """Return the result of a server tool as text: its text blocks, titles with their URLs, or the error."""
    content = _details(block).get("content", block.text)
    lines = list(_readable(content))
    if lines:
        return "\n".join(lines)
    kind = content.get("type") if isinstance(content, dict) else None
    return f"({_spaced(kind) if isinstance(kind, str) else 'no output'})"


def generic_block_text(block: ContentBlock) -> str:
    """Return the text of any other block: its type and its values."""
    values = " · ".join(_readable(_details(block)))
    return f"[{_spaced(block.type or 'no type')}] {values}".rstrip()


def is_failed(block: ContentBlock) -> bool:
    """Return whether the result of a server tool is an error."""
    content = _details(block).get("content")
    return isinstance(content, dict) and "error_code" in content


def _readable(value: object) -> Iterator[str]:
    """Yield the text in a JSON value in order. A title and its URL are on one line."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield from filter(None, (item.strip(),))
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            title, url = item.get("title"), item.get("url")
            if isinstance(title, str) and isinstance(url, str):
                yield f"{title}  {url}"
            elif isinstance(item.get("error_code"), str):
                yield f"error: {item['error_code']}"
            else:
                stack.extend(reversed([value for key, value in item.items() if key not in _OMITTED_KEYS]))


def _details(block: ContentBlock) -> dict[str, object]:
    try:
        details = json.loads(block.details or "{}")
    except (ValueError, RecursionError):
        return {}
    return details if isinstance(details, dict) else {}


def _spaced(name: str) -> str:
    return name.replace("_", " ")
