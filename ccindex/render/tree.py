"""The line tree, the tree of entries and the timeline as lines of text."""

from collections.abc import Iterable, Iterator, Sequence

from ccindex.query.entry_graph import TreeStep
from ccindex.query.graph_queries import GraphRow
from ccindex.query.timeline import TimelineBlock, TimelineEntry
from ccindex.query.titles import LabelledLine
from ccindex.render.masked_items import mask_labelled_line, mask_timeline_block, mask_timeline_entry
from ccindex.render.phrases import RETRIED, call_summary
from ccindex.render.text import (
    StyledLine,
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
from ccindex.secrets.masking import Mask


def kind_of(entry: TimelineEntry) -> str:
    """Return an entry's kind, or the type of one that is not part of the conversation."""
    return flat(entry.kind if entry.kind != "side" else entry.subtype or entry.type or "side")


def brief(blocks: Sequence[TimelineBlock], most: int) -> str:
    """Return the beginning of an entry on one line: calls with name and input, results with their outcome."""
    return preview(" · ".join(_block_texts(blocks, most)), most)


def _block_texts(blocks: Sequence[TimelineBlock], most: int) -> Iterator[str]:
    for block in blocks:
        text = preview(block.text or "", most)
        if block.type == "tool_use":
            yield f"{block.tool or 'a tool'}: {preview(call_summary(block.input), most)}"
        elif block.type == "tool_result":
            outcome = f"{'error' if block.is_error else 'ok'} {block.tool or 'a tool'}"
            yield f"{outcome}: {text}" if text else outcome
        elif block.type == "thinking":
            yield f"(thinking) {text}".rstrip()
        else:
            yield text or f"[{block.type or 'nothing'}]"


_TITLE_CHARS = 60  # where the width has no limit
_MIN_TITLE_CHARS = 12
_MAX_TITLE_CHARS = 80


def tree_lines(lines: Iterable[LabelledLine], *, width: int | None = None, mask: Mask) -> Iterator[StyledLine]:
    """Yield one line of text per line of a tree, connected with its parent, cut to the width."""
    rulers: list[str] = []
    for line in (mask_labelled_line(line, mask) for line in lines):
        del rulers[max(line.depth - 1, 0) :]
        corner = ("└─ " if line.is_last else "├─ ") if line.depth else ""
        yield _line(line, _start("".join(rulers) + corner, line.depth, width), width)
        if line.depth:
            rulers.append("   " if line.is_last else "│  ")


def _start(rulers: str, depth: int, width: int | None) -> str:
    """Return the connecting lines; the depth instead if they would take more than half of the width."""
    if width is None or len(rulers) <= width // 2:
        return rulers
    return f"({depth:,} deep) {rulers[-3:]}"


def _line(labelled: LabelledLine, start: str, width: int | None) -> StyledLine:
    name, details = flat(short_line(labelled.line.line_id)), _details(labelled, is_short=False)
    beside = len(start) + cells(name) + 4
    if width is not None and width - beside - cells(details) < _MIN_TITLE_CHARS:
        details = _details(labelled, is_short=True)
    room = _TITLE_CHARS if width is None else min(width - beside - cells(details), _MAX_TITLE_CHARS)
    title = _fitted(flat(_title(labelled)), room)
    return StyledLine((("dim", start), ("cyan", name), ("", f"  {title}" if title else ""), ("dim", f"  {details}")))


def _fitted(title: str, room: int) -> str:
    if cells(title) <= room:
        return title
    return f"{chopped(title, room - 1)[0].rstrip()}…" if room > 1 else ""


def _title(labelled: LabelledLine) -> str:
    agent = labelled.agent if labelled.line.kind == "agent" else None
    return preview((agent.task if agent else "") or labelled.title, _MAX_TITLE_CHARS)


def _details(labelled: LabelledLine, *, is_short: bool) -> str:
    """Return a line's kind, length, parent, day and status in a few words."""
    line = labelled.line
    agent = labelled.agent if line.kind == "agent" else None
    verb = f"{line.relation} " if line.parent is not None and line.relation in ("continues", "forks") else ""
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


_PREVIEW_CHARS = 100
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


def timeline_lines(entries: Iterable[TimelineEntry], *, mask: Mask) -> Iterator[str]:
    """Yield one line per entry; entries are expected by time, those without an instant last."""
    heading, before = None, None
    for entry in (mask_timeline_entry(entry, mask) for entry in entries):
        day, _, clock = second(entry.at).partition(" ")
        if day != heading:
            heading = day
            yield f"== {day or 'no time'} =="
        gap = "" if entry.at is None or before is None else _gap(entry.at - before)
        before = entry.at
        thread = "main" if entry.agent_id is None else flat(short_agent(entry.agent_id) or "?")
        columns = f"{clock:<8}  {gap:<8}  {thread:<8}  {kind_of(entry):<14}  {flat((entry.uuid or '')[:8]):<8}"
        yield f"{columns}  {_mark(entry)}{brief(entry.blocks, _PREVIEW_CHARS)}".rstrip()


def _gap(ms: int) -> str:
    """Return how long nothing was recorded, from a minute on."""
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
_MAX_INDENTS = 20  # where no width is given
_MARK_STYLES = {"active": "green", "abandoned": "yellow"}


def graph_tree_lines(
    rows: Iterable[tuple[TreeStep, GraphRow, Sequence[TimelineBlock]]], *, width: int | None, mask: Mask
) -> Iterator[StyledLine]:
    """Draw one line per entry: its type, short uuid and first words, cut to the width.

    Where a rewind or a retry starts branches, every branch's first entry is marked `[ACTIVE]` or `[ABANDONED]`; below
    an abandoned branch all are abandoned. A fork that was stitched, such as the results of parallel calls, has no
    marks: nobody chose between its children. An empty line stands before every further root.
    """
    rulers: list[str] = []
    threads: list[str] = []  # the thread of the latest entry at every indentation
    limit = _MAX_INDENTS if width is None else width // 2 // _INDENT_CELLS
    for number, (step, row, blocks) in enumerate(rows):
        if step.depth == 0 and number:
            yield StyledLine((("", ""),))
        above = threads[step.indent - 1] if step.starts_block else threads[step.indent] if step.depth else ""
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
            ("cyan", f"{flat(short(row.uuid) or '')}  "),
            ("dim", _note(row, above, mask)),
        ]
        mark = f"  [{row.status.upper()}]" if row.status else ""
        room = None if width is None else width - sum(cells(text) for _, text in before) - len(mark)
        words = _fitted_entry(preview_text(row, blocks, mask=mask), room)
        spans = (*before, ("", words), (_MARK_STYLES.get(row.status or "", ""), mark))
        yield StyledLine(spans if width is None or room is None or room >= 0 else _clipped(spans, width))


