"""The line tree and the timeline as lines of text."""

from collections.abc import Iterable, Iterator, Sequence

from ccindex.query.reading_order import LineRow, Tree
from ccindex.query.timeline import Moment, Noted, Part
from ccindex.query.titles import Labels
from ccindex.render.phrases import RETRIED, asked
from ccindex.render.text import (
    Styled,
    cells,
    chopped,
    count,
    flat,
    minute,
    preview,
    second,
    short,
    short_agent,
    short_line,
)


def what(moment: Moment) -> str:
    """An entry's kind; of one beside the conversation what it tells of."""
    return flat(moment.kind if moment.kind != "side" else moment.subtype or moment.type or "side")


def brief(parts: Sequence[Part], most: int) -> str:
    """The beginning of an entry on one line: calls by name and what was asked, results by how they went."""
    return preview(" · ".join(_part_texts(parts, most)), most)


def _part_texts(parts: Sequence[Part], most: int) -> Iterator[str]:
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


_PREVIEW = 100
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


def timeline(noted: Iterable[Noted]) -> Iterator[str]:
    """Give the lines; entries are expected by time, those without an instant last."""
    heading, before = None, None
    for moment, parts in noted:
        day, _, clock = second(moment.at).partition(" ")
        if day != heading:
            heading = day
            yield f"== {day or 'no time'} =="
        gap = "" if moment.at is None or before is None else _gap(moment.at - before)
        before = moment.at
        thread = "main" if moment.agent_id is None else flat(short_agent(moment.agent_id) or "?")
        columns = f"{clock:<8}  {gap:<8}  {thread:<8}  {what(moment):<14}  {flat((moment.uuid or '')[:8]):<8}"
        yield f"{columns}  {_mark(moment)}{brief(parts, _PREVIEW)}".rstrip()


def _gap(ms: int) -> str:
    """How long nothing was recorded, if it is worth telling."""
    if ms < _MINUTE:
        return ""
    if ms < _HOUR:
        return f"+{ms // _MINUTE} min"
    return f"+{ms / _HOUR:.1f} h" if ms < _DAY else f"+{ms / _DAY:.1f} d"


def _mark(moment: Moment) -> str:
    if moment.set_aside is not None:
        return f"[set aside: {moment.set_aside}] "
    return "" if moment.is_active else "[abandoned] "
