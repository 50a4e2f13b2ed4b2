"""The ladder: an ordered list of rules that decide how several children of one entry relate to each other."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from ccindex.model.graph import NONE, Child, EntryKind, Fork, Ruling, Verdict

MAX_PARALLEL_HEIGHT = 20  # a taller subtree counts as a separate conversation

Rung = Callable[[Fork], Ruling | None]


def side_branches(fork: Fork) -> Ruling | None:
    """Rule on side children with at most one main child (rule: side_branches)."""
    if len(fork.main) > 1:
        return None
    next_child = fork.main[0] if fork.main else None
    late = _late_commands(fork, next_child)
    started = set(indexes(late))
    beside = "beside the one child that continues the line" if next_child else "with nothing after them"
    after = f"; {_count(late, 'command')} after its last talk" if late else ""
    return Ruling(
        "side_branches",
        Verdict.STITCHED,
        f"{_count(fork.side, 'side child')} {beside}{after}",
        inline=tuple([child.index for child in fork.side if child.index not in started]),
        next_child=next_child.index if next_child else NONE,
        segments=indexes(late),
    )


def _late_commands(fork: Fork, next_child: Child | None) -> list[Child]:
    """Return the commands later than all talk entries under the child that continues the line (rule: late_command)."""
    if next_child is None:
        return []
    return [child for child in fork.side if child.node.is_command and child.index > next_child.latest_talk]


def structural_results(fork: Fork) -> Ruling | None:
    """Rule on user entries without talk entries below them, beside one assistant entry (rule: structural_results)."""
    users, assistants = _users(fork), _assistants(fork)
    if not users or len(assistants) != 1 or len(users) + 1 != len(fork.main):
        return None
    if any(user.talks_below for user in users):
        return None
    return Ruling(
        "structural_results",
        Verdict.STITCHED,
        f"{_count(users, 'user entry')} without talk below, beside the assistant entry that continues the line",
        inline=_by_time(fork.side, users),
        next_child=assistants[0].index,
    )


def parallel_calls(fork: Fork) -> Ruling | None:
    """Rule on parallel calls: all subtrees but one are short and contain no typed prompt (rule: parallel_calls)."""
    users, assistants = _users(fork), _assistants(fork)
    if not users or not assistants or len(users) + len(assistants) != len(fork.main):
        return None
    last = _with_latest_talk(fork.main)
    others = [child for child in fork.main if child is not last]
    if any(child.height > MAX_PARALLEL_HEIGHT or child.has_typed_prompt for child in others):
        return None
    return Ruling(
        "parallel_calls",
        Verdict.STITCHED,
        f"{_count(others, 'parallel child')} without a typed prompt, beside the one with the latest talk",
        inline=indexes(fork.side),
        inline_whole=indexes(others),
        next_child=last.index,
    )


def live_passthrough(fork: Fork) -> Ruling | None:
    """Rule on a turn that continues below a progress or hook entry (rule: live_passthrough)."""
    live = [child for child in fork.main if child.node.kind == EntryKind.SIDE]
    if len(live) != 1:
        return None
    others = [child for child in fork.main if child is not live[0]]
    if any(child.talks_below for child in others):
        return None
    return Ruling(
        "live_passthrough",
        Verdict.STITCHED,
        f"the talk continues below a side entry; nothing follows {_count(others, 'other child')}",
        inline=_by_time(fork.side, others),
        next_child=live[0].index,
    )


def continuation(fork: Fork) -> Ruling | None:
    """Rule on children that follow one another: parts of one turn or response, or consecutive commands.

    (rule: continuation)
    """
    for form in _CONTINUATIONS:
        ruling = form(fork)
        if ruling is not None:
            return ruling
    return None


def _turn(fork: Fork) -> Ruling | None:
    """Rule on results of the parent's calls and assistant entries that continue its turn (rule: continuation_turn)."""
    results = _own_results(fork)
    onward = [child for child in fork.main if _is_onward(child)]
    if not results or len(results) + len(onward) != len(fork.main):
        return None
    if not onward and len({frozenset(result.answers) for result in results}) < 2:
        return None
    reason = f"{_count(results, 'result')} of the parent's own calls and {_count(onward, 'continuation')} of its turn"
    return _without_bare_results(fork, reason)