def preview_text(row: GraphRow, blocks: Sequence[TimelineBlock], *, mask: Mask) -> str:
    """The first words of an entry on one line; of one without any its subtype."""
    words = brief([mask_timeline_block(block, mask) for block in blocks], ENTRY_PREVIEW_CHARS)
    return words or (f"[{flat(mask(row.subtype))}]" if row.subtype else "")


def entry_type(row: GraphRow, *, mask: Mask) -> str:
    """The type of an entry, as recorded."""
    return preview(mask(row.type or ""), _MAX_TYPE_CHARS) or row.kind


def _indentation(rulers: Sequence[str], limit: int) -> str:
    """The rulers above a line; beyond the limit their number and the last."""
    if len(rulers) <= limit:
        return "".join(rulers)
    return f"({len(rulers):,} deep) {rulers[-1]}"


def _note(row: GraphRow, above: str, mask: Mask) -> str:
    """What a reader must know to see why the entry stands there: another thread begins, or it is an unusual root."""
    notes = []
    if row.thread_id != above:
        if row.agent_id is not None:
            notes.append(f"agent {short_agent(mask(row.agent_id))}")
        elif above:
            notes.append(f"session {short(row.session_id)}")
    if row.depth == 0 and row.root_kind not in (None, "start", "agent"):
        notes.append(str(row.root_kind).replace("_", " "))
    if row.set_aside is not None:
        notes.append(f"set aside: {row.set_aside}")
    return flat(f"({', '.join(notes)}) ") if notes else ""


def _clipped(spans: Iterable[tuple[str, str]], width: int) -> tuple[tuple[str, str], ...]:
    """The beginning of a line that is too long even without words."""
    clipped = []
    for style, text in spans:
        kept = text if cells(text) <= width else chopped(text, width)[0] if width else ""
        width -= cells(kept)
        clipped.append((style, kept))
    return tuple(clipped)


def _fitted_entry(words: str, room: int | None) -> str:
    if room is None or cells(words) <= room:
        return words
    return f"{chopped(words, room - 1)[0].rstrip()}…" if room > 1 else ""
