"""Takes entries in the order of a tree, gives the lines of text that draw it; and one line of text for an entry."""

from collections.abc import Iterable, Iterator, Sequence

from ccindex.query.entry_graph import TreeStep
from ccindex.query.graph_queries import GraphRow
from ccindex.query.timeline import TimelineBlock
from ccindex.render.masked_items import mask_timeline_block
from ccindex.render.text import StyledLine, cells, chopped, flat, preview, short, short_agent
from ccindex.render.tree import brief
from ccindex.secrets.masking import Mask

PREVIEW_CHARS = 100
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
        words = _fitted(preview_text(row, blocks, mask=mask), room)
        spans = (*before, ("", words), (_MARK_STYLES.get(row.status or "", ""), mark))
        yield StyledLine(spans if width is None or room is None or room >= 0 else _clipped(spans, width))


def preview_text(row: GraphRow, blocks: Sequence[TimelineBlock], *, mask: Mask) -> str:
    """The first words of an entry on one line; of one without any its subtype."""
    words = brief([mask_timeline_block(block, mask) for block in blocks], PREVIEW_CHARS)
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


def _fitted(words: str, room: int | None) -> str:
    if room is None or cells(words) <= room:
        return words
    return f"{chopped(words, room - 1)[0].rstrip()}…" if room > 1 else ""
