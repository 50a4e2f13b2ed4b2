"""A session's entries by time, one line of text each, with a heading for every day."""

from collections.abc import Iterable, Iterator

from ccindex.query.moments import Moment, Noted

from .brief import brief, what
from .words import flat, second, short_agent

_PREVIEW = 100
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


def timeline(noted: Iterable[Noted]) -> Iterator[str]:
    """Give the lines; entries are expected by time, those without an instant last."""
    heading, before = None, None
    for moment, parts in noted:
        day, _, clock = second(moment.at).partition(" ")
        if day != heading:
            heading = day
            yield f"== {day or 'no time'} =="
        gap = "" if moment.at is None or before is None else _gap(moment.at - before)
        before = moment.at
        thread = "main" if moment.agent_id is None else flat(short_agent(moment.agent_id) or "?")
        columns = f"{clock:<8}  {gap:<8}  {thread:<8}  {what(moment):<14}  {flat((moment.uuid or '')[:8]):<8}"
        yield f"{columns}  {_mark(moment)}{brief(parts, _PREVIEW)}".rstrip()


def _gap(ms: int) -> str:
    """How long nothing was recorded, if it is worth telling."""
    if ms < _MINUTE:
        return ""
    if ms < _HOUR:
        return f"+{ms // _MINUTE} min"
    return f"+{ms / _HOUR:.1f} h" if ms < _DAY else f"+{ms / _DAY:.1f} d"


def _mark(moment: Moment) -> str:
    if moment.set_aside is not None:
        return f"[set aside: {moment.set_aside}] "
    return "" if moment.is_active else "[abandoned] "
