"""A message's content, of whatever shape, to blocks, calls and results."""

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from ccindex.model.facts import Block, Content, Mention, ToolResult, ToolUse

from .jsontext import clipped, whole_and_values
from .touches import touches_of
from .values import flag_or_none, size, string

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
