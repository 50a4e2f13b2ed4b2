"""Lines, branches and agents as a tree drawn with signs."""

from collections.abc import Iterator

from ccindex.query.forest import LineRow, Tree
from ccindex.query.labels import Labels

from .speech import RETRIED
from .styles import Styled
from .words import cells, chopped, count, flat, minute, preview, short, short_line

_TITLE = 60
_LEAST = 12  # of a title
_MOST = 80


def drawn(tree: Tree, labels: Labels, width: int | None = None) -> Iterator[Styled]:
    """Give one line of text a line, with rulers down to its children; cut to the width there is."""
    rulers: list[str] = []
    for line, depth, is_last in tree.downwards():
        del rulers[max(depth - 1, 0) :]
        corner = ("└─ " if is_last else "├─ ") if depth else ""
        start = _start("".join(rulers) + corner, depth, width)
        yield _line(line, labels, start, width)
        if depth:
            rulers.append("   " if is_last else "│  ")


def _start(rulers: str, depth: int, width: int | None) -> str:
    """The rulers; where they would take half of the width, how deep it is instead."""
    if width is None or len(rulers) <= width // 2:
        return rulers
    return f"({depth:,} deep) {rulers[-3:]}"


def _line(line: LineRow, labels: Labels, start: str, width: int | None) -> Styled:
    name, told = flat(short_line(line.line_id)), _told(line, labels, is_short=False)
    beside = len(start) + cells(name) + 4
    if width is not None and width - beside - cells(told) < _LEAST:
        told = _told(line, labels, is_short=True)
    room = _TITLE if width is None else min(width - beside - cells(told), _MOST)
    title = _fitted(flat(_title(line, labels)), room)
    return Styled((("dim", start), ("cyan", name), ("", f"  {title}" if title else ""), ("dim", f"  {told}")))


def _fitted(title: str, room: int) -> str:
    if cells(title) <= room:
        return title
    return f"{chopped(title, room - 1)[0].rstrip()}…" if room > 1 else ""


def _title(line: LineRow, labels: Labels) -> str:
    agent = labels.agent_of(line) if line.kind == "agent" else None
    return preview((agent.asked if agent else "") or labels.title(line), _MOST)


def _told(line: LineRow, labels: Labels, *, is_short: bool) -> str:
    """What a line is, in a few words: how long, where it leaves from, and when."""
    agent = labels.agent_of(line) if line.kind == "agent" else None
    verb = f"{line.relation} " if line.relation in ("continues", "forks") else ""
    longer = [
        agent.name if agent and agent.name != "unknown" else "",
        "" if line.attachment_uuid is None else f"{verb}from {short(line.attachment_uuid)}",
        minute(line.first_at)[:10] if line.kind == "trunk" else "",
        agent.status if agent and agent.status not in ("unknown", "completed") else "",
    ]
    parts = [
        (RETRIED if line.is_retry else "branch") if line.kind in ("branch", "agent_branch") and not is_short else "",
        count(line.entry_count, "entry", "entries"),
        *([] if is_short else longer),
        "" if line.is_active else "abandoned",
    ]
    return flat(", ".join(filter(None, parts)))