def _tail(fork: Fork) -> Ruling | None:
    """Rule on a quiet entry followed by a prompt later than its siblings' talk entries (rule: continuation_tail)."""
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
    results = _own_results(fork)
    if not results or len(results) + 1 != len(fork.main):
        return None
    own = set(indexes(results))
    [other] = [child for child in fork.main if child.index not in own]
    if other.first_talk_kind != EntryKind.PROMPT or other.first_talk > min(own):
        return None
    return _in_segments(fork, "a prompt was written while a call of the parent was open")


def _commands(fork: Fork) -> Ruling | None:
    """Rule on commands under a caveat, each later than all talk entries before it (rule: continuation_commands)."""
    if not fork.parent.is_caveat or not all(child.node.is_command for child in fork.main):
        return None
    latest = NONE
    for child in fork.main:
        if child.index < latest:
            return None
        latest = max(latest, child.latest_talk)
    return _in_segments(fork, f"{_count(fork.main, 'command')} under one caveat, one after the other")


def _parts(fork: Fork) -> Ruling | None:
    """Rule on children that include different parts of one response (rule: continuation_parts)."""
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


_CONTINUATIONS: tuple[Rung, ...] = (_turn, _tail, _open_call, _commands, _parts)


def _in_segments(fork: Fork, reason: str) -> Ruling:
    return Ruling("continuation", Verdict.CONTINUED, reason, inline=indexes(fork.side), segments=indexes(fork.main))


def _without_bare_results(fork: Fork, reason: str) -> Ruling:
    """Inline the results of the parent's own calls that have no talk entries below them, but never all children.

    A single remaining child continues the segment; several remaining children start segments (rule: bare_result).
    """
    bare = [result for result in _own_results(fork) if not result.talks_below]
    if len(bare) == len(fork.main):
        bare.pop()
    inlined = set(indexes(bare))
    others = [child for child in fork.main if child.index not in inlined]
    is_one = len(others) == 1
    return Ruling(
        "continuation",
        Verdict.CONTINUED,
        reason,
        inline=_by_time(fork.side, bare),
        next_child=others[0].index if is_one else NONE,
        segments=() if is_one else indexes(others),
    )


def replay(fork: Fork) -> Ruling | None:
    """Rule on history that was recorded again: one copy continues the line, the others are set aside (rule: replay)."""
    kept = _same_instant(fork)
    if kept is not None:
        return _replayed(fork, kept, f"{_count(fork.main, 'child')} of one instant with equal contents")
    kept = _recorded_again(fork)
    if kept is not None:
        return _replayed(fork, kept, "history recorded again: the last recording holds every response of the others")
    return None


def _same_instant(fork: Fork) -> Child | None:
    """Return the child to keep if all children have the same timestamp, kind and content.

    It is the child with the latest talk entry below it, or the first if there is none (rule: replay_same_instant).
    """
    if not all(child.node.has_own_timestamp for child in fork.main):
        return None
    if len({(child.node.timestamp_ms, child.node.kind, _compared(child)) for child in fork.main}) != 1:
        return None
    living = [child for child in fork.main if child.talks_below]
    return max(living, key=lambda child: child.latest_timestamp_ms) if living else fork.main[0]


def _recorded_again(fork: Fork) -> Child | None:
    """Return the child with the latest talk entry if its subtree contains the history of all other children.

    (rule: replay_recorded_again)
    """
    last = _with_latest_talk(fork.main)
    if last.latest_talk == NONE:
        return None
    others = (child for child in fork.main if child is not last)
    return last if all(fork.is_recorded_again(child.index, last.index) for child in others) else None


