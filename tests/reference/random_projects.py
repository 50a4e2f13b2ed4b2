"""Generate small random projects, with hypothesis or from a seed, as a mapping of file names to contents."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from .contents import AGENT_PROMPTS, NAMES, TOOL_IDS, fork_context, last_prompt, title
from .random_choices import numbers_from_hypothesis
from .shapes import SHAPES, deep, report_of
from .transcript_builder import AGENT_IDS, RUN_IDS, ThreadFile, TranscriptBuilder

_SIZES = [5, 10, 15, 20, 30]
_SESSIONS = ["s1", "s2", "s3"]
# appended to an agent's id to form the name of the file that the agent writes in its next turn
_NEXT = "b"
_HELPERS = ["acompact-1", "aprompt_suggestion-1", "aside_question-1", "helper"]
# the sidecar of an agent that has no transcript and is known only from entries that mention it
_LOST = b'{"agentType": "wanderer", "toolUseId": "t1"}'


@st.composite
def projects(draw: Callable[[st.SearchStrategy[Any]], Any]) -> dict[str, bytes]:
    """Return a hypothesis strategy for projects."""
    return random_project(TranscriptBuilder(numbers_from_hypothesis(draw)))


def random_project(make: TranscriptBuilder) -> dict[str, bytes]:
    """Return a project of one to three sessions and up to three agents."""
    sessions = _SESSIONS[: make.number(1, 3)]
    trunks = [ThreadFile(f"{name}.jsonl", {"sessionId": name}, session=name, is_trunk=True) for name in sessions]
    ids = AGENT_IDS[: make.number(0, 3)]
    make.agents = [*ids, *(agent_id + _NEXT for agent_id in ids), "lost"]
    agents = [_agent(make, sessions, agent_id) for agent_id in ids]
    for agent_id, place in zip(ids, agents, strict=True):
        make.agents_of.setdefault(place.session, []).extend([agent_id, agent_id + _NEXT])
    inline = [_inline(make, trunk) for trunk in trunks if make.chance(25)]
    _add_shapes(make, trunks, [*agents, *inline], make.pick(_SIZES))
    _damage(make)
    _close_loop(make, trunks)
    _copy_entries(make, sessions)
    _add_next_turn_files(make, agents)
    _add_agent_reports(make, trunks)
    _add_helper_files(make, trunks)
    _add_records(make, sessions)
    lost = f"{make.pick(sessions)}/subagents/agent-lost.meta.json"
    return {**_contents(make), **_sidecars(make), **({lost: _LOST} if make.chance(12) else {})}


def _agent(make: TranscriptBuilder, sessions: list[str], agent_id: str) -> ThreadFile:
    """Return a thread for an agent, recorded in one of several possible places or in the session's own file."""
    session = make.pick(sessions)
    name = f"agent-{agent_id}.jsonl"
    below = f"{session}/subagents"
    run = f"{below}/workflows/{make.pick(RUN_IDS)}/{name}"
    file = make.pick([name, *[f"{below}/{name}"] * 5, run, run, f"{session}.jsonl"])
    keys: dict[str, Any] = {"sessionId": session, "isSidechain": True, "agentId": agent_id}
    if file.startswith(below) and make.chance(15):
        keys["sessionId"] = None
    if file != f"{session}.jsonl" and make.chance(25):
        del keys[make.pick(["isSidechain", "agentId"])]
    return ThreadFile(file, keys, session=session)


def _inline(make: TranscriptBuilder, trunk: ThreadFile) -> ThreadFile:
    """Return a sidechain as version 1 recorded it: in the session's file and without an agent id."""
    keys = {**trunk.keys, "isSidechain": make.pick([True, True, 1, "true"])}
    return ThreadFile(trunk.file, keys, session=trunk.session)


def _add_shapes(make: TranscriptBuilder, trunks: list[ThreadFile], others: list[ThreadFile], size: int) -> None:
    """Write shapes to random threads, or first entries to empty ones, until there are at least `size` entries."""
    tips: dict[int, str] = {}
    while len(make.written) < size:
        place = make.pick([*trunks, *trunks, *others])
        if not place.uuids:
            if place in trunks[1:] and make.chance(60):
                continue
            tips[id(place)] = _start_thread(make, place)
            continue
        tip = make.pick(place.uuids) if make.chance(12) else tips[id(place)]
        if make.chance(4 if place.is_trunk else 12):
            tip = _start_thread(make, place)
        shape = deep if make.chance(1) else make.pick(SHAPES)
        make.shapes[shape.__name__] += 1
        tips[id(place)] = shape(make, place, tip)


