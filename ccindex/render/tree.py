"""Format line trees, entry trees and timelines as text."""

from collections.abc import Iterable, Iterator, Sequence

from ccindex.query.entry_graph import TreeStep
from ccindex.query.graph_queries import GraphRow
from ccindex.query.timeline import TimelineBlock, TimelineEntry
from ccindex.query.titles import LabelledLine
from ccindex.render.masked_items import mask_labelled_line, mask_timeline_block, mask_timeline_entry
from ccindex.render.phrases import RETRY, call_summary
from ccindex.render.text import (
    StyledLine,
    cell_width,
    chop,
    format_count,
    format_minute,
    format_second,
    one_line,
    preview,
    short_agent,
    short_id,
    short_line,
)
from ccindex.secrets.masking import Mask


def kind_name(entry: TimelineEntry) -> str:
    """Return the kind of an entry, or the subtype or type of a side entry."""
    return one_line(entry.kind if entry.kind != "side" else entry.subtype or entry.type or "side")


def summarize_blocks(blocks: Sequence[TimelineBlock], max_chars: int) -> str:
    """Summarise an entry's blocks on one line: calls with their name and input, results with their outcome."""
    return preview(" · ".join(_block_texts(blocks, max_chars)), max_chars)


def _block_texts(blocks: Sequence[TimelineBlock], max_chars: int) -> Iterator[str]:
    for block in blocks:
        text = preview(block.text or "", max_chars)
        if block.type == "tool_use":
            yield f"{block.tool or 'unknown tool'}: {preview(call_summary(block.input), max_chars)}"
        elif block.type == "tool_result":
            outcome = f"{'error' if block.is_error else 'ok'} {block.tool or 'unknown tool'}"
            yield f"{outcome}: {text}" if text else outcome
        elif block.type == "thinking":
            yield f"(thinking) {text}".rstrip()
        else:
            yield text or f"[{block.type or 'empty'}]"


_TITLE_CHARS = 60  # if the width is not limited
_MIN_TITLE_CHARS = 12
_MAX_TITLE_CHARS = 80


def tree_lines(lines: Iterable[LabelledLine], *, width: int | None = None, mask: Mask) -> Iterator[StyledLine]:
    """Yield one line of text per line of a tree, connected to its parent and cut to the width."""
    rulers: list[str] = []
    for line in (mask_labelled_line(line, mask) for line in lines):
        del rulers[max(line.depth - 1, 0) :]
        corner = ("└─ " if line.is_last else "├─ ") if line.depth else ""
        yield _line(line, _connectors("".join(rulers) + corner, line.depth, width), width)
        if line.depth:
            rulers.append("   " if line.is_last else "│  ")


def _connectors(rulers: str, depth: int, width: int | None) -> str:
    """Return the connectors, or the depth and the last connector if they would take up more than half the width."""
    if width is None or len(rulers) <= width // 2:
        return rulers
    return f"({depth:,} deep) {rulers[-3:]}"


def _line(labelled: LabelledLine, start: str, width: int | None) -> StyledLine:
    name, details = one_line(short_line(labelled.line.line_id)), _details(labelled, is_short=False)
    used = len(start) + cell_width(name) + 4
    if width is not None and width - used - cell_width(details) < _MIN_TITLE_CHARS:
        details = _details(labelled, is_short=True)
    room = _TITLE_CHARS if width is None else min(width - used - cell_width(details), _MAX_TITLE_CHARS)
    title = _fitted(one_line(_title(labelled)), room)
    return StyledLine((("dim", start), ("cyan", name), ("", f"  {title}" if title else ""), ("dim", f"  {details}")))


def _fitted(title: str, room: int) -> str:
    if cell_width(title) <= room:
        return title
    return f"{chop(title, room - 1)[0].rstrip()}…" if room > 1 else ""


def _title(labelled: LabelledLine) -> str:
    agent = labelled.agent if labelled.line.kind == "agent" else None
    return preview((agent.task if agent else "") or labelled.title, _MAX_TITLE_CHARS)


def _details(labelled: LabelledLine, *, is_short: bool) -> str:
    """Return the kind, length, parent, day and status of a line."""
    line = labelled.line
    agent = labelled.agent if line.kind == "agent" else None
    verb = f"{line.relation} " if line.parent is not None and line.relation in ("continues", "forks") else ""
    longer = [
        agent.name if agent and agent.name != "unknown" else "",
        "" if line.attachment_uuid is None else f"{verb}from {short_id(line.attachment_uuid)}",
        format_minute(line.first_at)[:10] if line.kind == "trunk" else "",
        agent.status if agent and agent.status not in ("unknown", "completed") else "",
    ]
    parts = [
        (RETRY if line.is_retry else "branch") if line.kind in ("branch", "agent_branch") and not is_short else "",
        format_count(line.entry_count, "entry", "entries"),
        *([] if is_short else longer),
        "" if line.is_active else "abandoned",
    ]
    return one_line(", ".join(filter(None, parts)))


_PREVIEW_CHARS = 100
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


def timeline_lines(entries: Iterable[TimelineEntry], *, mask: Mask) -> Iterator[str]:
    """Yield a heading per day and one line per entry; entries must be sorted by time, with undated entries last."""
    heading, previous_ms = None, None
    for entry in (mask_timeline_entry(entry, mask) for entry in entries):
        day, _, clock = format_second(entry.timestamp_ms).partition(" ")
        if day != heading:
            heading = day
            yield f"== {day or 'no timestamp'} =="
        gap = "" if entry.timestamp_ms is None or previous_ms is None else _gap(entry.timestamp_ms - previous_ms)
        previous_ms = entry.timestamp_ms
        thread = "main" if entry.agent_id is None else one_line(short_agent(entry.agent_id) or "?")
        columns = f"{clock:<8}  {gap:<8}  {thread:<8}  {kind_name(entry):<14}  {one_line((entry.uuid or '')[:8]):<8}"
        yield f"{columns}  {_mark(entry)}{summarize_blocks(entry.blocks, _PREVIEW_CHARS)}".rstrip()


