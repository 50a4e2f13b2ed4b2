"""Write conversations that were recorded out of order or twice. Each shape returns the entry to continue from."""

from typing import Any

from . import contents
from .transcript_builder import ThreadFile, TranscriptBuilder

Blocks = list[dict[str, Any]]


def tail(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a quiet entry next to the rest of its turn, and the next prompt below the quiet entry."""
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


def open_call(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a prompt while a call is open; the result of the call follows later."""
    call = make.write(place, "call", tip)
    prompt = make.write(place, "prompt", make.write(place, "side", call) if make.chance(20) else call)
    if make.chance(50):
        make.write(place, make.pick(["prompt", "answer"]), prompt)
    results = [make.write(place, "result", call) for _ in range(make.pick([1, 1, 2]))]
    return make.write(place, "answer", results[-1])


def commands_under_caveat(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write several commands with one caveat as their parent."""
    caveat = make.write(place, "caveat", tip)
    here = caveat
    for _ in range(make.pick([2, 2, 3])):
        command = make.write(place, "command", caveat)
        here = make.write(place, "command", command) if make.chance(40) else command
        if make.chance(80):
            here = make.write(place, "prompt", here) if make.chance(40) else here
            here = make.write(place, "answer", here)
    return here


def late_command(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a conversation below an entry and, later, one or two commands below the same entry."""
    start = make.write(place, "answer", tip)
    end = make.write(place, make.pick(["prompt", "answer", "boundary"]), start)
    if make.chance(60):
        end = make.write(place, make.pick(["answer", "side"]), end)
    for _ in range(make.pick([1, 1, 2])):
        command = make.write(place, "command", start)
        if make.chance(40):
            make.write(place, make.pick(["command", "side"]), command)
    return end


def quiet_beside(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write text that nobody typed, or a synthetic answer, next to the entry that continues the conversation."""
    start = make.write(place, make.pick(["call", "answer", "prompt"]), tip)
    quiet = make.write(place, make.pick(["odd", "odd", "synthetic", "picture", "caveat"]), start)
    if make.chance(30):
        make.write(place, make.pick(["side", "synthetic", "odd", "answer"]), quiet)
    return make.write(place, make.pick(["prompt", "answer", "result"]), start)


def parts(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write the blocks of a response as siblings."""
    hook = make.write(place, make.pick(["side", "side", "prompt", "result"]), tip)
    response = new_response_id(make)
    ends = []
    for number in range(make.pick([2, 2, 3])):
        shared = make.chance(8)
        end = write_response_part(make, place, hook, response, [_text(f"{response} {0 if shared else number}")])
        if make.chance(60):
            end = make.write(place, make.pick(["answer", "result", "side"]), end)
        ends.append(end)
    if make.chance(30):
        ends.append(make.write(place, make.pick(["answer", "side", "prompt"]), hook))
    return make.pick(ends)


def late_block(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a late block of a response below the result of the response's own call, as a sibling of what follows."""
    response = new_response_id(make)
    above = write_response_part(make, place, tip, response, make.calls())
    for _ in range(make.pick([1, 1, 2])):
        above = make.write(place, "result", above)
    kinds = make.shuffled(["late", "onward"]) + (["late"] if make.chance(20) else [])
    ends = []
    for kind in kinds:
        if kind == "late":
            late = write_response_part(make, place, above, response, [_text(f"{response} late")])
            if make.chance(20):
                make.write(place, make.pick(["side", "answer"]), late)
        else:
            ends.append(make.write(place, make.pick(["answer", "call", "synthetic"]), above))
    return make.write(place, make.pick(["answer", "prompt"]), ends[0])


def recorded_again(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a history and record it again under the same parent, as a resume does."""
    return _twice(make, place, tip)


def recorded_again_without_parent(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a history and record it again, each time starting at a root whose parent is null or does not exist."""
    end = _twice(make, place, make.pick([None, None, None, "ghost"]))
    return end if make.chance(70) or tip is None else tip


def answered_again(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write one prompt with two or three answers, each with a continuation."""
    prompt = make.write(place, "prompt", tip)
    ends = [make.write(place, "answer", prompt) for _ in range(make.pick([2, 2, 3]))]
    ends = [make.write(place, make.pick(["prompt", "answer", "side"]), end) for end in make.shuffled(ends)]
    return make.pick(ends)


def two_processes(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write two prompts below one answer, and continue the two conversations alternately."""
    answer = make.write(place, "answer", tip)
    ends = [make.write(place, "prompt", answer) for _ in range(2)]
    for _ in range(make.pick([1, 2])):
        ends = [make.write(place, "answer", end) for end in ends]
    return make.pick(ends)


def nested_rewinds(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write several rewinds, each on a branch of the previous one."""
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


def compaction_inside(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a compaction that belongs between an entry and the entries that follow it."""
    marked = make.write(place, "answer", make.write(place, "prompt", tip))
    about = {"trigger": "auto", "preservedSegment": {"tailUuid": marked}}
    logical = {"logicalParentUuid": marked} if make.chance(70) else {}
    boundary = make.write(place, "boundary", None, compactMetadata=about, **logical)
    summary = make.write(place, "prompt", boundary, isCompactSummary=True)
    after = make.write(place, "prompt", marked)
    make.write(place, "answer", after)
    return make.pick([after, summary])


def _twice(make: TranscriptBuilder, place: ThreadFile, parent: str | None) -> str:
    """Write a history and record it again once or twice, and usually continue one of the recordings.

    All entries of a repetition have the same timestamp.
    """
    turns: list[tuple[str, str, Blocks]] = []
    for _ in range(make.pick([1, 1, 2])):
        response = new_response_id(make)
        said = _text(f"{response} says")
        turns.append((f"ask {response}", response, [said, *make.calls()] if make.chance(50) else [said]))
    ends = [_record(make, place, parent, turns)]
    for _ in range(make.pick([1, 1, 1, 2])):
        make.second += 1
        stamp = f"2026-03-01T09:{make.second // 60:02}:{make.second % 60:02}.000Z"
        ends.append(_record(make, place, parent, turns, timestamp=stamp))
    onward = make.pick([*ends, *ends[-1:] * 3])
    return make.write(place, make.pick(["prompt", "answer"]), onward) if make.chance(85) else onward


def _record(
    make: TranscriptBuilder, place: ThreadFile, parent: str | None, turns: list[tuple[str, str, Blocks]], **keys: Any
) -> str:
    here = parent
    for words, response, blocks in turns:
        if make.chance(85):
            here = make.write(place, "prompt", here, message={"role": "user", "content": words}, **keys)
        said = [_text(f"{response} says otherwise")] if make.chance(8) else blocks
        responded = new_response_id(make) if make.chance(5) else response
        for group in [[block] for block in said] if make.chance(50) else [said]:
            here = write_response_part(make, place, here, responded, group, **keys)
    return here or make.write(place, "prompt", parent)


def write_response_part(
    make: TranscriptBuilder, place: ThreadFile, parent: str | None, response: str, blocks: Blocks, **keys: Any
) -> str:
    """Write one entry of a response."""
    message = {"role": "assistant", "id": response, "model": "claude-x", "content": blocks}
    if make.chance(3):
        message["model"] = "<synthetic>"
    return make.write(place, "answer", parent, message=message, **keys)


def new_response_id(make: TranscriptBuilder) -> str:
    """Return a new response id or, occasionally, one that other entries may also have."""
    return make.pick(contents.COMMON_RESPONSES) if make.chance(6) else f"msg{len(make.written)}"


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}
