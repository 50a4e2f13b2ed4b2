"""Shapes of one conversation that the recorder scattered or wrote twice; each returns the entry to go on from."""

from typing import Any

from . import contents
from .growth import Maker, Place

Blocks = list[dict[str, Any]]


def tail(make: Maker, place: Place, tip: str | None) -> str:
    """The turn goes on beside a quiet entry, and the next prompt hangs on that."""
    call = make.write(place, make.pick(["call", "call", "answer"]), tip)
    stamp = make.pick(["2026-03-01T08:59:00.000Z", None]) if make.chance(20) else None
    quiet = make.write(place, make.pick(["side", "side", "command", "synthetic", "odd"]), call)
    if stamp:
        make.written[quiet]["timestamp"] = stamp
    kinds = ["result", "result", "call", "answer", "prompt"]
    for kind in make.some(kinds, 1, 2):
        other = make.write(place, kind, call)
        if make.chance(65):
            make.write(place, "answer", other)
    if make.chance(25):
        quiet = make.write(place, make.pick(["side", "synthetic"]), quiet)
    prompt = make.write(place, "prompt", quiet)
    return make.write(place, "answer", prompt) if make.chance(60) else prompt


def open_call(make: Maker, place: Place, tip: str | None) -> str:
    """A prompt comes while a call is open; the call's result follows later."""
    call = make.write(place, "call", tip)
    prompt = make.write(place, "prompt", make.write(place, "side", call) if make.chance(20) else call)
    if make.chance(50):
        make.write(place, make.pick(["prompt", "answer"]), prompt)
    results = [make.write(place, "result", call) for _ in range(make.pick([1, 1, 2]))]
    return make.write(place, "answer", results[-1])


def commands_under_caveat(make: Maker, place: Place, tip: str | None) -> str:
    """Several commands name one caveat as their parent."""
    caveat = make.write(place, "caveat", tip)
    here = caveat
    for _ in range(make.pick([2, 2, 3])):
        command = make.write(place, "command", caveat)
        here = make.write(place, "command", command) if make.chance(40) else command
        if make.chance(80):
            here = make.write(place, "prompt", here) if make.chance(40) else here
            here = make.write(place, "answer", here)
    return here


def late_command(make: Maker, place: Place, tip: str | None) -> str:
    """A command hangs on an entry after which the conversation went on, and is later than all of it."""
    start = make.write(place, "answer", tip)
    end = make.write(place, make.pick(["prompt", "answer", "boundary"]), start)
    if make.chance(60):
        end = make.write(place, make.pick(["answer", "side"]), end)
    for _ in range(make.pick([1, 1, 2])):
        command = make.write(place, "command", start)
        if make.chance(40):
            make.write(place, make.pick(["command", "side"]), command)
    return end


def quiet_beside(make: Maker, place: Place, tip: str | None) -> str:
    """A text that nobody typed, or an answer of no model, beside what goes on."""
    start = make.write(place, make.pick(["call", "answer", "prompt"]), tip)
    quiet = make.write(place, make.pick(["odd", "odd", "synthetic", "picture", "caveat"]), start)
    if make.chance(30):
        make.write(place, make.pick(["side", "synthetic", "odd", "answer"]), quiet)
    return make.write(place, make.pick(["prompt", "answer", "result"]), start)


def parts(make: Maker, place: Place, tip: str | None) -> str:
    """The blocks of a response stand side by side under one entry."""
    hook = make.write(place, make.pick(["side", "side", "prompt", "result"]), tip)
    response = fresh(make)
    ends = []
    for number in range(make.pick([2, 2, 3])):
        shared = make.chance(8)
        end = say(make, place, hook, response, [_text(f"{response} {0 if shared else number}")])
        if make.chance(60):
            end = make.write(place, make.pick(["answer", "result", "side"]), end)
        ends.append(end)
    if make.chance(30):
        ends.append(make.write(place, make.pick(["answer", "side", "prompt"]), hook))
    return make.pick(ends)


def late_block(make: Maker, place: Place, tip: str | None) -> str:
    """A block of a response is recorded below the result of its own call, beside the next response."""
    response = fresh(make)
    above = say(make, place, tip, response, make.calls())
    for _ in range(make.pick([1, 1, 2])):
        above = make.write(place, "result", above)
    kinds = make.shuffled(["late", "onward"]) + (["late"] if make.chance(20) else [])
    ends = []
    for kind in kinds:
        if kind == "late":
            late = say(make, place, above, response, [_text(f"{response} late")])
            if make.chance(20):
                make.write(place, make.pick(["side", "answer"]), late)
        else:
            ends.append(make.write(place, make.pick(["answer", "call", "synthetic"]), above))
    return make.write(place, make.pick(["answer", "prompt"]), ends[0])


