"""Generate subagents in extreme numbers: at one entry, nested, with many files, sidecars or progress reports."""

import json
from collections.abc import Iterator
from typing import Any

from tests.making.transcripts import tool_use

from .entries import EntryMaker
from .graph_shapes import File


def agents(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a chain of subagents: each spawns the next. Their sidecars contain the ids of the calls."""
    yield make.session_file("s1"), [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0")]
    for number in range(size):
        agent_keys, seconds = _keys(make, f"g{number}"), 2 * number + 2
        yield (
            make.agent_file("s1", f"g{number}"),
            [
                make.prompt(f"q{number}", None, seconds, **agent_keys),
                make.answer(f"c{number + 1}", f"q{number}", seconds + 1, calls=f"t{number + 1}", **agent_keys),
            ],
        )
        yield _sidecar(make, f"g{number}", f"t{number}")


def siblings(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield an entry with many calls, each of which spawns a subagent."""
    blocks = [tool_use(make.call(f"t{number}"), "Task", prompt=f"do {number}") for number in range(size)]
    message = {"id": make.response("c0"), "role": "assistant", "content": blocks}
    yield (
        make.session_file("s1"),
        [make.prompt("u0", None, 0), make.entry("c0", "u0", 1, type="assistant", message=message)],
    )
    for number in range(size):
        yield make.agent_file("s1", f"g{number}"), [make.prompt(f"q{number}", None, 2, **_keys(make, f"g{number}"))]
        yield _sidecar(make, f"g{number}", f"t{number}")


def teammates(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a teammate that writes a new file per turn. Every file contains the whole history under the same uuids."""
    yield make.session_file("s1"), [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0")]
    history: list[str] = []
    for number in range(size):
        if number:
            old, new = (f'"agentId":"{make.agent(f"g{agent}")}"' for agent in (number - 1, number))
            history = [line.replace(old, new) for line in history]
        agent_keys, seconds = _keys(make, f"g{number}"), 2 * number + 2
        parent = f"a{number - 1}" if number else None
        history.append(make.prompt(f"q{number}", parent, seconds, **agent_keys))
        history.append(make.answer(f"a{number}", f"q{number}", seconds + 1, **agent_keys))
        yield make.agent_file("s1", f"g{number}"), history
        yield _sidecar(make, f"g{number}", "t0", name="mate")


def sidecars(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many sidecars of subagents without a transcript."""
    yield make.session_file("s1"), [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0")]
    for number in range(size):
        yield _sidecar(make, f"g{number}", f"t{number}")


def reports(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a call of a subagent that sends many progress reports."""
    lines, last = [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0")], "c0"
    for number in range(size):
        wrapped = {"type": "user", "message": {"role": "user", "content": f"report {number}"}}
        data = {"type": "agent_progress", "agentId": make.agent("g0"), "message": wrapped, "prompt": "do c0"}
        lines.append(
            make.entry(f"p{number}", last, number + 2, type="progress", data=data, parentToolUseID=make.call("t0"))
        )
        last = f"p{number}"
    yield make.session_file("s1"), lines


def _keys(make: EntryMaker, agent: str) -> dict[str, Any]:
    return {"isSidechain": True, "agentId": make.agent(agent)}


def _sidecar(make: EntryMaker, agent: str, call: str, **keys: str) -> File:
    sidecar = {"agentType": "helper", "toolUseId": make.call(call)} | keys
    return make.agent_file("s1", agent, "meta.json"), [json.dumps(sidecar)]
