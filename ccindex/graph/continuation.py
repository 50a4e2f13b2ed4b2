"""The rung of the ladder for children that follow one another. It has five forms."""

from collections import defaultdict
from collections.abc import Callable

from ccindex.graph.fork_children import by_time, count_of, indexes, own_results
from ccindex.model.graph import NONE, Child, EntryKind, Fork, Ruling, Verdict


def continuation(fork: Fork) -> Ruling | None:
    """Rule on children that follow one another: parts of one turn or response, or consecutive commands.

    (rule: continuation)
    """
    for form in _FORMS:
        ruling = form(fork)
        if ruling is not None:
            return ruling
    return None


def _turn(fork: Fork) -> Ruling | None:
    """Rule on results of the parent's own calls, and assistant entries that continue the parent's turn.

    (rule: continuation_turn)
    """
    results = own_results(fork)
    onward = [child for child in fork.main if _is_onward(child)]
    if not results or len(results) + len(onward) != len(fork.main):
        return None
    if not onward and len({frozenset(result.answers) for result in results}) < 2:
        return None
    reason = (
        f"{count_of(results, 'result')} of the parent's own calls and {count_of(onward, 'continuation')} of its turn"
    )
    return _without_bare_results(fork, reason)


def _tail(fork: Fork) -> Ruling | None:
    """Rule on a quiet child that leads to the next prompt, if no talk of the other children is later than that prompt.

    (rule: continuation_tail)
    """
    tails = [child for child in fork.main if child.node.is_quiet and child.first_real_talk_kind == EntryKind.PROMPT]
    if len(tails) != 1:
        return None
    [tail] = tails
    others = [child for child in fork.main if child is not tail]
    if any(child.latest_talk > tail.first_real_talk for child in others):
        return None
    if tail.node.timestamp_ms >= fork.parent.timestamp_ms and any(
        child.node.kind == EntryKind.PROMPT for child in others
    ):
        return None
    return _without_bare_results(fork, "the next prompt stands below a quiet entry, after all talk beside it")


def _open_call(fork: Fork) -> Ruling | None:
    """Rule on a prompt written before the results of the parent's calls arrived (rule: continuation_open_call)."""
    results = own_results(fork)
    if not results or len(results) + 1 != len(fork.main):
        return None
    own = set(indexes(results))
    [other] = [child for child in fork.main if child.index not in own]
    if other.first_talk_kind != EntryKind.PROMPT or other.first_talk > min(own):
        return None
    return _in_segments(fork, "a prompt was written while a call of the parent was open")


def _commands(fork: Fork) -> Ruling | None:
    """Rule on consecutive commands under a caveat.

    Every command must be later than the talk entries in the subtrees of the commands before it.

    (rule: continuation_commands)
    """
    if not fork.parent.is_caveat or not all(child.node.is_command for child in fork.main):
        return None
    latest = NONE
    for child in fork.main:
        if child.index < latest:
            return None
        latest = max(latest, child.latest_talk)
    return _in_segments(fork, f"{count_of(fork.main, 'command')} under one caveat, one after the other")


def _parts(fork: Fork) -> Ruling | None:
    """Rule on children that contain different parts of one response (rule: continuation_parts)."""
    contents: defaultdict[str, set[bytes]] = defaultdict(set)
    has_several = False
    for child in fork.main:
        response = child.node.response
        if response is None or not child.contents:
            continue
        if response in contents:
            has_several = True
            if not contents[response].isdisjoint(child.contents):
                return None
        contents[response] |= child.contents
    if not has_several:
        return None
    return _in_segments(fork, "parts of one response recorded side by side, none of them twice")


def _in_segments(fork: Fork, reason: str) -> Ruling:
    return Ruling("continuation", Verdict.CONTINUED, reason, inline=indexes(fork.side), segments=indexes(fork.main))


def _without_bare_results(fork: Fork, reason: str) -> Ruling:
    """Inline results of the parent's own calls if they have no talk entries below them, but leave at least one child.

    If one child is left, it continues the segment. If several children are left, each of them starts a segment.

    (rule: bare_result)
    """
    bare = [result for result in own_results(fork) if not result.talks_below]
    if len(bare) == len(fork.main):
        bare.pop()
    inlined = set(indexes(bare))
    others = [child for child in fork.main if child.index not in inlined]
    is_one = len(others) == 1
    return Ruling(
        "continuation",
        Verdict.CONTINUED,
        reason,
        inline=by_time(fork.side, bare),
        next_child=others[0].index if is_one else NONE,
        segments=() if is_one else indexes(others),
    )


def _is_onward(child: Child) -> bool:
    kind = child.first_talk_kind if child.node.kind == EntryKind.SIDE else child.node.kind
    return kind == EntryKind.ASSISTANT


_FORMS: tuple[Callable[[Fork], Ruling | None], ...] = (_turn, _tail, _open_call, _commands, _parts)
