"""Lines, branches and agents as a tree drawn with signs."""

from collections.abc import Iterator

from ccindex.query.forest import LineRow, Tree
from ccindex.query.labels import Labels

from .styles import Styled
from .words import count, flat, minute, preview, short, short_line

_TITLE = 60


def drawn(tree: Tree, labels: Labels, width: int | None = None) -> Iterator[Styled]:
    """Give one line of text a line, with rulers down to its children; titles cut to the width there is."""
    rulers: list[str] = []
    for line, depth, is_last in tree.downwards():
        del rulers[max(depth - 1, 0) :]
        corner = ("└─ " if is_last else "├─ ") if depth else ""
        start, name, told = "".join(rulers) + corner, flat(short_line(line.line_id)), _told(line, labels)
        room = None if width is None else width - len(start) - len(name) - len(told) - 4
        title = flat(_title(line, labels, _TITLE if room is None else min(max(room, 12), 80)))
        yield Styled((("dim", start), ("cyan", name), ("", f"  {title}" if title else ""), ("dim", f"  {told}")))
        if depth:
            rulers.append("   " if is_last else "│  ")


def _title(line: LineRow, labels: Labels, most: int) -> str:
    agent = labels.agent_of(line) if line.kind == "agent" else None
    if agent is None:
        return preview(labels.title(line), most)
    return preview(f"{agent.name}: {agent.asked}" if agent.asked else agent.name, most)


def _told(line: LineRow, labels: Labels) -> str:
    """What a line is, in a few words: how long, where it leaves from, and when."""
    agent = labels.agent_of(line) if line.kind == "agent" else None
    parts = [
        "" if line.kind in ("trunk", "agent") else "branch",
        count(line.entry_count, "entry", "entries"),
        "" if line.attachment_uuid is None else f"from {short(line.attachment_uuid)}",
        minute(line.first_at)[:10] if line.kind == "trunk" else "",
        agent.status if agent else "",
        "" if line.is_active else "abandoned",
    ]
    return flat(", ".join(filter(None, parts)))
