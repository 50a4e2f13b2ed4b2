"""A number to sessions like those of a day at work: prompts, calls, subagents, rewinds, compactions, resumes."""

import json
import random
from collections.abc import Iterator

from .entries import Maker
from .talk import Talk

_GAP = 1_800.0  # seconds from one session to the next
_COMPACTED = 12  # turns
_COPIED = 60  # entries of a session that a resumed one brings along


def day(make: Maker, size: int) -> Iterator[tuple[str, list[str]]]:
    """Give the files of so many sessions; one in eight goes on from the one before."""
    dice = random.Random(make.seed)  # noqa: S311 - to be repeatable
    last: Talk | None = None
    for number in range(size):
        talk = Talk(make, dice, f"day{number}", number * _GAP)
        if last is not None and dice.random() < 0.125:
            _resume(talk, last)
        else:
            talk.snapshot()
        _work(talk, turns=1 + int(dice.lognormvariate(1.0, 0.8)))
        yield from _files(talk)
        last = talk


def session_of(make: Maker, name: str, *, size: int, at: float = 0.0) -> Iterator[tuple[str, list[str]]]:
    """Give the files of one session of at least so many bytes."""
    talk = Talk(make, random.Random(f"{make.seed}/{name}"), name, at)  # noqa: S311 - to be repeatable
    talk.snapshot()
    while talk.size < size:
        _work(talk, turns=1)
    yield from _files(talk)


def _work(talk: Talk, *, turns: int) -> None:
    """Ask and have things done, with what happens on the way."""
    ends = [talk.last] if talk.last is not None else []
    for turn in range(1, turns + 1):
        if len(ends) > 1 and talk.dice.random() < 0.06:
            talk.last = talk.dice.choice(ends[:-1])  # a rewind: the next prompt hangs further up
        talk.prompt()
        for _ in range(int(talk.dice.lognormvariate(0.9, 0.9))):
            talk.round()
            if talk.dice.random() < 0.04:
                talk.delegate()
        talk.answer()
        talk.duration()
        if talk.last is not None:
            ends.append(talk.last)
        if turn % _COMPACTED == 0:
            talk.compact()
            ends = []


def _resume(talk: Talk, last: Talk) -> None:
    """Begin with copies of what was said in another session, as older versions wrote it."""
    theirs, ours = (f'"sessionId":"{talk.make.uuid(name)}"' for name in (last.session, talk.session))
    talk.lines += [line.replace(theirs, ours) for line in last.lines if '"uuid"' in line][-_COPIED:]
    talk.last = last.last


def _files(talk: Talk) -> Iterator[tuple[str, list[str]]]:
    make = talk.make
    yield make.session_file(talk.session), talk.lines
    for agent in talk.agents:
        yield make.agent_file(talk.session, agent.name), agent.lines
        yield make.agent_file(talk.session, agent.name, "meta.json"), [json.dumps(agent.sidecar)]
