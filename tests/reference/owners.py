"""Occurrences to entries: which copy owns a uuid (SEMANTICS.md, 3)."""

from .facts import Entry
from .objects import Occurrence, word

_NEVER = 2**63


def entries_of(occurrences: list[Occurrence]) -> dict[str, Entry]:
    """Elect the owner of every uuid."""
    copies: dict[str, list[Occurrence]] = {}
    for item in occurrences:
        if item.uuid:
            copies.setdefault(item.uuid, []).append(item)
    ranks = _ranks(copies)
    return {uuid: Entry(min(items, key=lambda item: _order(item, ranks))) for uuid, items in copies.items()}


def claims_of(occurrences: list[Occurrence]) -> dict[str, set[str]]:
    """The uuids that stand under each session id, owned or copied."""
    found: dict[str, set[str]] = {}
    for item in occurrences:
        if item.uuid:
            found.setdefault(item.session, set()).add(item.uuid)
    return found


def _ranks(copies: dict[str, list[Occurrence]]) -> dict[str, tuple[int, int, str]]:
    """Rank sessions by their earliest instant, then by the earliest of what is theirs alone, then by id."""
    earliest: dict[str, int] = {}
    alone: dict[str, int] = {}
    for items in copies.values():
        sessions = {item.session for item in items}
        for item in items:
            earliest[item.session] = min(item.instant, earliest.get(item.session, _NEVER))
            if len(sessions) == 1:
                alone[item.session] = min(item.instant, alone.get(item.session, _NEVER))
    return {session: (at, alone.get(session, _NEVER), session) for session, at in earliest.items()}


def _order(
    item: Occurrence, ranks: dict[str, tuple[int, int, str]]
) -> tuple[tuple[int, int, str], bool, bool, tuple[str, int]]:
    has_no_parent = word(item.value.get("parentUuid")) is None
    return ranks[item.session], has_no_parent, item.file_agent is not None, item.seq