def _replayed(fork: Fork, kept: Child, reason: str) -> Ruling:
    copies = [child for child in fork.main if child is not kept]
    return Ruling(
        "replay",
        Verdict.REPLAY,
        f"{reason}; {_count(copies, 'copy')} set aside",
        inline=indexes(fork.side),
        next_child=kept.index,
        set_aside=indexes(copies),
    )


def rewind(fork: Fork) -> Ruling:
    """Rule on alternatives: a person went back to an entry, or the entry was answered again (rule: rewind)."""
    if _is_rewind(fork.main):
        verdict, cause = Verdict.REWIND, "a person went back to this entry and continued from here"
    else:
        verdict, cause = Verdict.RETRY, "answered again: nobody went back"
    return Ruling(
        "rewind",
        verdict,
        f"{_count(fork.main, 'alternative')}; {cause}",
        inline=indexes(fork.side),
        branches=indexes(fork.main),
    )


def _is_rewind(children: Sequence[Child]) -> bool:
    """Return whether several children start with a prompt and do not overlap in time (rule: rewind_verdict)."""
    if sum(child.first_talk_kind == EntryKind.PROMPT for child in children) < 2:
        return False
    latest = NONE
    for child in sorted(children, key=lambda child: child.first_talk):
        if child.first_talk != NONE and latest > child.first_talk:
            return False
        latest = max(latest, child.latest_talk)
    return True


LADDER: tuple[Rung, ...] = (
    side_branches,  # 1
    structural_results,  # 2
    parallel_calls,  # 3
    live_passthrough,  # 4
    continuation,  # 5
    replay,  # 6
    rewind,  # 7, rules on every fork
)
RUNG_NUMBERS = {rung.__name__: number for number, rung in enumerate(LADDER, start=1)}


def rule(fork: Fork) -> Ruling:
    """Return the ruling of the first rung that applies to a fork; it covers every child (rule: every_child_placed)."""
    for rung in LADDER:
        ruling = rung(fork)
        if ruling is not None:
            assert sorted(ruling.children()) == sorted(indexes(fork.children)), ruling
            return ruling
    raise AssertionError("the last rung rules on every fork")


def indexes(children: Iterable[Child]) -> tuple[int, ...]:
    """Return the index of each child in the family's time order."""
    return tuple([child.index for child in children])


def _by_time(*groups: Iterable[Child]) -> tuple[int, ...]:
    return tuple(sorted(child.index for group in groups for child in group))


def _users(fork: Fork) -> list[Child]:
    return [child for child in fork.main if child.node.is_user]


def _assistants(fork: Fork) -> list[Child]:
    return [child for child in fork.main if child.node.kind == EntryKind.ASSISTANT]


def _own_results(fork: Fork) -> list[Child]:
    """Return the results that answer only calls of the parent."""
    if fork.parent.kind != EntryKind.ASSISTANT or not fork.parent_uses:
        return []
    return [
        child
        for child in fork.main
        if child.node.kind == EntryKind.RESULT and all(answer in fork.parent_uses for answer in child.answers)
    ]


def _is_onward(child: Child) -> bool:
    kind = child.first_talk_kind if child.node.kind == EntryKind.SIDE else child.node.kind
    return kind == EntryKind.ASSISTANT


def _with_latest_talk(children: Sequence[Child]) -> Child:
    return max(children, key=lambda child: child.latest_talk)


def _compared(child: Child) -> object:
    """Return the value by which children are compared: the text of a prompt, or the calls that a result answers."""
    if child.node.kind == EntryKind.PROMPT:
        return child.text
    if child.node.kind == EntryKind.RESULT:
        return tuple(sorted({answer or "" for answer in child.answers}))
    return None


def _count(items: Sequence[object], name: str) -> str:
    """Return the number of items and their name, in the plural unless there is exactly one."""
    if len(items) == 1:
        return f"1 {name}"
    plural = f"{name}ren" if name.endswith("child") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{len(items):,} {plural}"
