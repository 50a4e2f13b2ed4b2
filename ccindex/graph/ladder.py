"""The ladder: what several children of one entry are, decided by the first rung that rules."""

from collections.abc import Callable, Iterable, Sequence

from ccindex.model.graph import NONE, Child, Fork, Kind, Reason, Ruling, Verdict

DEAD_END_HEIGHT = 20  # a subtree higher than this goes on, as far as anyone can tell (seed 001)

Rung = Callable[[Fork], Ruling | None]


def side_branches(fork: Fork) -> Ruling | None:
    """Hooks, progress and commands beside at most one child that matters."""
    if len(fork.rest) > 1:
        return None
    then = fork.rest[0].place if fork.rest else NONE
    goes_on = "beside the one child that goes on" if fork.rest else "with nothing after them"
    return Ruling("side_branches", f"{_count(fork.side, 'side child')} {goes_on}", inline=places(fork.side), then=then)


def structural_results(fork: Fork) -> Ruling | None:
    """Results that nothing follows, beside the turn's next entry."""
    users, assistants = _users(fork), _assistants(fork)
    if not users or len(assistants) != 1 or len(users) + 1 != len(fork.rest):
        return None
    if any(user.below.talks for user in users):
        return None
    return Ruling(
        "structural_results",
        f"{_count(users, 'user entry')} that no talk follows, beside the assistant entry that goes on",
        inline=_by_time(fork.side, users),
        then=assistants[0].place,
    )


def dead_end_calls(fork: Fork) -> Ruling | None:
    """Calls that lead nowhere, beside the one user entry that goes on."""
    users, assistants = _users(fork), _assistants(fork)
    if not users or not assistants or len(users) + len(assistants) != len(fork.rest):
        return None
    onward = [user for user in users if user.below.height]
    if len(onward) != 1:
        return None
    others = [child for child in fork.rest if child is not onward[0]]
    if not all(_is_dead_end(child) for child in others):
        return None
    return Ruling(
        "dead_end_calls",
        f"{_count(others, 'dead end')} beside the one user entry that goes on",
        inline=_by_time(fork.side, others),
        then=onward[0].place,
        below=Reason.DEAD_END,
    )


def live_passthrough(fork: Fork) -> Ruling | None:
    """A turn that goes on behind a progress or hook entry."""
    live = [child for child in fork.rest if child.node.kind == Kind.SIDE]
    if len(live) != 1:
        return None
    others = [child for child in fork.rest if child is not live[0]]
    if any(child.below.talks for child in others):
        return None
    return Ruling(
        "live_passthrough",
        f"the talk goes on behind a side entry; nothing follows {_count(others, 'other child')}",
        inline=_by_time(fork.side, others),
        then=live[0].place,
    )


def continuation(fork: Fork) -> Ruling | None:
    """A turn that goes on while its tools run: results of the parent's own calls, and what follows the calls."""
    if fork.parent_kind != Kind.ASSISTANT or not fork.parent_uses:
        return None
    results = [child for child in fork.rest if child.node.kind == Kind.RESULT]
    onward = [child for child in fork.rest if _is_onward(child)]
    if not results or len(results) + len(onward) != len(fork.rest):
        return None
    if not all(answer in fork.parent_uses for result in results for answer in result.answers):
        return None
    if not onward and len({frozenset(result.answers) for result in results}) < 2:
        return None
    return Ruling(
        "continuation",
        f"{_count(results, 'result')} of the parent's own calls and {_count(onward, 'continuation')} of its turn",
        inline=places(fork.side),
        segments=places(fork.rest),
    )


def replay(fork: Fork) -> Ruling | None:
    """Children of one instant and the same words: one lives, the others re-emit it."""
    if not all(child.node.is_stamped for child in fork.rest):
        return None
    if len({(child.node.at, child.node.kind, _said(child)) for child in fork.rest}) != 1:
        return None
    lives = next((child for child in fork.rest if child.below.talks), fork.rest[0])
    copies = [child for child in fork.rest if child is not lives]
    return Ruling(
        "replay",
        f"{_count(fork.rest, 'child')} of one instant say the same; {_count(copies, 'copy')} set aside",
        inline=places(fork.side),
        then=lives.place,
        dropped=places(copies),
    )


def rewind(fork: Fork) -> Ruling:
    """The conversation was taken up again from an earlier point."""
    return Ruling(
        "rewind",
        f"{_count(fork.rest, 'child')}, no recording artifact: the conversation was taken up again from here",
        inline=places(fork.side),
        branches=places(fork.rest),
    )


LADDER: tuple[Rung, ...] = (
    side_branches,  # 1
    structural_results,  # 2
    dead_end_calls,  # 3
    live_passthrough,  # 4
    continuation,  # 5
    replay,  # 6
    rewind,  # 7, rules on every fork
)
NUMBER = {rung.__name__: number for number, rung in enumerate(LADDER, start=1)}
_VERDICTS = {"continuation": Verdict.CONTINUED, "replay": Verdict.REPLAY, "rewind": Verdict.REWIND}


def rule(fork: Fork) -> Ruling:
    """Place every child of a fork."""
    for rung in LADDER:
        ruling = rung(fork)
        if ruling is not None:
            assert sorted(ruling.children()) == sorted(places(fork.children)), ruling
            return ruling
    raise AssertionError("a rewind rules on every fork")


def verdict(ruling: Ruling) -> Verdict:
    """Say in one word what a ruling made of its fork."""
    return _VERDICTS.get(ruling.rung, Verdict.STITCHED)


def places(children: Iterable[Child]) -> tuple[int, ...]:
    """Children by their places in time."""
    return tuple([child.place for child in children])


def _by_time(*groups: Iterable[Child]) -> tuple[int, ...]:
    return tuple(sorted(child.place for group in groups for child in group))


def _users(fork: Fork) -> list[Child]:
    return [child for child in fork.rest if child.node.is_user]


def _assistants(fork: Fork) -> list[Child]:
    return [child for child in fork.rest if child.node.kind == Kind.ASSISTANT]


def _is_dead_end(child: Child) -> bool:
    return child.below.height <= DEAD_END_HEIGHT and not child.node.is_typed and not child.below.has_typed


def _is_onward(child: Child) -> bool:
    if child.node.kind == Kind.ASSISTANT:
        return True
    return child.node.kind == Kind.SIDE and child.below.nearest_talk == Kind.ASSISTANT


def _said(child: Child) -> object:
    """What makes two children the same: a prompt's words, the calls that a result answers."""
    if child.node.kind == Kind.PROMPT:
        return child.says
    if child.node.kind == Kind.RESULT:
        return tuple(sorted({answer or "" for answer in child.answers}))
    return None


_PLURALS = {
    "side child": "side children",
    "child": "children",
    "other child": "other children",
    "user entry": "user entries",
    "copy": "copies",
}


def _count(things: Sequence[object], name: str) -> str:
    count = len(things)
    return f"{count:,} {name if count == 1 else _PLURALS.get(name, name + 's')}"
