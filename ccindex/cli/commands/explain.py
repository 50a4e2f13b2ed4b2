"""`ccindex explain`: why an entry stands where it does."""

from collections.abc import Iterator
from typing import Annotated

import typer

from ccindex.cli.completion import complete_entries
from ccindex.cli.options import Db, Json, Raw
from ccindex.cli.output import opened, say_lines, show_json
from ccindex.cli.tables import terminal_width
from ccindex.query.explain import Copy, Explanation, ForkChild, Ruled
from ccindex.query.explain import explain as run_explain
from ccindex.query.ids import entry_named
from ccindex.render.phrases import RETRIED
from ccindex.render.text import flat, hanging, short, short_line

_LABEL = 9
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
    with opened(db, exact=json or raw) as connection:
        told = run_explain(connection, entry_named(connection, uuid))
        # inside, where what a damaged index leads to is known for what it is
        if json:
            show_json(_document(told))
        else:
            width = terminal_width()
            sentences = map(flat, _sentences(told))
            say_lines(line for said in sentences for line in hanging(said[:_LABEL], said[_LABEL:], width))


def _document(told: Explanation) -> dict[str, object]:
    return {
        "uuid": told.uuid,
        "occurrences": [copy._asdict() for copy in told.occurrences],
        "owned_because": told.owned_because,
        "parent": told.parent._asdict() | {"reason": told.parent.reason},
        "fork": None if told.fork is None else _ruled(told.fork),
        "rulings": [_ruled(ruled) for ruled in told.rulings],
        "line": told.line._asdict(),
    }


def _ruled(ruled: Ruled) -> dict[str, object]:
    return {
        "uuid": ruled.uuid,
        "thread_id": ruled.thread_id,
        "line_id": ruled.line_id,
        "rung": ruled.rung,
        "name": ruled.name,
        "verdict": ruled.verdict,
        "reason": ruled.reason,
        "children": [child._asdict() for child in ruled.children],
    }


def _sentences(told: Explanation) -> Iterator[str]:
    yield f"entry    {told.uuid}"
    yield f"owner    {told.owned_because}"
    for copy in told.occurrences:
        yield f"         {_copy(copy)}"
    parent = told.parent
    yield f"parent   {short(parent.parent_uuid) or 'none'}: {parent.reason}"
    if parent.recorded_parent_uuid is not None and parent.recorded_parent_uuid != parent.parent_uuid:
        yield f"         recorded: {short(parent.recorded_parent_uuid)}"
    root = f", of which it is a root: {parent.root_kind}" if parent.root_kind else ""
    yield f"thread   {short_line(parent.thread_id)}{root}"
    if told.fork is not None:
        yield from _drawn("fork", told.fork, told.uuid)
    yield f"line     {_place(told)}"
    for ruled in told.rulings:
        yield from _drawn("below", ruled, told.uuid)


def _copy(copy: Copy) -> str:
    notes = [f"session {short(copy.session_id)}"]
    if not copy.is_current:
        notes.append("in an earlier content of the file")
    if not copy.same_bytes:
        notes.append("with other bytes than the owner")
    return f"{'*' if copy.is_owner else ' '} {copy.source_path}:{copy.line_no} ({', '.join(notes)})"


def _place(told: Explanation) -> str:
    line = told.line
    if line.set_aside is not None:
        where = "" if line.line_id is None else f" of {short_line(line.line_id)}"
        if told.fork is None:  # no ruling on children decided it
            return (
                f"on none: set aside ({line.set_aside}), the history from {short(line.fork_uuid)}{where} recorded again"
            )
        return f"on none: set aside ({line.set_aside}) by the fork at {short(line.fork_uuid)}{where}"
    assert line.line_id is not None
    return f"{short_line(line.line_id)}, position {line.position} of {line.entry_count:,}" + (
        "" if line.is_active else ", abandoned"
    )


def _drawn(label: str, ruled: Ruled, uuid: str) -> Iterator[str]:
    """Draw a fork with its children and where each went."""
    name = "" if ruled.verdict == "retry" else f", {ruled.name}"  # the rung is called after its other verdict
    yield f"{label:<8} {short(ruled.uuid)}: rung {ruled.rung}{name} ({_VERDICTS.get(ruled.verdict, ruled.verdict)})"
    yield f"         {ruled.reason}"
    for place, child in enumerate(ruled.children, start=1):
        corner = "└─" if place == len(ruled.children) else "├─"
        mark = " *" if child.uuid == uuid else "  "
        when = (child.timestamp or "")[:19].replace("T", " ")
        yield f"         {corner}{mark} {short(child.uuid)}  {child.kind:<9}  {when:<19}  {_went(child)}"


def _went(child: ForkChild) -> str:
    if child.set_aside is not None:
        return f"set aside: {child.set_aside}"
    if child.starts_line:
        return f"starts {short_line(child.line_id or '')}"
    return f"on {short_line(child.line_id or '')}, position {child.position}"
