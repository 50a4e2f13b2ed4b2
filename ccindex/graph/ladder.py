"""The ladder: what several children of one entry are, decided by the first rung that rules."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from ccindex.model.graph import NONE, Child, Fork, Kind, Ruling, Verdict

MAX_PARALLEL_HEIGHT = 20  # a higher subtree is a conversation of its own

Rung = Callable[[Fork], Ruling | None]


def side_branches(fork: Fork) -> Ruling | None:
    """Side children beside at most one other child."""
    if len(fork.rest) > 1:
        return None
    then = fork.rest[0] if fork.rest else None
    late = _late_commands(fork, then)
    started = set(places(late))
    beside = "beside the one child that continues the line" if then else "with nothing after them"
    after = f"; {_count(late, 'command')} after its last talk" if late else ""
    return Ruling(
        "side_branches",
        Verdict.STITCHED,
        f"{_count(fork.side, 'side child')} {beside}{after}",
        inline=tuple([child.place for child in fork.side if child.place not in started]),
        then=then.place if then else NONE,
        segments=places(late),
    )


def _late_commands(fork: Fork, then: Child | None) -> list[Child]:
    """Commands later than all talk of the child that continues the line."""
    if then is None:
        return []
    return [child for child in fork.side if child.node.is_command and child.place > then.latest_talk]


def structural_results(fork: Fork) -> Ruling | None:
    """Users that no talk follows, beside the one assistant entry of the turn."""
    users, assistants = _users(fork), _assistants(fork)
    if not users or len(assistants) != 1 or len(users) + 1 != len(fork.rest):
        return None
    if any(user.talks_below for user in users):
        return None
    return Ruling(
        "structural_results",
        Verdict.STITCHED,
        f"{_count(users, 'user entry')} without talk below, beside the assistant entry that continues the line",
        inline=_by_time(fork.side, users),
        then=assistants[0].place,
    )


def parallel_calls(fork: Fork) -> Ruling | None:
    """Calls that ran side by side: short subtrees in which nobody typed anything."""
    users, assistants = _users(fork), _assistants(fork)
    if not users or not assistants or len(users) + len(assistants) != len(fork.rest):
        return None
    last = _with_latest_talk(fork.rest)
    others = [child for child in fork.rest if child is not last]
    if any(child.height > MAX_PARALLEL_HEIGHT or child.has_typed for child in others):
        return None
    return Ruling(
        "parallel_calls",
        Verdict.STITCHED,
        f"{_count(others, 'parallel child')} without a typed prompt, beside the one with the latest talk",
        inline=places(fork.side),
        inline_whole=places(others),
        then=last.place,
    )


def live_passthrough(fork: Fork) -> Ruling | None:
    """A turn that goes on below a progress or hook entry."""
    live = [child for child in fork.rest if child.node.kind == Kind.SIDE]
    if len(live) != 1:
        return None
    others = [child for child in fork.rest if child is not live[0]]
    if any(child.talks_below for child in others):
        return None
    return Ruling(
        "live_passthrough",
        Verdict.STITCHED,
        f"the talk continues below a side entry; nothing follows {_count(others, 'other child')}",
        inline=_by_time(fork.side, others),
        then=live[0].place,
    )


def continuation(fork: Fork) -> Ruling | None:
    """Children that follow one another: parts of one turn, of one response, or commands in a row."""
    for form in _CONTINUATIONS:
        ruling = form(fork)
        if ruling is not None:
            return ruling
    return None


def _turn(fork: Fork) -> Ruling | None:
    """Results of the parent's own calls, and the assistant entries that follow the calls."""
    results = _own_results(fork)
    onward = [child for child in fork.rest if _is_onward(child)]
    if not results or len(results) + len(onward) != len(fork.rest):
        return None
    if not onward and len({frozenset(result.answers) for result in results}) < 2:
        return None
    reason = f"{_count(results, 'result')} of the parent's own calls and {_count(onward, 'continuation')} of its turn"
    return _without_bare_results(fork, reason)


