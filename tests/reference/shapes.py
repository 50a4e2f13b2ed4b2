"""Write shapes that occur in real transcripts. Each shape function returns the entry to continue from."""

from collections.abc import Callable

from .contents import sizes
from .recording_shapes import (
    answered_again,
    commands_under_caveat,
    compaction_inside,
    late_block,
    late_command,
    nested_rewinds,
    open_call,
    parts,
    quiet_beside,
    recorded_again,
    recorded_again_without_parent,
    tail,
    two_processes,
)
from .transcript_builder import RUN_IDS, ThreadFile, TranscriptBuilder

Shape = Callable[[TranscriptBuilder, ThreadFile, str | None], str]

_KINDS = ["prompt", "prompt", "answer", "answer", "call", "result", "side", "command", "odd", "mixed", "boundary"]
_KINDS += ["synthetic", "picture", "caveat"]


def chain(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write one entry of any kind."""
    return make.write(place, make.pick(_KINDS), tip)


def turn(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a prompt and its answer, sometimes with a hook entry between them."""
    prompt = make.write(place, "prompt", tip)
    above = make.write(place, "side", prompt) if make.chance(20) else prompt
    return make.write(place, make.pick(["answer", "call"]), above)


def call_and_result(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a call and, below it, its result."""
    return make.write(place, "result", make.write(place, "call", tip))


def agent_calls(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write calls for two agents at once, and up to two results."""
    call = make.write(place, "spawns", tip)
    results = [make.write(place, "result", call) for _ in range(make.pick([0, 1, 1, 2]))]
    return make.pick([*results, call])


def report(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a report, as `report_of` does, about one of the session's agents or, if it has none, about any agent."""
    return report_of(make, place, tip, make.pick(make.agents_of.get(place.session, make.agents)))


def report_of(make: TranscriptBuilder, place: ThreadFile, tip: str | None, agent: str) -> str:
    """Write calls that start agents, and a result or progress entry that contains the given agent id or a run id."""
    call = make.write(place, "spawns", tip)
    way = make.pick(["result", "text", "progress", "run"])
    if way == "progress":
        data = {"type": "agent_progress", "agentId": agent}
        progress = make.write(place, "side", call, subtype=None, content=None, attachment=None)
        make.written[progress] |= {"type": "progress", "data": data, "parentToolUseID": make.ids_called(call)[0]}
        return progress
    result = make.write(place, "result", call)
    if way == "text":
        make.written[result]["message"]["content"][0]["content"] = f"done\nagentId: {agent} (to resume)"
    else:
        named = {"agentId": agent} if way == "result" else {"runId": make.pick(RUN_IDS)}
        make.written[result]["toolUseResult"] = named
    return result


def side_beside(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a side entry or a command, sometimes with entries below it, next to the rest of the conversation."""
    aside = make.write(place, make.pick(["side", "side", "command"]), tip)
    if make.chance(50):
        below = make.write(place, make.pick(["side", "command"]), aside)
        make.write(place, make.pick(["side", "command"]), below)
    if make.chance(25):
        return aside
    return make.write(place, make.pick(["prompt", "answer", "side"]), tip)


def structural(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write results or prompts without talk below them, next to the entry that continues the turn after a call."""
    call = _call(make, place, tip)
    for _ in range(make.pick([1, 1, 2])):
        user = make.write(place, make.pick(["result", "result", "prompt", "mixed"]), call)
        if make.chance(40):
            make.write(place, make.pick(["side", "command"]), user)
    return make.write(place, make.pick(["answer", "call"]), call)


def parallel_calls(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a second call and entries below it, next to the result from which the conversation continues."""
    call = _call(make, place, tip)
    below = make.write(place, "call", call)
    for _ in range(make.pick([0, 1, 1, 2])):
        below = make.write(place, make.pick(["result", "call", "side", "answer", "odd", "command"]), below)
    if make.chance(30):
        make.write(place, make.pick(["result", "odd", "side"]), call)
    return make.write(place, "answer", make.write(place, "result", call))


def passthrough(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a turn that continues below a side entry instead of below the result of the call."""
    call = _call(make, place, tip)
    through = make.write(place, "side", call)
    result = make.write(place, make.pick(["result", "result", "prompt", "boundary"]), call)
    if make.chance(40):
        make.write(place, "side", result)
    return make.write(place, make.pick(["answer", "call", "prompt"]), through)


def both_live(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a call with several children, at least one of them a result, and a continuation below most of them."""
    call = _call(make, place, tip)
    onward = make.write(place, make.pick(["answer", "call", "side", "result"]), call)
    tips = [make.write(place, make.pick(["prompt", "prompt", "answer"]), onward)]
    if make.chance(25):
        make.write(place, "side", call)
    results = [make.write(place, "result", call) for _ in range(make.pick([1, 1, 2]))]
    tips += [make.write(place, "answer", uuid) for uuid in results]
    return make.pick(tips)


def replay(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write two or three copies of an entry with the same timestamp and message."""
    kind = make.pick(["prompt", "prompt", "answer", "result", "side"])
    first = make.write(place, kind, tip)
    said = {key: item for key, item in make.written[first].items() if key in ("timestamp", "message")}
    copies = [first, *(make.write(place, kind, tip, **said) for _ in range(make.pick([1, 1, 2])))]
    lives = [uuid for uuid in copies if make.chance(50)]
    ends = [make.write(place, make.pick(["answer", "prompt", "side"]), uuid) for uuid in lives]
    if make.chance(20):
        make.write(place, make.pick(["side", "command"]), tip)
    return make.pick([*copies, *ends])


def rewind(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write two or three prompts, answers or boundaries below one entry."""
    starts = [make.write(place, make.pick(["prompt", "prompt", "answer", "boundary"]), tip) for _ in range(2)]
    flags = {uuid for uuid in starts if make.chance(15)}
    for uuid in flags:
        make.written[uuid]["is_active"] = make.pick([True, True, "true", False])
    if make.chance(25):
        make.write(place, make.pick(["side", "command"]), tip)
    if make.chance(15):
        starts.append(make.write(place, "prompt", tip))
    ends = [make.write(place, "answer", uuid) for uuid in starts if make.chance(60)]
    return make.pick([*starts, *ends])


def compaction(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a boundary without a parent, which often refers to earlier entries, and usually its summary."""
    known = [*place.uuids, *([tip] if tip else []), "gone"]
    about = sizes(make)
    if make.chance(30):
        about["preservedSegment"] = {"headUuid": make.pick(known), "tailUuid": make.pick(known)}
    if make.chance(20):
        about["preservedMessages"] = {"uuids": [make.pick(known), make.pick(known)]}
    logical = make.pick(known) if make.chance(60) else None
    boundary = make.write(place, "boundary", None, logicalParentUuid=logical, compactMetadata=about)
    summaries = [
        make.write(place, "prompt", boundary, isCompactSummary=True) for _ in range(make.pick([1, 1, 1, 0, 2]))
    ]
    return make.pick([*summaries, boundary][:2])


def stray(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write an entry with no parent, a ghost parent, or any other entry as its parent."""
    parents = [None, "ghost", tip, *make.written]
    return make.write(place, make.pick(_KINDS), make.pick(parents))


def twins(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write two or three entries of this thread below an entry of another thread, if there is another thread."""
    above = make.pick(_others(make, place) or [tip])
    kinds = ["prompt", "answer", "result", "result", "side", "command", "boundary"]
    starts = [make.write(place, make.pick(kinds), above) for _ in range(make.pick([2, 2, 3]))]
    ends = [make.write(place, make.pick(["answer", "prompt", "side"]), uuid) for uuid in starts if make.chance(60)]
    return make.pick([*starts, *ends])


def elsewhere(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a rewind, a replay, side entries or a repeated history below an entry of another thread."""
    shapes: list[Shape] = [rewind, replay, side_beside, recorded_again]
    return make.pick(shapes)(make, place, make.pick(_others(make, place) or [tip]))


def deep(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Write a parallel call whose subtree is as tall as can still be inlined, or one level too tall."""
    call = _call(make, place, tip)
    below = make.write(place, "call", call)
    for _ in range(make.pick([20, 21])):
        below = make.write(place, "answer", below)
    return make.write(place, "answer", make.write(place, "result", call))


def _call(make: TranscriptBuilder, place: ThreadFile, tip: str | None) -> str:
    """Return a new call or, sometimes, a call in another thread."""
    calls = [uuid for uuid in _others(make, place) if uuid and make.ids_called(uuid)]
    return make.pick(calls) if calls and make.chance(30) else make.write(place, "call", tip)


def _others(make: TranscriptBuilder, place: ThreadFile) -> list[str | None]:
    return [uuid for uuid in make.written if uuid not in place.uuids]


SHAPES: list[Shape] = [
    *[chain, turn, call_and_result, agent_calls] * 2,
    *[report] * 6,
    *[side_beside, structural, parallel_calls, passthrough, both_live, replay, rewind] * 3,
    *[compaction] * 4,
    *[stray, twins, elsewhere] * 3,
    *[tail, open_call, commands_under_caveat, late_command, quiet_beside, parts, late_block] * 3,
    *[recorded_again, recorded_again_without_parent, answered_again, two_processes, nested_rewinds] * 3,
    *[compaction_inside] * 3,
]
