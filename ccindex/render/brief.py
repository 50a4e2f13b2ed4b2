"""An entry in a few words: what it is, and how what it says begins."""

from collections.abc import Iterator, Sequence

from ccindex.query.moments import Moment, Part

from .speech import asked
from .words import flat, preview


def what(moment: Moment) -> str:
    """An entry's kind; of one beside the conversation what it tells of."""
    return flat(moment.kind if moment.kind != "side" else moment.subtype or moment.type or "side")


def brief(parts: Sequence[Part], most: int) -> str:
    """The beginning of an entry on one line: calls by name and what was asked, results by how they went."""
    return preview(" · ".join(_told(parts, most)), most)


def _told(parts: Sequence[Part], most: int) -> Iterator[str]:
    for part in parts:
        said = preview(part.text or "", most)
        if part.type == "tool_use":
            yield f"{part.tool or 'a tool'}: {preview(asked(part.input), most)}"
        elif part.type == "tool_result":
            outcome = f"{'error' if part.is_error else 'ok'} {part.tool or 'a tool'}"
            yield f"{outcome}: {said}" if said else outcome
        elif part.type == "thinking":
            yield f"(thinking) {said}".rstrip()
        else:
            yield said or f"[{part.type or 'nothing'}]"
