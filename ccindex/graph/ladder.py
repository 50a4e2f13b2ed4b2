"""The ladder: an ordered list of rules that decide how several children of one entry relate to each other."""

from collections.abc import Callable, Sequence

from ccindex.graph.continuation import continuation
from ccindex.graph.fork_children import (
    assistant_children,
    by_time,
    count_of,
    indexes,
    user_children,
    with_latest_talk,
)
from ccindex.model.graph import NONE, Child, EntryKind, Fork, Ruling, Verdict

MAX_PARALLEL_HEIGHT = 20  # a taller subtree counts as a separate conversation

Rung = Callable[[Fork], Ruling | None]


def side_branches(fork: Fork) -> Ruling | None:
    """Rule on side children if the fork has at most one main child (rule: side_branches)."""
    if len(fork.main) > 1:
        return None
    next_child = fork.main[0] if fork.main else None
    late = _late_commands(fork, next_child)
    started = set(indexes(late))
    beside = "beside the one child that continues the line" if next_child else "with nothing after them"
    after = f"; {count_of(late, 'command')} after its last talk" if late else ""
    return Ruling(
        "side_branches",
        Verdict.STITCHED,
        f"{count_of(fork.side, 'side child')} {beside}{after}",
        inline=tuple([child.index for child in fork.side if child.index not in started]),
        next_child=next_child.index if next_child else NONE,
        segments=indexes(late),
    )


def _late_commands(fork: Fork, next_child: Child | None) -> list[Child]:
    """Return the side commands that are later than all talk entries in the subtree of `next_child`.

    If `next_child` is None, return an empty list (rule: late_command).
    """
    if next_child is None:
        return []
    return [child for child in fork.side if child.node.is_command and child.index > next_child.latest_talk]


def structural_results(fork: Fork) -> Ruling | None:
    """Rule on user entries with no conversation below them, next to one assistant entry (rule: structural_results)."""
    users, assistants = user_children(fork), assistant_children(fork)
    if not users or len(assistants) != 1 or len(users) + 1 != len(fork.main):
        return None
    if any(user.talks_below for user in users):
        return None
    return Ruling(
        "structural_results",
        Verdict.STITCHED,
        f"{count_of(users, 'user entry')} without talk below, beside the assistant entry that continues the line",
        inline=by_time(fork.side, users),
        next_child=assistants[0].index,
    )


def parallel_calls(fork: Fork) -> Ruling | None:
    """Rule on parallel calls: all subtrees but one are short and contain no typed prompt (rule: parallel_calls)."""
    users, assistants = user_children(fork), assistant_children(fork)
    if not users or not assistants or len(users) + len(assistants) != len(fork.main):
        return None
    last = with_latest_talk(fork.main)
    others = [child for child in fork.main if child is not last]
    if any(child.height > MAX_PARALLEL_HEIGHT or child.has_typed_prompt for child in others):
        return None
    return Ruling(
        "parallel_calls",
        Verdict.STITCHED,
        f"{count_of(others, 'parallel child')} without a typed prompt, beside the one with the latest talk",
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
        f"the talk continues below a side entry; nothing follows {count_of(others, 'other child')}",
        inline=by_time(fork.side, others),
        next_child=live[0].index,
    )


def replay(fork: Fork) -> Ruling | None:
    """Rule on history that was recorded again: keep the copy that continues the line, and set the others aside.

    (rule: replay)
    """
    kept = _same_instant(fork)
    if kept is not None:
        return _replayed(fork, kept, f"{count_of(fork.main, 'child')} of one instant with equal contents")
    kept = _recorded_again(fork)
    if kept is not None:
        return _replayed(fork, kept, "history recorded again: the last recording holds every response of the others")
    return None


def _same_instant(fork: Fork) -> Child | None:
    """Return the child to keep if all children have the same timestamp, the same kind, and the same text or calls.

    The child with the latest talk entry below it is kept. If no child has one, the first child is kept.

    (rule: replay_same_instant)
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
    last = with_latest_talk(fork.main)
    if last.latest_talk == NONE:
        return None
    others = (child for child in fork.main if child is not last)
    return last if all(fork.is_recorded_again(child.index, last.index) for child in others) else None


def _replayed(fork: Fork, kept: Child, reason: str) -> Ruling:
    copies = [child for child in fork.main if child is not kept]
    return Ruling(
        "replay",
        Verdict.REPLAY,
        f"{reason}; {count_of(copies, 'copy')} set aside",
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
        f"{count_of(fork.main, 'alternative')}; {cause}",
        inline=indexes(fork.side),
        branches=indexes(fork.main),
    )


def _is_rewind(children: Sequence[Child]) -> bool:
    """Return whether two or more children start with a prompt and no two overlap in time (rule: rewind_verdict)."""
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
    """Return the ruling of the first applicable rung. The ruling covers every child (rule: every_child_placed)."""
    for rung in LADDER:
        ruling = rung(fork)
        if ruling is not None:
            assert sorted(ruling.children()) == sorted(indexes(fork.children)), ruling
            return ruling
    raise AssertionError("the last rung rules on every fork")


def _compared(child: Child) -> object:
    """Return the value that copies share: the text of a prompt or the calls that a result answers; otherwise None."""
    if child.node.kind == EntryKind.PROMPT:
        return child.text
    if child.node.kind == EntryKind.RESULT:
        return tuple(sorted({answer or "" for answer in child.answers}))
    return None
