"""Shapes that transcripts take: each writes entries below a tip and returns the entry to go on from."""

from collections.abc import Callable

from .contents import sizes
from .growth import RUN_IDS, Maker, Place
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

Shape = Callable[[Maker, Place, str | None], str]

_KINDS = ["prompt", "prompt", "answer", "answer", "call", "result", "side", "command", "odd", "mixed", "boundary"]
_KINDS += ["synthetic", "picture", "caveat"]


def chain(make: Maker, place: Place, tip: str | None) -> str:
    """One entry of any kind."""
    return make.write(place, make.pick(_KINDS), tip)


def turn(make: Maker, place: Place, tip: str | None) -> str:
    """A prompt and its answer, perhaps with a hook between."""
    prompt = make.write(place, "prompt", tip)
    above = make.write(place, "side", prompt) if make.chance(20) else prompt
    return make.write(place, make.pick(["answer", "call"]), above)


def errand(make: Maker, place: Place, tip: str | None) -> str:
    """A call and its result, one below the other."""
    return make.write(place, "result", make.write(place, "call", tip))


def errands(make: Maker, place: Place, tip: str | None) -> str:
    """Calls for two agents at once and the results, if any came."""
    call = make.write(place, "spawns", tip)
    results = [make.write(place, "result", call) for _ in range(make.pick([0, 1, 1, 2]))]
    return make.pick([*results, call])


def report(make: Maker, place: Place, tip: str | None) -> str:
    """A call for an agent, which the result, a progress entry or the run of a workflow names."""
    return report_of(make, place, tip, make.pick(make.agents_of.get(place.session, make.agents)))


def report_of(make: Maker, place: Place, tip: str | None, agent: str) -> str:
    """The same for one agent."""
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


def side_beside(make: Maker, place: Place, tip: str | None) -> str:
    """A hook or command, perhaps with more below it, beside what goes on."""
    aside = make.write(place, make.pick(["side", "side", "command"]), tip)
    if make.chance(50):
        below = make.write(place, make.pick(["side", "command"]), aside)
        make.write(place, make.pick(["side", "command"]), below)
    if make.chance(25):
        return aside
    return make.write(place, make.pick(["prompt", "answer", "side"]), tip)


def structural(make: Maker, place: Place, tip: str | None) -> str:
    """Results or prompts with nothing to say below them beside the call's continuation."""
    call = _call(make, place, tip)
    for _ in range(make.pick([1, 1, 2])):
        user = make.write(place, make.pick(["result", "result", "prompt", "mixed"]), call)
        if make.chance(40):
            make.write(place, make.pick(["side", "command"]), user)
    return make.write(place, make.pick(["answer", "call"]), call)


def parallel_calls(make: Maker, place: Place, tip: str | None) -> str:
    """A call with what follows it beside the result from which the conversation goes on."""
    call = _call(make, place, tip)
    below = make.write(place, "call", call)
    for _ in range(make.pick([0, 1, 1, 2])):
        below = make.write(place, make.pick(["result", "call", "side", "answer", "odd", "command"]), below)
    if make.chance(30):
        make.write(place, make.pick(["result", "odd", "side"]), call)
    return make.write(place, "answer", make.write(place, "result", call))


def passthrough(make: Maker, place: Place, tip: str | None) -> str:
    """The turn goes on behind a progress entry, its result does not."""
    call = _call(make, place, tip)
    through = make.write(place, "side", call)
    result = make.write(place, make.pick(["result", "result", "prompt", "boundary"]), call)
    if make.chance(40):
        make.write(place, "side", result)
    return make.write(place, make.pick(["answer", "call", "prompt"]), through)


def both_live(make: Maker, place: Place, tip: str | None) -> str:
    """A call's continuation and its results all go on."""
    call = _call(make, place, tip)
    onward = make.write(place, make.pick(["answer", "call", "side", "result"]), call)
    tips = [make.write(place, make.pick(["prompt", "prompt", "answer"]), onward)]
    if make.chance(25):
        make.write(place, "side", call)
    results = [make.write(place, "result", call) for _ in range(make.pick([1, 1, 2]))]
    tips += [make.write(place, "answer", uuid) for uuid in results]
    return make.pick(tips)


def replay(make: Maker, place: Place, tip: str | None) -> str:
    """The same prompt, answer or result twice at one instant."""
    kind = make.pick(["prompt", "prompt", "answer", "result", "side"])
    first = make.write(place, kind, tip)
    said = {key: item for key, item in make.written[first].items() if key in ("timestamp", "message")}
    copies = [first, *(make.write(place, kind, tip, **said) for _ in range(make.pick([1, 1, 2])))]
    lives = [uuid for uuid in copies if make.chance(50)]
    ends = [make.write(place, make.pick(["answer", "prompt", "side"]), uuid) for uuid in lives]
    if make.chance(20):
        make.write(place, make.pick(["side", "command"]), tip)
    return make.pick([*copies, *ends])


def rewind(make: Maker, place: Place, tip: str | None) -> str:
    """Other words in place of those said."""
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


def compaction(make: Maker, place: Place, tip: str | None) -> str:
    """A boundary without a parent, which may say what it follows, and its summary."""
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


def stray(make: Maker, place: Place, tip: str | None) -> str:
    """An entry whose parent is missing, was never seen, or is anywhere at all."""
    parents = [None, "ghost", tip, *make.written]
    return make.write(place, make.pick(_KINDS), make.pick(parents))


def twins(make: Maker, place: Place, tip: str | None) -> str:
    """Two or three entries of this thread below one entry of another, if there is one."""
    above = make.pick(_others(make, place) or [tip])
    kinds = ["prompt", "answer", "result", "result", "side", "command", "boundary"]
    starts = [make.write(place, make.pick(kinds), above) for _ in range(make.pick([2, 2, 3]))]
    ends = [make.write(place, make.pick(["answer", "prompt", "side"]), uuid) for uuid in starts if make.chance(60)]
    return make.pick([*starts, *ends])


def elsewhere(make: Maker, place: Place, tip: str | None) -> str:
    """A rewind, a replay or side entries at an entry of another thread."""
    shapes: list[Shape] = [rewind, replay, side_beside, recorded_again]
    return make.pick(shapes)(make, place, make.pick(_others(make, place) or [tip]))


def deep(make: Maker, place: Place, tip: str | None) -> str:
    """Parallel calls at the height up to which they are inlined, or just above it."""
    call = _call(make, place, tip)
    below = make.write(place, "call", call)
    for _ in range(make.pick([20, 21])):
        below = make.write(place, "answer", below)
    return make.write(place, "answer", make.write(place, "result", call))


def _call(make: Maker, place: Place, tip: str | None) -> str:
    """A new call, now and then one of another thread instead."""
    calls = [uuid for uuid in _others(make, place) if uuid and make.ids_called(uuid)]
    return make.pick(calls) if calls and make.chance(30) else make.write(place, "call", tip)


def _others(make: Maker, place: Place) -> list[str | None]:
    return [uuid for uuid in make.written if uuid not in place.uuids]


SHAPES: list[Shape] = [
    *[chain, turn, errand, errands] * 2,
    *[report] * 6,
    *[side_beside, structural, parallel_calls, passthrough, both_live, replay, rewind] * 3,
    *[compaction] * 4,
    *[stray, twins, elsewhere] * 3,
    *[tail, open_call, commands_under_caveat, late_command, quiet_beside, parts, late_block] * 3,
    *[recorded_again, recorded_again_without_parent, answered_again, two_processes, nested_rewinds] * 3,
    *[compaction_inside] * 3,
]
