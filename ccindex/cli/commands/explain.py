"""`ccindex explain`: why an entry stands where it does."""

from collections.abc import Iterator
from typing import Annotated

import typer

from ccindex.cli.completion import complete_entries
from ccindex.cli.options import Db, Json, Raw
from ccindex.cli.output import mask_for, open_index, say_lines, show_json, terminal_width
from ccindex.query.explain import EntryCopy, Explanation, ForkChild, ForkRuling
from ccindex.query.explain import explain as run_explain
from ccindex.query.ids import resolve_entry
from ccindex.render.phrases import RETRIED
from ccindex.render.text import flat, hanging, short, short_line
from ccindex.secrets.masking import Mask

_LABEL_CHARS = 9
_VERDICTS = {"rewind": "rewound", "retry": RETRIED}


def explain(
    uuid: Annotated[
        str, typer.Argument(help="The entry, or the beginning of its uuid.", autocompletion=complete_entries)
    ],
    *,
    raw: Raw = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Tell why an entry stands where it does.

    Which copy owns it, what became of its parent, which rung placed it, and on which line it is.

    Examples:
      ccindex explain 2cb4e296
      ccindex explain 2cb4e296 --json
    """
    with open_index(db) as connection:
        found = run_explain(connection, resolve_entry(connection, uuid))
        # printed inside, so that an odd value is reported as damage of the index
        if json:
            show_json(_document(found))
        else:
            say_lines(_lines(found, width=terminal_width(), mask=mask_for(raw=raw)))


def _lines(found: Explanation, *, width: int | None, mask: Mask) -> Iterator[str]:
    for sentence in map(flat, _sentences(found, mask)):
        yield from hanging(sentence[:_LABEL_CHARS], sentence[_LABEL_CHARS:], width)


def _document(found: Explanation) -> dict[str, object]:
    return {
        "uuid": found.uuid,
        "occurrences": [copy._asdict() for copy in found.occurrences],
        "owned_because": found.owned_because,
        "parent": found.parent._asdict() | {"reason": found.parent.reason},
        "fork": None if found.fork is None else _ruling(found.fork),
        "rulings": [_ruling(ruling) for ruling in found.rulings],
        "line": found.line._asdict(),
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


def _sentences(found: Explanation, mask: Mask) -> Iterator[str]:
    yield f"entry    {found.uuid}"
    yield f"owner    {found.owned_because}"
    for copy in found.occurrences:
        yield f"         {_copy(copy, mask)}"
    parent = found.parent
    yield f"parent   {short(parent.parent_uuid) or 'none'}: {parent.reason}"
    if parent.recorded_parent_uuid is not None and parent.recorded_parent_uuid != parent.parent_uuid:
        yield f"         recorded: {short(parent.recorded_parent_uuid)}"
    root = f", of which it is a root: {parent.root_kind}" if parent.root_kind else ""
    yield f"thread   {short_line(parent.thread_id)}{root}"
    if found.fork is not None:
        yield from _fork_lines("fork", found.fork, found.uuid)
    yield f"line     {_place(found)}"
    for ruling in found.rulings:
        yield from _fork_lines("below", ruling, found.uuid)


def _copy(copy: EntryCopy, mask: Mask) -> str:
    notes = [f"session {short(copy.session_id)}"]
    if not copy.is_current:
        notes.append("in an earlier content of the file")
    if not copy.same_bytes:
        notes.append("with other bytes than the owner")
    return f"{'*' if copy.is_owner else ' '} {mask(copy.source_path)}:{copy.line_no} ({', '.join(notes)})"


def _place(found: Explanation) -> str:
    line = found.line
    if line.set_aside is not None:
        where = "" if line.line_id is None else f" of {short_line(line.line_id)}"
        if found.fork is None:  # no ruling on children decided it
            return (
                f"on none: set aside ({line.set_aside}), the history from {short(line.fork_uuid)}{where} recorded again"
            )
        return f"on none: set aside ({line.set_aside}) by the fork at {short(line.fork_uuid)}{where}"
    assert line.line_id is not None
    return f"{short_line(line.line_id)}, position {line.position} of {line.entry_count:,}" + (
        "" if line.is_active else ", abandoned"
    )


def _fork_lines(label: str, ruling: ForkRuling, uuid: str) -> Iterator[str]:
    """Yield a fork, its ruling, and where each of its children went."""
    name = "" if ruling.verdict == "retry" else f", {ruling.name}"  # the rung is called after its other verdict
    yield f"{label:<8} {short(ruling.uuid)}: rung {ruling.rung}{name} ({_VERDICTS.get(ruling.verdict, ruling.verdict)})"
    yield f"         {ruling.reason}"
    for place, child in enumerate(ruling.children, start=1):
        corner = "└─" if place == len(ruling.children) else "├─"
        mark = " *" if child.uuid == uuid else "  "
        when = (child.timestamp or "")[:19].replace("T", " ")
        yield f"         {corner}{mark} {short(child.uuid)}  {child.kind:<9}  {when:<19}  {_destination(child)}"


def _destination(child: ForkChild) -> str:
    if child.set_aside is not None:
        return f"set aside: {child.set_aside}"
    if child.starts_line:
        return f"starts {short_line(child.line_id or '')}"
    return f"on {short_line(child.line_id or '')}, position {child.position}"
