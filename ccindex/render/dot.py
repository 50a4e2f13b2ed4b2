"""Entries of a session and the links between them to a Graphviz digraph with one cluster per line."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from ccindex.query.timeline import ParentLink, TimelineEntry
from ccindex.render.masked_items import mask_timeline_entry
from ccindex.render.phrases import RETRIED
from ccindex.render.text import flat, printable, short_line
from ccindex.render.tree import brief, kind_of
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
    "// a dashed box was set aside; a grey one stands in another session; a dashed ellipse was never seen",
    "// links, from parent to child: solid as recorded, dotted over a compaction, bold blue to an agent,",
    "// grey to a copy from what it was forked from, dashed to or from what was set aside, red where a cycle was cut",
    "// clusters are lines; draw it with: dot -Tsvg -O FILE",
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
    """Yield the lines of the graph; entries are expected line by line."""
    yield from _LEGEND
    yield f"digraph {_id(session_id)} {{"
    yield '  node [shape=box, style=filled, fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    masked = (mask_timeline_entry(entry, mask) for entry in entries)
    # by number and by id: ids that were made to collide can give two lines one id
    for (_, line_id), inside in groupby(masked, key=lambda entry: (entry.line, entry.line_id)):
        yield from _cluster(line_id, inside)
    seen: set[str] = set()
    for link in links:
        if not link.is_own and link.parent_uuid not in seen:
            seen.add(link.parent_uuid)
            yield f"  {_outside(link)}"
        yield f"  {_id(link.parent_uuid)} -> {_id(link.child_uuid)}{_attributes(_link(link))};"
    yield "}"


def _cluster(line_id: str | None, entries: Iterator[TimelineEntry]) -> Iterator[str]:
    if line_id is None:
        yield from (f"  {_node(entry)}" for entry in entries)
        return
    first = next(entries)
    kind = RETRIED if first.line_kind == "retry" else (first.line_kind or "line").replace("_", " ")
    status = "" if first.is_active else " (abandoned)"
    yield f"  subgraph {_id(f'cluster_{line_id}')} {{"
    yield f"    label={_text(f'{kind} {short_line(line_id)}{status}')};"
    yield f"    color={'black' if first.is_active else 'grey'};"
    yield f"    {_node(first)}"
    yield from (f"    {_node(entry)}" for entry in entries)
    yield "  }"


def _node(entry: TimelineEntry) -> str:
    assert entry.uuid is not None  # queued words are not part of the graph
    label = _lines(f"{kind_of(entry)} {flat(entry.uuid[:8])}", brief(entry.blocks, _PREVIEW_CHARS))
    looks = {"label": label, "fillcolor": f'"{_FILLS[entry.kind]}"'}
    if entry.set_aside is not None:
        looks["style"] = '"filled,dashed"'
    return f"{_id(entry.uuid)}{_attributes(looks)};"


def _outside(link: ParentLink) -> str:
    """Return a node for a parent outside the session: an entry of another session, or one that was never seen."""
    name = flat(link.parent_uuid[:8])
    if link.state == "ghost":
        looks = {"label": _lines("never seen", name), "shape": "ellipse", "style": "dashed"}
    else:
        where = f"in {flat((link.parent_session_id or '')[:8])}"
        looks = {"label": _lines(f"{link.parent_kind} {name}", where), "color": "grey", "fontcolor": "grey40"}
        looks["fillcolor"] = "grey92"
    return f"{_id(link.parent_uuid)}{_attributes(looks)};"


def _link(link: ParentLink) -> dict[str, str]:
    looks = dict(_LINKS[link.kind])
    if link.is_aside:
        looks["style"] = "dashed"
    if link.state == "cut":
        # it would close a cycle and turn the layout upside down
        looks |= {"color": "red", "label": '"cut"', "constraint": "false"}
    return looks


def _attributes(looks: dict[str, str]) -> str:
    return f" [{', '.join(f'{name}={value}' for name, value in looks.items())}]" if looks else ""


def _id(text: str) -> str:
    """Return a quoted name: control characters as one backslash and a code, recorded backslashes doubled."""
    return f'"{_flat(_escaped(text))}"'


def _text(text: str) -> str:
    """Return a quoted label, with backslashes and entities escaped."""
    return f'"{_escaped(flat(text)).replace("&", "&amp;")}"'


def _lines(*lines: str) -> str:
    """Return a label of several lines."""
    return '"{}"'.format("\\n".join(_text(line)[1:-1] for line in lines if line))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _flat(text: str) -> str:
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")
