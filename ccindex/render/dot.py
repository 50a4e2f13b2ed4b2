"""Format the entries of a session and their links as a Graphviz digraph, with one cluster per line."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from ccindex.query.timeline import ParentLink, TimelineEntry
from ccindex.render.masked_items import mask_timeline_entry
from ccindex.render.phrases import RETRY
from ccindex.render.text import escape_controls, one_line, short_line
from ccindex.render.tree import kind_name, summarize_blocks
from ccindex.secrets.masking import Mask

_PREVIEW_CHARS = 40
_FILLS = {
    "prompt": "#a6cee3",
    "assistant": "#b2df8a",
    "result": "#ffffb3",
    "boundary": "#fdbf6f",
    "side": "#f0f0f0",
}
_LEGEND = (
    f"// entries: {', '.join(f'{kind} {fill}' for kind, fill in _FILLS.items())}",
    "// dashed box: set aside; grey box: in another session; dashed ellipse: missing from the index",
    "// links from parent to child: solid: as recorded; dotted: across a compaction; bold blue: to a subagent;",
    "// grey: from the original to a forked copy; dashed: to or from a set-aside entry; red: cut to break a cycle",
    "// every cluster is a line; to draw the graph: dot -Tsvg -O FILE",
)
_LINKS: dict[str, dict[str, str]] = {
    "parent": {},
    "logical": {"style": "dotted", "label": '"compacted"'},
    "spawn": {"style": "bold", "color": "blue"},
    "forked_from": {"color": "grey"},
}


def dot_lines(
    session_id: str, entries: Iterable[TimelineEntry], links: Iterable[ParentLink], *, mask: Mask
) -> Iterator[str]:
    """Yield the lines of the DOT file. The entries must be grouped by `line`."""
    yield from _LEGEND
    yield f"digraph {_id(session_id)} {{"
    yield '  node [shape=box, style=filled, fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    masked = (mask_timeline_entry(entry, mask) for entry in entries)
    # grouped by number and id, because crafted ids can give two lines the same id
    for (_, line_id), line_entries in groupby(masked, key=lambda entry: (entry.line, entry.line_id)):
        yield from _cluster(line_id, line_entries)
    outside: set[str] = set()
    for link in links:
        if not link.is_own and link.parent_uuid not in outside:
            outside.add(link.parent_uuid)
            yield f"  {_outside(link)}"
        yield f"  {_id(link.parent_uuid)} -> {_id(link.child_uuid)}{_attributes(_link(link))};"
    yield "}"


def _cluster(line_id: str | None, entries: Iterator[TimelineEntry]) -> Iterator[str]:
    if line_id is None:
        yield from (f"  {_node(entry)}" for entry in entries)
        return
    first = next(entries)
    kind = RETRY if first.line_kind == "retry" else (first.line_kind or "line").replace("_", " ")
    status = "" if first.is_active else " (abandoned)"
    yield f"  subgraph {_id(f'cluster_{line_id}')} {{"
    yield f"    label={_text(f'{kind} {short_line(line_id)}{status}')};"
    yield f"    color={'black' if first.is_active else 'grey'};"
    yield f"    {_node(first)}"
    yield from (f"    {_node(entry)}" for entry in entries)
    yield "  }"


def _node(entry: TimelineEntry) -> str:
    assert entry.uuid is not None  # queued text, which has no uuid, is not part of the graph
    label = _lines(f"{kind_name(entry)} {one_line(entry.uuid[:8])}", summarize_blocks(entry.blocks, _PREVIEW_CHARS))
    attributes = {"label": label, "fillcolor": f'"{_FILLS[entry.kind]}"'}
    if entry.set_aside is not None:
        attributes["style"] = '"filled,dashed"'
    return f"{_id(entry.uuid)}{_attributes(attributes)};"


def _outside(link: ParentLink) -> str:
    """Return a node for a parent that is in another session or missing from the index."""
    name = one_line(link.parent_uuid[:8])
    if link.state == "ghost":
        attributes = {"label": _lines("missing", name), "shape": "ellipse", "style": "dashed"}
    else:
        where = f"in {one_line((link.parent_session_id or '')[:8])}"
        attributes = {"label": _lines(f"{link.parent_kind} {name}", where), "color": "grey", "fontcolor": "grey40"}
        attributes["fillcolor"] = "grey92"
    return f"{_id(link.parent_uuid)}{_attributes(attributes)};"


def _link(link: ParentLink) -> dict[str, str]:
    attributes = dict(_LINKS[link.kind])
    if link.is_aside:
        attributes["style"] = "dashed"
    if link.state == "cut":
        # without constraint=false, the cycle would disturb the layout
        attributes |= {"color": "red", "label": '"cut"', "constraint": "false"}
    return attributes


def _attributes(attributes: dict[str, str]) -> str:
    return f" [{', '.join(f'{name}={value}' for name, value in attributes.items())}]" if attributes else ""


def _id(text: str) -> str:
    """Return a quoted id with control characters escaped and the id's own backslashes doubled."""
    return f'"{_flat(_escaped(text))}"'


def _text(text: str) -> str:
    """Return a quoted label with backslashes and HTML entities escaped."""
    return f'"{_escaped(one_line(text)).replace("&", "&amp;")}"'


def _lines(*lines: str) -> str:
    """Return a quoted label with several lines."""
    return '"{}"'.format("\\n".join(_text(line)[1:-1] for line in lines if line))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _flat(text: str) -> str:
    return escape_controls(text).replace("\n", "\\n").replace("\t", "\\t")
