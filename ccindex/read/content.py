"""A message's content, of whatever shape, to blocks, calls and results."""

import re
from collections.abc import Iterator
from typing import Any

from ccindex.model.facts import Block, Content, Mention, ToolResult, ToolUse, Touch

from .jsontext import dumps, trimmed, values_in, whole
from .touches import touch_of
from .values import flag_or_none, size, string

_LONGEST = 4_000
# as in: agentId: a1b2c3 (for resuming to continue this agent's work if needed)
_AGENT_LINE = re.compile(r"^agentId: (\S+)", re.MULTILINE)


def content_of(message: Any) -> Content:
    """Take apart a message, which may be a string itself; a string content is one text block."""
    content = message.get("content") if isinstance(message, dict) else message
    if isinstance(content, str):
        return Content(blocks=(Block(0, "text", content, size(content), None, None),))
    if not isinstance(content, list):
        return Content()
    uses: list[ToolUse] = []
    results: list[ToolResult] = []
    blocks: list[Block] = []
    mentions: dict[Mention, None] = {}
    touches: list[Touch | None] = []
    for idx, item in enumerate(content):
        block = item if isinstance(item, dict) else {"text": item}
        type_ = string(block.get("type"))
        if type_ == "tool_use":
            use = ToolUse(idx, string(block.get("id")), string(block.get("name")), whole(block.get("input")))
            uses.append(use)
            touches.append(touch_of(idx, use.name, block.get("input")))
            blocks.append(Block(idx, type_, None, size(use.input), None, None))
        elif type_ == "tool_result":
            results.append(ToolResult(idx, string(block.get("tool_use_id")), flag_or_none(block.get("is_error"))))
            blocks.append(_result(idx, block.get("content")))
            mentions.update(dict.fromkeys(Mention(idx, named) for named in _mentioned(blocks[-1].text or "")))
        else:
            blocks.append(_other(idx, type_, block))
    named = tuple(touch for touch in touches if touch is not None)
    return Content(tuple(blocks), tuple(uses), tuple(results), tuple(mentions), named)


def _mentioned(text: str) -> Iterator[str]:
    """Agents that lines of a result's text name."""
    if "agentId: " in text:  # a tenth of the time that the pattern takes
        for word in _AGENT_LINE.findall(text):
            yield word.rstrip(".,;:)") or word


def text_of(content: Content) -> str:
    """The words of a prompt: its text blocks, in order."""
    return "\n".join(block.text for block in content.blocks if block.type == "text" and block.text)


def first_result(content: Content) -> str:
    """The words of the first answer to a call."""
    return next((block.text or "" for block in content.blocks if block.type == "tool_result"), "")


def failure(content: Content) -> str | None:
    """The words of the only answer, if it tells of a failure."""
    return first_result(content) if len(content.results) == 1 and content.results[0].is_error else None


def searchable(content: Content) -> str | None:
    """All words of a message: text, thinking, calls and answers."""
    inputs = {use.idx: values_in(use.input) for use in content.uses}
    words = [block.text or inputs.get(block.idx) for block in content.blocks]
    return "\n".join(word for word in words if word) or None


def _result(idx: int, content: Any) -> Block:
    """A result's content is a string, or a list of text, image and tool_reference."""
    if isinstance(content, str):
        return Block(idx, "tool_result", content, size(content), None, None)
    if not isinstance(content, list):
        text = None if content is None else dumps(trimmed(content, longest=_LONGEST))
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
        dumps(trimmed(rest, longest=_LONGEST)) if rest else None,
    )


def _other(idx: int, type_: str | None, block: dict[str, Any]) -> Block:
    """Text, thinking, images, and block types never heard of."""
    words = block.get("thinking") if type_ == "thinking" else block.get("text")
    text = words if isinstance(words, str) else None
    if type_ in ("text", "thinking") and text is not None:
        return Block(idx, type_, text, size(text), None, None)
    if type_ in ("image", "document"):
        return Block(idx, type_, text, _image_size(block), _media_type(block), None)
    rest = {key: value for key, value in block.items() if key not in ("type", "text")}
    details = dumps(trimmed(rest, longest=_LONGEST)) if rest else None
    return Block(idx, type_, text, size(text or "") + size(details or ""), None, details)


def _image_size(block: dict[str, Any]) -> int:
    source = block.get("source")
    data = source.get("data") if isinstance(source, dict) else None
    return len(data) if isinstance(data, str) else 0


def _media_type(block: dict[str, Any]) -> str | None:
    source = block.get("source")
    return string(source.get("media_type")) if isinstance(source, dict) else None
