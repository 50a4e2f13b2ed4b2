"""Content blocks without a layout of their own to readable lines: server tools, advisors, documents."""

import json
from collections.abc import Iterator

from ccindex.query.transcript import ContentBlock

_CALLS = ("server_tool_use", "mcp_tool_use")
_RESULT = "_tool_result"
_UNREADABLE = frozenset(
    "type id tool_use_id signature data encrypted_content encrypted_index encrypted_stdout cache_control".split()
)


def is_server_call(block: ContentBlock) -> bool:
    """Whether a block is a call of a tool that the provider runs."""
    return block.type in _CALLS


def is_server_result(block: ContentBlock) -> bool:
    """Whether a block is the result of such a call."""
    return (block.type or "").endswith(_RESULT)


def server_call(block: ContentBlock) -> tuple[str, str]:
    """Return the tool's name, and its input as JSON unless that is empty."""
    details = _details(block)
    name, given = details.get("name"), details.get("input")
    return name if isinstance(name, str) else "server tool", json.dumps(given, ensure_ascii=False) if given else ""


def server_result(block: ContentBlock) -> str:
    """Return what a server tool returned: texts, titles with their addresses, or the error."""
    content = _details(block).get("content", block.text)
    lines = list(_readable(content))
    if lines:
        return "\n".join(lines)
    kind = content.get("type") if isinstance(content, dict) else None
    return f"({_spaced(kind) if isinstance(kind, str) else 'nothing'})"


def any_block(block: ContentBlock) -> str:
    """Return a block of any other type as its type and its values."""
    values = " · ".join(_readable(_details(block)))
    return f"[{_spaced(block.type or 'no type')}] {values}".rstrip()


def is_failed(block: ContentBlock) -> bool:
    """Whether the result of a server tool is an error."""
    content = _details(block).get("content")
    return isinstance(content, dict) and "error_code" in content


def _readable(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value in order; a title is on one line with its address."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield from filter(None, (item.strip(),))
        elif isinstance(item, list):
            waiting.extend(reversed(item))
        elif isinstance(item, dict):
            title, url = item.get("title"), item.get("url")
            if isinstance(title, str) and isinstance(url, str):
                yield f"{title}  {url}"
            elif isinstance(item.get("error_code"), str):
                yield f"error: {item['error_code']}"
            else:
                waiting.extend(reversed([value for key, value in item.items() if key not in _UNREADABLE]))


def _details(block: ContentBlock) -> dict[str, object]:
    try:
        known = json.loads(block.details or "{}")
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def _spaced(name: str) -> str:
    return name.replace("_", " ")