def _start_thread(make: TranscriptBuilder, place: ThreadFile) -> str:
    """Write an entry that starts a thread, sometimes below another entry.

    The text of an agent's entry is often the prompt of a call, so that the agent can be matched with the call.
    """
    parent = make.pick([None, "ghost", *make.written]) if make.chance(30) else None
    calls = [uuid for uuid in make.written if len(make.ids_called(uuid)) > 1]
    if parent and calls and not place.is_trunk and make.chance(50):
        parent = make.pick(calls)
    if place.is_trunk:
        kind = make.pick(["prompt", "prompt", "prompt", "command", "side", "answer"])
        return make.write(place, kind, parent)
    words = make.pick(AGENT_PROMPTS)
    words = make.pick([words, words, words.upper(), f" {words.replace(' ', '  ')}", _teammate(words), "else"])
    message = {"role": "user", "content": words}
    if make.chance(8):
        return make.write(place, make.pick(["boundary", "answer", "side"]), parent)
    return make.write(place, "prompt", parent, message=message)


def _teammate(words: str) -> str:
    return f'<teammate-message teammate_id="lead" summary="a > b">\n{words}\n</teammate-message>'


def _damage(make: TranscriptBuilder) -> None:
    """Sometimes create a cycle, add a forkedFrom, remove a session id, or move an entry to the end of its file."""
    uuids = [*make.written]
    if make.chance(12):
        first, last = (make.pick(uuids) for _ in range(2))
        make.written[first]["parentUuid"] = last
        if make.chance(60):
            make.written[last]["parentUuid"] = first
    if make.chance(10):
        value = make.written[make.pick(uuids)]
        original = make.pick([*uuids, "gone"])
        session = make.written.get(original, {}).get("sessionId") or "s1"
        value["forkedFrom"] = {"sessionId": session, "messageUuid": original}
    if make.chance(6):
        make.written[make.pick(uuids)].pop("sessionId", None)
    if make.chance(8):
        values = make.files[make.pick([*make.files])]
        values.append(values.pop(make.number(0, len(values) - 1)))


def _close_loop(make: TranscriptBuilder, trunks: list[ThreadFile]) -> None:
    """Sometimes attach each session's first entry to a new entry in the next session, so that lines can form a loop."""
    if make.chance(8):
        firsts = [trunk.uuids[0] if trunk.uuids else make.write(trunk, "prompt", None) for trunk in trunks]
        lasts = [make.write(trunk, "answer", None) for trunk in trunks]
        for first, last in zip(firsts, [*lasts[1:], lasts[0]], strict=True):
            make.written[first]["parentUuid"] = last


def _copy_entries(make: TranscriptBuilder, sessions: list[str]) -> None:
    """Sometimes copy entries to a session's file, which may already contain them, as resuming or forking does."""
    if not make.chance(25):
        return
    uuids = [*make.written]
    begin = make.number(0, len(uuids) - 1)
    session = make.pick(sessions)
    changes: dict[str, Any] = {"sessionId": session} if make.chance(80) else {}
    if make.chance(25):
        changes["timestamp"] = make.pick(["2026-03-01T09:00:00.000Z", "2026-03-01T09:00:30.000Z"])
    copies = [{**make.written[uuid], **changes} for uuid in uuids[begin : begin + make.number(1, 6)]]
    if make.chance(30):
        make.pick(copies)["parentUuid"] = None
    values = make.files.setdefault(f"{session}.jsonl", [])
    at = 0 if make.chance(50) else len(values)
    values[at:at] = copies