def _gap(ms: int) -> str:
    """Return the time since the previous entry if it is at least a minute."""
    if ms < _MINUTE:
        return ""
    if ms < _HOUR:
        return f"+{ms // _MINUTE} min"
    return f"+{ms / _HOUR:.1f} h" if ms < _DAY else f"+{ms / _DAY:.1f} d"


def _mark(entry: TimelineEntry) -> str:
    if entry.set_aside is not None:
        return f"[set aside: {entry.set_aside}] "
    return "" if entry.is_active else "[abandoned] "


ENTRY_PREVIEW_CHARS = 100
_TYPE_CELLS = len("assistant")
_MAX_TYPE_CHARS = 40
_INDENT_CELLS = 3
_MAX_INDENTS = 20  # if the width is not limited
_MARK_STYLES = {"active": "green", "abandoned": "yellow"}


def graph_tree_lines(
    rows: Iterable[tuple[TreeStep, GraphRow, Sequence[TimelineBlock]]], *, width: int | None, mask: Mask
) -> Iterator[StyledLine]:
    """Yield one line per entry: its type, short uuid and the start of its text, cut to the width.

    The first entry of every branch of a rewind or retry is marked `[ACTIVE]` or `[ABANDONED]`. All branches below an
    abandoned branch are abandoned. A stitched fork, such as the results of parallel calls, has no marks because its
    children are not alternatives. Roots are separated by an empty line.
    """
    rulers: list[str] = []
    threads: list[str] = []  # thread of the latest entry at each indentation
    limit = _MAX_INDENTS if width is None else width // 2 // _INDENT_CELLS
    for number, (step, row, blocks) in enumerate(rows):
        if step.depth == 0 and number:
            yield StyledLine((("", ""),))
        parent_thread = threads[step.indent - 1] if step.starts_block else threads[step.indent] if step.depth else ""
        del threads[step.indent :]
        threads.append(row.thread_id)
        if step.starts_block:
            del rulers[step.indent - 1 :]
            lead = _indentation(rulers, limit) + ("└─ " if step.is_last else "├─ ")
            rulers.append("   " if step.is_last else "│  ")
        else:
            del rulers[step.indent :]
            lead = _indentation(rulers, limit)
        before = [
            ("dim", lead),
            ("", f"{entry_type(row, mask=mask):<{_TYPE_CELLS}}  "),
            ("cyan", f"{one_line(short_id(row.uuid) or '')}  "),
            ("dim", _note(row, parent_thread, mask)),
        ]
        mark = f"  [{row.status.upper()}]" if row.status else ""
        room = None if width is None else width - sum(cell_width(text) for _, text in before) - len(mark)
        text = _fitted_entry(preview_text(row, blocks, mask=mask), room)
        spans = (*before, ("", text), (_MARK_STYLES.get(row.status or "", ""), mark))
        yield StyledLine(spans if width is None or room is None or room >= 0 else _clipped(spans, width))


def preview_text(row: GraphRow, blocks: Sequence[TimelineBlock], *, mask: Mask) -> str:
    """Return the start of an entry's text on one line, or its subtype if it has no text."""
    text = summarize_blocks([mask_timeline_block(block, mask) for block in blocks], ENTRY_PREVIEW_CHARS)
    return text or (f"[{one_line(mask(row.subtype))}]" if row.subtype else "")


def entry_type(row: GraphRow, *, mask: Mask) -> str:
    """Return the recorded type of an entry, or its kind if no type was recorded."""
    return preview(mask(row.type or ""), _MAX_TYPE_CHARS) or row.kind


def _indentation(rulers: Sequence[str], limit: int) -> str:
    """Return the vertical rules before an entry, or their number and the last rule if there are too many."""
    if len(rulers) <= limit:
        return "".join(rulers)
    return f"({len(rulers):,} deep) {rulers[-1]}"


def _note(row: GraphRow, parent_thread: str, mask: Mask) -> str:
    """Return a note if the entry starts another thread, is an unusual root or was set aside."""
    notes = []
    if row.thread_id != parent_thread:
        if row.agent_id is not None:
            notes.append(f"agent {short_agent(mask(row.agent_id))}")
        elif parent_thread:
            notes.append(f"session {short_id(row.session_id)}")
    if row.depth == 0 and row.root_kind not in (None, "start", "agent"):
        notes.append(str(row.root_kind).replace("_", " "))
    if row.set_aside is not None:
        notes.append(f"set aside: {row.set_aside}")
    return one_line(f"({', '.join(notes)}) ") if notes else ""


def _clipped(spans: Iterable[tuple[str, str]], width: int) -> tuple[tuple[str, str], ...]:
    """Cut a line that is too long even without the entry's text."""
    clipped = []
    for style, text in spans:
        part = text if cell_width(text) <= width else chop(text, width)[0] if width else ""
        width -= cell_width(part)
        clipped.append((style, part))
    return tuple(clipped)


def _fitted_entry(text: str, room: int | None) -> str:
    if room is None or cell_width(text) <= room:
        return text
    return f"{chop(text, room - 1)[0].rstrip()}…" if room > 1 else ""