def _tail(fork: Fork) -> Ruling | None:
    """The next prompt below a quiet entry, later than all talk beside it."""
    tails = [child for child in fork.rest if child.node.is_quiet and child.first_spoken_kind == Kind.PROMPT]
    if len(tails) != 1:
        return None
    [tail] = tails
    others = [child for child in fork.rest if child is not tail]
    if any(child.latest_talk > tail.first_spoken for child in others):
        return None
    if tail.node.at >= fork.parent.at and any(child.node.kind == Kind.PROMPT for child in others):
        return None
    return _without_bare_results(fork, "the next prompt stands below a quiet entry, after all talk beside it")


def _open_call(fork: Fork) -> Ruling | None:
    """A prompt that was written before the results of the parent's calls arrived."""
    results = _own_results(fork)
    if not results or len(results) + 1 != len(fork.rest):
        return None
    own = set(places(results))
    [other] = [child for child in fork.rest if child.place not in own]
    if other.first_talk_kind != Kind.PROMPT or other.first_talk > min(own):
        return None
    return _in_segments(fork, "a prompt was written while a call of the parent was open")


def _commands(fork: Fork) -> Ruling | None:
    """Commands under one caveat, every one later than the talk of those before it."""
    if not fork.parent.is_caveat or not all(child.node.is_command for child in fork.rest):
        return None
    latest = NONE
    for child in fork.rest:
        if child.place < latest:
            return None
        latest = max(latest, child.latest_talk)
    return _in_segments(fork, f"{_count(fork.rest, 'command')} under one caveat, one after the other")


def _parts(fork: Fork) -> Ruling | None:
    """Several parts of one response, none of them twice."""
    seen: defaultdict[str, set[bytes]] = defaultdict(set)
    has_several = False
    for child in fork.rest:
        response = child.node.response
        if response is None or not child.contents:
            continue
        if response in seen:
            has_several = True
            if not seen[response].isdisjoint(child.contents):
                return None
        seen[response] |= child.contents
    if not has_several:
        return None
    return _in_segments(fork, "parts of one response recorded side by side, none of them twice")


_CONTINUATIONS: tuple[Rung, ...] = (_turn, _tail, _open_call, _commands, _parts)


def _in_segments(fork: Fork, reason: str) -> Ruling:
    return Ruling("continuation", Verdict.CONTINUED, reason, inline=places(fork.side), segments=places(fork.rest))


def _without_bare_results(fork: Fork, reason: str) -> Ruling:
    """Inline results of the parent's own calls that no talk follows; the others start segments."""
    bare = [result for result in _own_results(fork) if not result.talks_below]
    if len(bare) == len(fork.rest):
        bare.pop()
    inlined = set(places(bare))
    others = [child for child in fork.rest if child.place not in inlined]
    is_one = len(others) == 1
    return Ruling(
        "continuation",
        Verdict.CONTINUED,
        reason,
        inline=_by_time(fork.side, bare),
        then=others[0].place if is_one else NONE,
        segments=() if is_one else places(others),
    )


def replay(fork: Fork) -> Ruling | None:
    """History that was recorded again: one copy continues the line, the others are set aside."""
    kept = _same_instant(fork)
    if kept is not None:
        return _replayed(fork, kept, f"{_count(fork.rest, 'child')} of one instant with equal contents")
    kept = _recorded_again(fork)
    if kept is not None:
        return _replayed(fork, kept, "history recorded again: the last recording holds every response of the others")
    return None


def _same_instant(fork: Fork) -> Child | None:
    """Of children with one instant, one kind and equal contents, find the one whose talk continues longest."""
    if not all(child.node.is_stamped for child in fork.rest):
        return None
    if len({(child.node.at, child.node.kind, _compared(child)) for child in fork.rest}) != 1:
        return None
    living = [child for child in fork.rest if child.talks_below]
    return max(living, key=lambda child: child.latest_at) if living else fork.rest[0]