def _add_next_turn_files(make: TranscriptBuilder, agents: list[ThreadFile]) -> None:
    """For some agents, add the file of their next turn, which repeats some or all entries of the previous file."""
    for place in agents:
        folder, _, name = place.file.rpartition("agent-")
        if not place.uuids or not name or place.file == name or not make.chance(50):
            continue
        make.shapes["new_file_per_turn"] += 1
        agent = name.removesuffix(".jsonl") + _NEXT
        changes = {"agentId": agent} if "agentId" in place.keys and make.chance(60) else {}
        first = make.number(1, len(place.uuids)) if make.chance(20) else 0
        copies = [{**make.written[uuid], **changes} for uuid in place.uuids[first:]]
        values = make.files.setdefault(f"{folder}agent-{agent}.jsonl", [])
        values += copies
        further = ThreadFile(f"{folder}agent-{agent}.jsonl", {**place.keys, **changes}, session=place.session)
        here = place.uuids[-1]
        for kind in make.some(["prompt", "answer", "call"], 0, 2):
            here = make.write(further, kind, here)


def _add_agent_reports(make: TranscriptBuilder, trunks: list[ThreadFile]) -> None:
    """Append entries that mention a session's agents to the session's trunk."""
    for trunk in trunks:
        for agent in make.agents_of.get(trunk.session, []):
            if trunk.uuids and make.chance(20):
                report_of(make, trunk, trunk.uuids[-1], agent)


def _add_helper_files(make: TranscriptBuilder, trunks: list[ThreadFile]) -> None:
    """Copy the last entries of a trunk to a helper agent's file, as a compaction does."""
    for trunk in trunks:
        if not trunk.uuids or not make.chance(15):
            continue
        make.shapes["helper_file"] += 1
        agent = make.pick(_HELPERS)
        changes = {"agentId": agent, "isSidechain": True}
        uuids = trunk.uuids[-make.number(1, 8) :]
        copies = [{**make.written[uuid], **changes} for uuid in uuids]
        file = f"{trunk.session}/subagents/agent-{agent}.jsonl"
        make.files.setdefault(file, []).extend(copies)
        if make.chance(50):
            make.write(ThreadFile(file, {**trunk.keys, **changes}, session=trunk.session), "answer", uuids[-1])


def _add_records(make: TranscriptBuilder, sessions: list[str]) -> None:
    """Insert records, some of which have no session id or no timestamp."""
    records: list[dict[str, Any]] = [
        {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-03-01T09:00:04.000Z", "sessionId": "s1"},
        {"type": "file-history-snapshot", "messageId": "e1", "snapshot": {}},
        {"type": "summary", "summary": "What was", "leafUuid": "e2"},
    ]
    for name, values in make.files.items():
        uuids = [value["uuid"] for value in values if "uuid" in value]
        if make.chance(15):
            values.insert(make.number(0, len(values)), make.pick(records))
        for _ in range(make.pick([1, 2]) if make.chance(30) else 0):
            values.insert(make.number(0, len(values)), title(make, sessions, [*make.written]))
        if make.chance(45):
            make.shapes["last_prompt"] += 1
            at = len(values) if make.chance(80) else make.number(0, len(values))
            values.insert(at, last_prompt(make, make.pick(sessions), uuids))
        if "agent-" in name and make.chance(10):
            make.shapes["fork_context"] += 1
            agent = name.rpartition("agent-")[2].removesuffix(".jsonl")
            values.insert(0 if make.chance(80) else len(values), fork_context(make, agent, [*make.written]))


def _contents(make: TranscriptBuilder) -> dict[str, bytes]:
    found = {}
    for name, values in make.files.items():
        text = "".join(json.dumps(value) + "\n" for value in values)
        torn = '{"type": "user", "uuid": "torn", "mess' if make.chance(5) else ""
        found[name] = (text + torn).encode()
    return found


def _sidecars(make: TranscriptBuilder) -> dict[str, bytes]:
    """Return sidecars for some agent files in session folders. Some of the sidecars contain the id of a call."""
    found = {}
    called = [tool_id for uuid in make.written for tool_id in make.ids_called(uuid)]
    for file in make.files:
        if "/subagents/" not in file or not make.chance(45):
            continue
        value: dict[str, Any] = {"agentType": "" if make.chance(12) else make.pick(["scout", "baker"])}
        value |= {"toolUseId": make.pick(called or TOOL_IDS)} if make.chance(35) else {}
        value |= {"name": make.pick(NAMES)} if make.chance(25) else {}
        found[file.removesuffix(".jsonl") + ".meta.json"] = json.dumps(value).encode()
    return found
