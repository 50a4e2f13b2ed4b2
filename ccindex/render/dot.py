"""A session's entries and their links as a Graphviz digraph, a cluster for every line."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ccindex.query.timeline import Link, Moment, Noted, Part
from ccindex.render.phrases import RETRIED
from ccindex.render.text import flat, printable, short_line
from ccindex.render.tree import brief, what

_PREVIEW = 40
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


def dot(session_id: str, noted: Iterable[Noted], links: Iterable[Link]) -> Iterator[str]:
    """Give the lines of the graph; entries are expected line by line."""
    yield from _LEGEND
    yield f"digraph {_id(session_id)} {{"
    yield '  node [shape=box, style=filled, fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    # by number and by name: ids that were made to collide may give two lines one name
    for (_, line_id), entries in groupby(noted, key=lambda entry: (entry[0].line, entry[0].line_id)):
        yield from _cluster(line_id, entries)
    seen: set[str] = set()
    for link in links:
        if not link.is_own and link.parent_uuid not in seen:
            seen.add(link.parent_uuid)
            yield f"  {_outside(link)}"
        yield f"  {_id(link.parent_uuid)} -> {_id(link.child_uuid)}{_attributes(_link(link))};"
    yield "}"


def _cluster(line_id: str | None, noted: Iterator[Noted]) -> Iterator[str]:
    if line_id is None:
        yield from (f"  {_node(*entry)}" for entry in noted)
        return
    first = next(noted)
    line = first[0]
    kind = RETRIED if line.line_kind == "retry" else (line.line_kind or "line").replace("_", " ")
    status = "" if line.is_active else " (abandoned)"
    yield f"  subgraph {_id(f'cluster_{line_id}')} {{"
    yield f"    label={_text(f'{kind} {short_line(line_id)}{status}')};"
    yield f"    color={'black' if line.is_active else 'grey'};"
    yield f"    {_node(*first)}"
    yield from (f"    {_node(*entry)}" for entry in noted)
    yield "  }"


def _node(moment: Moment, parts: Sequence[Part]) -> str:
    assert moment.uuid is not None  # the graph is one of entries
    said = brief(parts, _PREVIEW)
    label = _lines(f"{what(moment)} {flat(moment.uuid[:8])}", said)
    looks = {"label": label, "fillcolor": f'"{_FILLS[moment.kind]}"'}
    if moment.set_aside is not None:
        looks["style"] = '"filled,dashed"'
    return f"{_id(moment.uuid)}{_attributes(looks)};"


def _outside(link: Link) -> str:
    """What the session does not hold: another's entry, or one that no transcript holds."""
    name = flat(link.parent_uuid[:8])
    if link.state == "ghost":
        looks = {"label": _lines("never seen", name), "shape": "ellipse", "style": "dashed"}
    else:
        where = f"in {flat((link.parent_session_id or '')[:8])}"
        looks = {"label": _lines(f"{link.parent_kind} {name}", where), "color": "grey", "fontcolor": "grey40"}
        looks["fillcolor"] = "grey92"
    return f"{_id(link.parent_uuid)}{_attributes(looks)};"


def _link(link: Link) -> dict[str, str]:
    looks = dict(_LINKS[link.kind])
    if link.is_aside:
        looks["style"] = "dashed"
    if link.state == "cut":
        # it would close a cycle, and draw the whole graph upside down
        looks |= {"color": "red", "label": '"cut"', "constraint": "false"}
    return looks


def _attributes(looks: dict[str, str]) -> str:
    return f" [{', '.join(f'{name}={value}' for name, value in looks.items())}]" if looks else ""


def _id(text: str) -> str:
    """A quoted name; what stands for a control sign has one backslash and what was recorded two, so none coincide."""
    return f'"{_flat(_escaped(text))}"'


def _text(text: str) -> str:
    """A quoted label, in which backslashes and entities would be taken for something else."""
    return f'"{_escaped(flat(text)).replace("&", "&amp;")}"'


def _lines(*lines: str) -> str:
    """A label of several lines."""
    return '"{}"'.format("\\n".join(_text(line)[1:-1] for line in lines if line))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _flat(text: str) -> str:
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")
