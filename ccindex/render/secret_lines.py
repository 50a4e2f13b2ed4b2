"""Secrets that were found, as lines for people: by session, the one with most of them first, with the next step."""

from collections.abc import Iterator, Sequence

from ccindex.query.secret_scan import Leak
from ccindex.render.text import Styled, count, flat, hanging, short, styled
from ccindex.secrets.masking import masked

_SHOWN = 20  # places of a session


def summary(found: Sequence[Leak]) -> str:
    """How many there are, of how many kinds, in how many sessions."""
    total = sum(leak.count for leak in found)
    if not total:
        return "none found"
    kinds = count(len({leak.kind for leak in found}), "kind")
    sessions = count(len({leak.session_id for leak in found}), "session")
    return f"{count(total, 'secret')} of {kinds} in {sessions}"


def places(found: Sequence[Leak], width: int | None) -> Iterator[Styled]:
    """Give kind, number and place of each, never the secret, and the next step."""
    sessions: dict[str | None, list[Leak]] = {}
    for leak in found:
        sessions.setdefault(leak.session_id, []).append(leak)
    totals = {session_id: sum(leak.count for leak in inside) for session_id, inside in sessions.items()}
    for session_id in sorted(totals, key=lambda one: (-totals[one], one or "")):
        inside = sorted(sessions[session_id], key=lambda leak: -leak.count)
        name = "no session" if session_id is None else f"session {flat(short(session_id) or '')}"
        yield styled("", "")
        yield Styled((("bold cyan", name), ("", f": {count(totals[session_id], 'secret')}")))
        for leak in inside[:_SHOWN]:
            yield from (styled("", line) for line in _place(leak, width))
        if len(inside) > _SHOWN:
            yield styled("dim", f"  … and {count(len(inside) - _SHOWN, 'more place')}: --json names all")
        if session_id is not None:
            step = f"to take it out of the index: ccindex forget --session {flat(short(session_id) or '')}"
            yield from (styled("yellow", line) for line in hanging("→ ", step, width))


def _place(leak: Leak, width: int | None) -> Iterator[str]:
    entry = f"  entry {flat(leak.uuid[:8])}" if leak.uuid else ""
    label = f"  {leak.count:>4,} {leak.kind:<18}  "
    yield from hanging(label, f"{flat(masked(leak.source_path))}:{leak.line_no}{entry}", width)
