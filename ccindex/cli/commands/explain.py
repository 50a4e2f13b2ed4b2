"""`ccindex explain`: why an entry has its owner, its parent and its position."""

from collections.abc import Iterator
from typing import Annotated

import typer

from ccindex.cli.completion import complete_entries
from ccindex.cli.options import Db, Json, Raw
from ccindex.cli.output import choose_mask, open_index, print_json, print_lines, terminal_width
from ccindex.query.explain import EntryCopy, Explanation, ForkChild, ForkRuling
from ccindex.query.explain import explain as run_explain
from ccindex.query.ids import resolve_entry
from ccindex.render.text import one_line, short_id, short_line, wrap_with_label
from ccindex.secrets.masking import Mask

_LABEL_CHARS = 9
_VERDICTS = {"rewind": "rewound", "retry": "answered again"}


def explain(
    uuid: Annotated[
        str,
        typer.Argument(metavar="UUID", help="Uuid of an entry, or a prefix of it.", autocompletion=complete_entries),
    ],
    *,
    raw: Raw = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Explain why an entry is where it is.

    Shows which occurrence owns the entry, how its parent was found, which rung decided its position, and which line
    it is on.

    Examples:
      ccindex explain 2cb4e296
      ccindex explain 2cb4e296 --json
    """
    with open_index(db) as connection:
        explanation = run_explain(connection, resolve_entry(connection, uuid))
        # printed while the index is open, so that an unexpected value is reported as damage to the index
        if json:
            print_json(_document(explanation))
        else:
            print_lines(_lines(explanation, width=terminal_width(), mask=choose_mask(raw=raw)))


def _lines(explanation: Explanation, *, width: int | None, mask: Mask) -> Iterator[str]:
    for sentence in map(one_line, _sentences(explanation, mask)):
        yield from wrap_with_label(sentence[:_LABEL_CHARS], sentence[_LABEL_CHARS:], width)


def _document(explanation: Explanation) -> dict[str, object]:
    return {
        "uuid": explanation.uuid,
        "occurrences": [copy._asdict() for copy in explanation.occurrences],
        "owned_because": explanation.owned_because,
        "parent": explanation.parent._asdict() | {"reason": explanation.parent.reason},
        "fork": None if explanation.fork is None else _ruling(explanation.fork),
        "rulings": [_ruling(ruling) for ruling in explanation.rulings],
        "line": explanation.line._asdict(),
    }


def _ruling(ruling: ForkRuling) -> dict[str, object]:
    return {
        "uuid": ruling.uuid,
        "thread_id": ruling.thread_id,
        "line_id": ruling.line_id,
        "rung": ruling.rung,
        "name": ruling.name,
        "verdict": ruling.verdict,
        "reason": ruling.reason,
        "children": [child._asdict() for child in ruling.children],
    }


def _sentences(explanation: Explanation, mask: Mask) -> Iterator[str]:
    yield f"entry    {explanation.uuid}"
    yield f"owner    {explanation.owned_because}"
    for copy in explanation.occurrences:
        yield f"         {_copy(copy, mask)}"
    parent = explanation.parent
    yield f"parent   {short_id(parent.parent_uuid) or 'none'}: {parent.reason}"
    if parent.recorded_parent_uuid is not None and parent.recorded_parent_uuid != parent.parent_uuid:
        yield f"         recorded: {short_id(parent.recorded_parent_uuid)}"
    root = f" (root: {parent.root_kind})" if parent.root_kind else ""
    yield f"thread   {short_line(parent.thread_id)}{root}"
    if explanation.fork is not None:
        yield from _fork_lines("fork", explanation.fork, explanation.uuid)
    yield f"line     {_describe_line(explanation)}"
    for ruling in explanation.rulings:
        yield from _fork_lines("children", ruling, explanation.uuid)


def _copy(copy: EntryCopy, mask: Mask) -> str:
    notes = [f"session {short_id(copy.session_id)}"]
    if not copy.is_current:
        notes.append("earlier generation of the file")
    if not copy.same_bytes:
        notes.append("bytes differ from the owner's")
    return f"{'*' if copy.is_owner else ' '} {mask(copy.source_path)}:{copy.line_no} ({', '.join(notes)})"


def _describe_line(explanation: Explanation) -> str:
    line = explanation.line
    if line.set_aside is not None:
        where = "" if line.line_id is None else f" on {short_line(line.line_id)}"
        if explanation.fork is None:  # not decided by a ruling on a fork
            return f"none: set aside ({line.set_aside}), repeats history starting at {short_id(line.fork_uuid)}{where}"
        return f"none: set aside ({line.set_aside}) by the ruling on {short_id(line.fork_uuid)}{where}"
    assert line.line_id is not None
    return f"{short_line(line.line_id)}, position {line.position} of {line.entry_count:,}" + (
        "" if line.is_active else ", abandoned"
    )


def _fork_lines(label: str, ruling: ForkRuling, uuid: str) -> Iterator[str]:
    """Yield lines for a fork, its ruling and the position of each child."""
    name = "" if ruling.verdict in _VERDICTS else f", {ruling.name}"  # the verdict says more than the rung's name
    verdict = _VERDICTS.get(ruling.verdict, ruling.verdict)
    yield f"{label:<8} {short_id(ruling.uuid)}: rung {ruling.rung}{name} ({verdict})"
    yield f"         {ruling.reason}"
    for number, child in enumerate(ruling.children, start=1):
        corner = "└─" if number == len(ruling.children) else "├─"
        mark = " *" if child.uuid == uuid else "  "
        when = (child.timestamp or "")[:19].replace("T", " ")
        yield f"         {corner}{mark} {short_id(child.uuid)}  {child.kind:<9}  {when:<19}  {_destination(child)}"


def _destination(child: ForkChild) -> str:
    if child.set_aside is not None:
        return f"set aside: {child.set_aside}"
    if child.starts_line:
        return f"starts {short_line(child.line_id or '')}"
    return f"on {short_line(child.line_id or '')}, position {child.position}"