def recorded_again(make: Maker, place: Place, tip: str | None) -> str:
    """A resume records the history again under the same parent and goes on from there."""
    return _twice(make, place, tip)


def recorded_again_without_parent(make: Maker, place: Place, tip: str | None) -> str:
    """A resume records the history again under a root without a parent."""
    end = _twice(make, place, make.pick([None, None, None, "ghost"]))
    return end if make.chance(70) or tip is None else tip


def answered_again(make: Maker, place: Place, tip: str | None) -> str:
    """One prompt has two answers that both go on."""
    prompt = make.write(place, "prompt", tip)
    ends = [make.write(place, "answer", prompt) for _ in range(make.pick([2, 2, 3]))]
    ends = [make.write(place, make.pick(["prompt", "answer", "side"]), end) for end in make.shuffled(ends)]
    return make.pick(ends)


def two_processes(make: Maker, place: Place, tip: str | None) -> str:
    """Two prompts under one answer, and both conversations go on in turn."""
    answer = make.write(place, "answer", tip)
    ends = [make.write(place, "prompt", answer) for _ in range(2)]
    for _ in range(make.pick([1, 2])):
        ends = [make.write(place, "answer", end) for end in ends]
    return make.pick(ends)


def nested_rewinds(make: Maker, place: Place, tip: str | None) -> str:
    """Several rewinds, each in a branch of the one before."""
    here = make.write(place, "answer", tip)
    for _ in range(make.pick([2, 3])):
        first = make.write(place, "prompt", here)
        if make.chance(60):
            make.write(place, "answer", first)
        second = make.write(place, "prompt", here)
        if make.chance(15):
            make.written[first]["is_active"] = True
        here = make.write(place, "answer", second)
    return here


def compaction_inside(make: Maker, place: Place, tip: str | None) -> str:
    """A boundary belongs after an entry from which the line goes on with later talk."""
    marked = make.write(place, "answer", make.write(place, "prompt", tip))
    about = {"trigger": "auto", "preservedSegment": {"tailUuid": marked}}
    logical = {"logicalParentUuid": marked} if make.chance(70) else {}
    boundary = make.write(place, "boundary", None, compactMetadata=about, **logical)
    summary = make.write(place, "prompt", boundary, isCompactSummary=True)
    after = make.write(place, "prompt", marked)
    make.write(place, "answer", after)
    return make.pick([after, summary])


def _twice(make: Maker, place: Place, parent: str | None) -> str:
    """Two or three recordings of one history, the later ones at one instant; one of them goes on."""
    turns: list[tuple[str, str, Blocks]] = []
    for _ in range(make.pick([1, 1, 2])):
        response = fresh(make)
        said = _text(f"{response} says")
        turns.append((f"ask {response}", response, [said, *make.calls()] if make.chance(50) else [said]))
    ends = [_record(make, place, parent, turns)]
    for _ in range(make.pick([1, 1, 1, 2])):
        make.second += 1
        stamp = f"2026-03-01T09:{make.second // 60:02}:{make.second % 60:02}.000Z"
        ends.append(_record(make, place, parent, turns, timestamp=stamp))
    onward = make.pick([*ends, *ends[-1:] * 3])
    return make.write(place, make.pick(["prompt", "answer"]), onward) if make.chance(85) else onward


def _record(make: Maker, place: Place, parent: str | None, turns: list[tuple[str, str, Blocks]], **keys: Any) -> str:
    here = parent
    for words, response, blocks in turns:
        if make.chance(85):
            here = make.write(place, "prompt", here, message={"role": "user", "content": words}, **keys)
        said = [_text(f"{response} says otherwise")] if make.chance(8) else blocks
        responded = fresh(make) if make.chance(5) else response
        for group in [[block] for block in said] if make.chance(50) else [said]:
            here = say(make, place, here, responded, group, **keys)
    return here or make.write(place, "prompt", parent)


def say(make: Maker, place: Place, parent: str | None, response: str, blocks: Blocks, **keys: Any) -> str:
    """Write a part of a response."""
    message = {"role": "assistant", "id": response, "model": "claude-x", "content": blocks}
    if make.chance(3):
        message["model"] = "<synthetic>"
    return make.write(place, "answer", parent, message=message, **keys)


def fresh(make: Maker) -> str:
    """A response that nothing else is a part of, now and then one that other entries may be a part of."""
    return make.pick(contents.COMMON_RESPONSES) if make.chance(6) else f"msg{len(make.written)}"


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}