def _recorded_again(fork: Fork) -> Child | None:
    """Find the child that holds the history of all the others too."""
    last = _with_latest_talk(fork.rest)
    if last.latest_talk == NONE:
        return None
    others = (child for child in fork.rest if child is not last)
    return last if all(fork.is_recorded_again(child.place, last.place) for child in others) else None


def _replayed(fork: Fork, kept: Child, reason: str) -> Ruling:
    copies = [child for child in fork.rest if child is not kept]
    return Ruling(
        "replay",
        Verdict.REPLAY,
        f"{reason}; {_count(copies, 'copy')} set aside",
        inline=places(fork.side),
        then=kept.place,
        dropped=places(copies),
    )


def rewind(fork: Fork) -> Ruling:
    """Alternatives: a person went back, or the same was answered again."""
    if _is_rewind(fork.rest):
        verdict, what = Verdict.REWIND, "a person went back to this entry and continued from here"
    else:
        verdict, what = Verdict.RETRY, "answered again: nobody went back"
    return Ruling(
        "rewind",
        verdict,
        f"{_count(fork.rest, 'alternative')}; {what}",
        inline=places(fork.side),
        branches=places(fork.rest),
    )


def _is_rewind(rest: Sequence[Child]) -> bool:
    """Whether prompts start at least two children, and none goes on after a later one has started."""
    if sum(child.first_talk_kind == Kind.PROMPT for child in rest) < 2:
        return False
    latest = NONE
    for child in sorted(rest, key=lambda child: child.first_talk):
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
NUMBER = {rung.__name__: number for number, rung in enumerate(LADDER, start=1)}


def rule(fork: Fork) -> Ruling:
    """Place every child of a fork."""
    for rung in LADDER:
        ruling = rung(fork)
        if ruling is not None:
            assert sorted(ruling.children()) == sorted(places(fork.children)), ruling
            return ruling
    raise AssertionError("the last rung rules on every fork")


def places(children: Iterable[Child]) -> tuple[int, ...]:
    """Return children by their places in time."""
    return tuple([child.place for child in children])


def _by_time(*groups: Iterable[Child]) -> tuple[int, ...]:
    return tuple(sorted(child.place for group in groups for child in group))


def _users(fork: Fork) -> list[Child]:
    return [child for child in fork.rest if child.node.is_user]


def _assistants(fork: Fork) -> list[Child]:
    return [child for child in fork.rest if child.node.kind == Kind.ASSISTANT]


def _own_results(fork: Fork) -> list[Child]:
    """Results of the parent's own calls only."""
    if fork.parent.kind != Kind.ASSISTANT or not fork.parent_uses:
        return []
    return [
        child
        for child in fork.rest
        if child.node.kind == Kind.RESULT and all(answer in fork.parent_uses for answer in child.answers)
    ]


def _is_onward(child: Child) -> bool:
    if child.node.kind == Kind.ASSISTANT:
        return True
    return child.node.kind == Kind.SIDE and child.first_talk_kind == Kind.ASSISTANT


def _with_latest_talk(children: Sequence[Child]) -> Child:
    return max(children, key=lambda child: child.latest_talk)


def _compared(child: Child) -> object:
    """What makes two children equal: a prompt's text, the calls that a result answers."""
    if child.node.kind == Kind.PROMPT:
        return child.text
    if child.node.kind == Kind.RESULT:
        return tuple(sorted({answer or "" for answer in child.answers}))
    return None


_PLURALS = {
    "side child": "side children",
    "child": "children",
    "other child": "other children",
    "parallel child": "parallel children",
    "user entry": "user entries",
    "copy": "copies",
}


def _count(things: Sequence[object], name: str) -> str:
    count = len(things)
    return f"{count:,} {name if count == 1 else _PLURALS.get(name, name + 's')}"
