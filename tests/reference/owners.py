"""Choose the owner of each uuid among its occurrences (rule: session_rank, owner_order)."""

from collections import Counter

from .entries import Entry
from .objects import Occurrence, as_text

_NEVER = 2**63
_HELPERS = ("acompact-", "aprompt_suggestion-", "aside_question-")

Rank = tuple[int, int, str]


def copies_of(occurrences: list[Occurrence]) -> dict[str, list[Occurrence]]:
    """Group the occurrences that have a uuid by their uuid."""
    copies: dict[str, list[Occurrence]] = {}
    for item in occurrences:
        if item.uuid:
            copies.setdefault(item.uuid, []).append(item)
    return copies


def entries_of(copies: dict[str, list[Occurrence]]) -> dict[str, Entry]:
    """Return one entry per uuid, with the owner chosen from its occurrences."""
    ranks = _ranks(copies)
    sizes = Counter(item.path for items in copies.values() for item in items)
    return {uuid: Entry(min(items, key=lambda item: _order(item, ranks, sizes))) for uuid, items in copies.items()}


def claims_of(copies: dict[str, list[Occurrence]]) -> dict[str, set[str]]:
    """Map each session id to the uuids recorded under it, including copies."""
    found: dict[str, set[str]] = {}
    for uuid, items in copies.items():
        for item in items:
            found.setdefault(item.session, set()).add(uuid)
    return found


def _ranks(copies: dict[str, list[Occurrence]]) -> dict[str, Rank]:
    """Rank sessions by earliest timestamp, then by earliest timestamp of a uuid in no other session, then by id."""
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
    item: Occurrence, ranks: dict[str, Rank], sizes: Counter[str]
) -> tuple[Rank, bool, bool, bool, int, tuple[str, int]]:
    has_no_parent = as_text(item.value.get("parentUuid")) is None
    agent = item.file_agent
    is_helper = agent is not None and agent.startswith(_HELPERS)
    fullness = 0 if agent is None else -sizes[item.path]
    return ranks[item.session], has_no_parent, agent is not None, is_helper, fullness, item.seq
