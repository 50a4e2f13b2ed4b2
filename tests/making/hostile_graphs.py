"""Generate hostile transcripts of many shapes, with ids and parents chosen to make derivation slow."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.making import transcripts
from tests.making.transcripts import Object, assistant_entry, at, text_block, tool_use, user_message

FileObject = tuple[str, Object]  # a path under the project folder, and one object in that file
Shape = Callable[
    [random.Random, int, int], Iterator[FileObject]
]  # arguments: random numbers, number of lines, number of files

_LONG = "x" * 10_000
_PROMPTS = ("go on", "", "why", "[Request interrupted by user]", "<command-name>/x</command-name>", "Caveat: no")


def entry(uuid: Any, parent: Any = None, second: int = 0, **keys: Any) -> Object:
    """Return a prompt in session s0; all prompts have the same text."""
    return transcripts.entry(uuid, parent, second, **{"sessionId": "s0", "message": user_message("go on")} | keys)


def answer(uuid: Any, parent: Any, second: int, *blocks: Object, message_id: Any = None, **keys: Any) -> Object:
    """Return a response with usage, in session s0."""
    usage = {"input_tokens": second % 7, "output_tokens": second % 11}
    message = {"id": message_id or f"m{uuid}", "model": "claude-x", "usage": usage}
    content = blocks or (text_block("done"),)
    return assistant_entry(uuid, parent, second, *content, message=message, **{"sessionId": "s0"} | keys)


def call(tool_id: Any, prompt: str = "look", **values: Any) -> Object:
    """Return a call that spawns an agent."""
    return tool_use(tool_id, "Task", prompt=prompt, **values)


def result(uuid: Any, parent: Any, second: int, tool_id: Any, text: str = "ok", **keys: Any) -> Object:
    """Return the result of a call, in session s0."""
    return transcripts.result_entry(uuid, parent, second, tool_id, text, **{"sessionId": "s0"} | keys)


def boundary(uuid: Any, logical_parent: Any, second: int) -> Object:
    """Return a compact boundary in session s0."""
    return transcripts.boundary_entry(uuid, logical_parent, second, sessionId="s0")


def progress(uuid: Any, parent: Any, second: int, tool_id: Any, agent_id: Any, **keys: Any) -> Object:
    """Return a progress report about an agent, in session s0."""
    return transcripts.progress_entry(uuid, parent, second, tool_id, agent_id, **{"sessionId": "s0"} | keys)


def sidecar(session: str, agent: str, call: Any, **keys: Any) -> FileObject:
    """Return the path and content of an agent's sidecar."""
    return f"{session}/subagents/agent-{agent}.meta.json", {"agentType": "x", "toolUseId": call} | keys


def chain(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """One thread in time order: the baseline for the other shapes."""
    for number in range(lines):
        make = (entry, answer)[number % 2]
        yield f"f{number * files // lines}.jsonl", make(f"u{number}", f"u{number - 1}" if number else None, number)


def one_parent(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """All entries are children of one entry; their kinds are random."""
    for number in range(lines):
        make = rng.choice((entry, answer, boundary))
        yield f"f{number % files}.jsonl", make(f"u{number}", "u0" if number else None, number)


def one_instant(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Many children of one entry with the same text, and the same timestamp or none, so that they look like replays."""
    for number in range(lines):
        keys = {} if rng.random() < 0.9 else {"timestamp": None}
        yield f"f{number % files}.jsonl", entry(f"u{number}", "u0" if number else None, 0, **keys)


def roots(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """No entry has a parent."""
    for number in range(lines):
        make = rng.choice((entry, answer))
        yield f"f{number % files}.jsonl", make(f"u{number}", None, number)


def recorded_again(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Short histories without a parent that all contain the same responses."""
    for number in range(lines // 3):
        name, second = f"f{number % files}.jsonl", 3 * number
        yield name, entry(f"u{number}", None, second)
        yield name, answer(f"a{number}", f"u{number}", second + 1, message_id=f"m{number % 3}")
        yield name, answer(f"b{number}", f"a{number}", second + 2, message_id=f"m{number % 5}")


def orphans(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Every entry has a ghost parent; each ghost has two children."""
    for number in range(lines):
        yield f"f{number % files}.jsonl", entry(f"u{number}", f"ghost{number // 2}", number)


def cycle(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """One cycle of all entries."""
    for number in range(lines):
        yield f"f{number % files}.jsonl", entry(f"u{number}", f"u{(number + 1) % lines}", number)


def cycles(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Cycles of random length, and entries that are their own parents."""
    for number in range(lines):
        yield f"f{number % files}.jsonl", entry(f"u{number}", f"u{rng.randrange(lines)}", lines - number)


def nested_rewinds(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Nested rewinds, each on a branch of the previous one; branch ids get longer with every level."""
    last = None
    for number in range(lines // 3):
        name, second = f"f{number * 3 * files // lines}.jsonl", 3 * number
        yield name, entry(f"u{number}-left", last, second)
        yield name, entry(f"u{number}-right", last, second + 1)
        last = f"a{number}"
        yield name, answer(last, f"u{number}-right", second + 2)


def one_uuid(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """One session in which every line of every file has the same uuid and a different additional key."""
    for number in range(lines):
        yield f"f{number % files}.jsonl", entry("u0", None, number, **{f"key{number}": number})


def one_uuid_by_session(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Every line has the same uuid and a different session."""
    for number in range(lines):
        yield f"f{number % files}.jsonl", entry("u0", None, lines - number, sessionId=f"s{number}")


def copies(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Every uuid occurs once per file, with different content and a random session and parent."""
    for number in range(lines):
        uuid, keys = f"u{number // files}", {"sessionId": f"s{rng.randrange(50)}"}
        yield f"f{number % files}.jsonl", entry(uuid, f"u{rng.randrange(lines)}", number, slug=str(number), **keys)


def sessions(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Sessions that are linked one at a time, from last to first, so that a naive union relabels the large family."""
    count = lines // 3
    for number in range(count):
        yield f"f{number % files}.jsonl", entry(f"u{number}", None, number, sessionId=f"s{number}")
    for number in range(count):
        name, keys = f"g{number % files}.jsonl", {"sessionId": f"t{number}"}
        yield name, entry(f"v{number}", f"u{count - 1 - number}", lines + number, **keys)
        yield name, entry(f"w{number}", f"v{number + 1}", lines + number, **keys)


def sessions_at_random(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Every line belongs to a random session and has a random parent."""
    for number in range(lines):
        keys = {"sessionId": f"s{rng.randrange(lines)}"}
        yield f"f{number % files}.jsonl", entry(f"u{number}", f"u{rng.randrange(lines)}", number, **keys)


def one_call(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """One session in which all calls and results have the same call id."""
    for number in range(lines):
        last = f"u{number - 1}" if number else None
        made = (
            result(f"u{number}", last, number, "t0") if number % 2 else answer(f"u{number}", last, number, call("t0"))
        )
        yield f"f{number % files}.jsonl", made


def one_call_by_session(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Otherwise unrelated sessions whose calls, results and progress entries all have the same call id."""
    yield sidecar("s0", "a0", "t0")
    for number in range(lines):
        uuid, keys = f"u{number}", {"sessionId": f"s{number}"}
        made = (
            answer(uuid, None, number, call("t0"), **keys),
            result(uuid, None, number, "t0", **keys),
            progress(uuid, None, number, "t0", "a0", **keys),
        )[number % 3]
        yield f"f{number % files}.jsonl", made


def one_call_apart(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Sessions that no sidecar connects, although all their calls and results have the same call id."""
    for number in range(lines):
        uuid, keys = f"u{number}", {"sessionId": f"s{number // 2}"}
        made = (answer(uuid, None, number, call("t0"), **keys), result(uuid, None, number, "t0", **keys))[number % 2]
        yield f"f{number % files}.jsonl", made


def one_message(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """All entries are parts of one response and children of the first entry."""
    for number in range(lines):
        keys = {"requestId": "r0", "sessionId": f"s{number % 100}"}
        parent = "u0" if number else None
        yield f"f{number % files}.jsonl", answer(f"u{number}", parent, number, message_id="m0", **keys)


def agents(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Many agents; according to sidecars and progress entries, one call with many results spawned them all."""
    for number in range(lines // 3):
        name, second = f"f{number % files}.jsonl", number
        yield name, result(f"r{number}", None, second, "t0")
        yield name, entry(f"u{number}", None, second, isSidechain=True, agentId=f"a{number}")
        if number % 50 == 0:
            yield sidecar("s0", f"a{number}", "t0")
        yield name, progress(f"p{number}", None, second, "t0", f"a{number}")


def agents_named(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """A few agents mentioned in results, and many agents mentioned only in progress entries of the same call."""
    for number in range(lines):
        name = f"f{number % files}.jsonl"
        named = {"toolUseResult": {"agentId": f"a{number % 3}", "runId": "w0"}}
        if number % 4 == 0:
            yield name, entry(f"u{number}", None, number, isSidechain=True, agentId=f"a{number % 1000}")
        elif number % 4 == 1:
            yield name, result(f"u{number}", None, number, "t0", f"x\nagentId: a{number % 5}\n", **named)
        elif number % 4 == 2:
            yield name, progress(f"u{number}", None, number, "t0", f"b{number}")
        else:
            yield name, answer(f"u{number}", None, number, call("t0"))


def agents_by_session(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Many sessions, each with one agent and the call that spawned it; all calls have the same id."""
    for number in range(lines // 4):
        name, keys = f"f{number % files}.jsonl", {"sessionId": f"s{number}"}
        yield name, answer(f"c{number}", None, number, call("t0"), **keys)
        yield name, result(f"r{number}", f"c{number}", number, "t0", **keys)
        yield name, progress(f"p{number}", f"c{number}", number, "t0", "a0", **keys)
        yield name, entry(f"u{number}", None, number, isSidechain=True, agentId="a0", **keys)


def agents_with_same_prompt(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Agents and calls with different names and the same prompt."""
    for number in range(lines // 2):
        name = f"f{number % files}.jsonl"
        yield name, answer(f"a{number}", None, number, call(f"t{number}", "go on", name=f"n{number}"))
        yield name, entry(f"u{number}", None, number, isSidechain=True, agentId=f"k{number}")
        if number % 50 == 0:
            yield sidecar("s0", f"k{number}", None, name="nobody")


def agents_at_one_entry(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Agents with the same recorded parent, an entry that contains one call per agent."""
    calls = [call(f"t{number}", f"look {number}") for number in range(min(lines, 50_000))]
    yield "f0.jsonl", answer("u0", None, 0, *calls)
    for number in range(1, lines):
        keys = {"isSidechain": True, "agentId": f"a{number}"}
        yield f"f{number % files}.jsonl", entry(f"u{number}", "u0", number, **keys)


def agents_without_text(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Agents with empty prompts: one agent with many prompts, and many agents with one prompt."""
    for number in range(lines):
        keys = {"isSidechain": True, "agentId": f"a{number if number % 2 else 0}"}
        made = entry(f"u{number}", None, number, message={"role": "user", "content": ""}, **keys)
        yield f"f{number % files}.jsonl", made


def nested_agents(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """A chain of agents, each spawned by the previous one."""
    for number in range(lines // 2):
        name, keys = f"f{number % files}.jsonl", {"isSidechain": True, "agentId": f"a{number}"}
        yield name, entry(f"u{number}", f"c{number - 1}" if number else None, number, **keys)
        yield name, answer(f"c{number}", f"u{number}", number, call(f"t{number}", "go on"), **keys)


def sidechains(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Trees of sidechain entries without an agent id; their uuids have a long common prefix."""
    for number in range(lines):
        parent = None if number % 3 else f"{'y' * 200}{number + 1}"
        yield f"f{number % files}.jsonl", entry(f"{'y' * 200}{number}", parent, number, isSidechain=True)


def boundaries(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Prompts, answers and boundaries at random times; the logical parent of a boundary is random or a ghost."""
    for number in range(lines):
        uuid, named = f"u{number}", f"u{rng.randrange(2 * lines)}"
        second = rng.randrange(lines)
        made = (boundary(uuid, named, second), entry(uuid, f"u{number - 1}", second), answer(uuid, named, second))
        yield f"f{number % files}.jsonl", rng.choice(made)


def leaves(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Summaries and last prompts with the same leaf, titles of that leaf's session, and many other sessions."""
    yield "f0.jsonl", entry("u0")
    for number in range(1, lines):
        made = (
            {"type": "summary", "summary": f"words {number}", "leafUuid": "u0"},
            {"type": "last-prompt", "lastPrompt": "go", "leafUuid": "u0", "sessionId": "s0", "timestamp": at(number)},
            {"type": "ai-title", "aiTitle": f"words {number}", "sessionId": "s0"},
            entry(f"u{number}", "u0", number, sessionId=f"s{number}"),
        )[number % 4]
        yield f"f{number % files}.jsonl", made


def forks(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Sessions whose entries were all forked from the same entry."""
    for number in range(lines):
        keys = {"sessionId": f"s{number // 3}", "forkedFrom": {"sessionId": "s0", "messageUuid": "u0"}}
        yield f"f{number % files}.jsonl", entry(f"u{number}", None, number, **keys)


def notices(_: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Many sessions, each with a notification about the same task and an agent whose id is the task id."""
    text = "<task-notification><task-id>a0</task-id><status>completed</status></task-notification>"
    for number in range(lines):
        keys: Object = {"sessionId": f"s{number // 2}"}
        keys |= {"isSidechain": True, "agentId": "a0"} if number % 2 else {"message": {"role": "user", "content": text}}
        yield f"f{number % files}.jsonl", entry(f"u{number}", None, number, **keys)


def long_ids(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Ids of 10,000 characters that differ only at the end."""
    for number in range(max(2, lines // 20)):
        parent = f"{_LONG}{rng.randrange(lines // 20 + 1)}"
        yield f"f{number % files}.jsonl", entry(f"{_LONG}{number}", parent, number, sessionId=f"{_LONG}{number % 3}")


def mixed(rng: random.Random, lines: int, files: int) -> Iterator[FileObject]:
    """Random objects; ids of all kinds are drawn from the same small and large pools."""
    pools = (3, 50, 1_000, max(lines, 1))

    def name() -> Any:
        chance = rng.random()
        if chance < 0.03:
            return rng.choice(("", "a\0b", "a\0c", "\ud800", "\udfff\ud800", "é", _LONG, f"{_LONG}1", " "))
        if chance < 0.05:
            return rng.choice((0, 1, -1, 1.5, True, None, [], ["x0"], {}, {"x": "x0"}))
        return f"x{rng.randrange(rng.choice(pools))}"

    for number in range(lines):
        if rng.random() < 0.002:
            yield sidecar(f"x{rng.randrange(50)}", f"x{rng.randrange(50)}", name(), name=name())
        yield f"f{rng.randrange(files)}.jsonl", _anything(rng, number, name)


def _anything(rng: random.Random, number: int, name: Callable[[], Any]) -> Object:
    second = rng.choice((0, number, rng.randrange(number + 1)))
    uuid = f"x{number}" if rng.random() < 0.7 else name()
    parent = None if rng.random() < 0.2 else f"x{max(0, number - 1)}" if rng.random() < 0.4 else name()
    message = {"role": "user", "content": rng.choice(_PROMPTS)}
    made: Object = rng.choice(
        (
            lambda: entry(uuid, parent, second, message=message),
            lambda: entry(uuid, parent, second, forkedFrom={"sessionId": name(), "messageUuid": name()}),
            lambda: answer(uuid, parent, second, message_id=name(), requestId=name()),
            lambda: answer(uuid, parent, second, *(call(name()) for _ in range(rng.randrange(4))), message_id=name()),
            lambda: result(uuid, parent, second, name(), f"x\nagentId: {name()}\n"),
            lambda: result(uuid, parent, second, name(), toolUseResult={"agentId": name(), "runId": name()}),
            lambda: boundary(uuid, name(), second),
            lambda: progress(uuid, parent, second, name(), name()),
            lambda: {"type": "summary", "summary": "words", "leafUuid": name()},
            lambda: {"type": "last-prompt", "leafUuid": name(), "sessionId": name(), "timestamp": at(second)},
        )
    )()
    if "uuid" in made:
        made["sessionId"] = name()
        made["promptId"] = name()
    if rng.random() < 0.1:
        made["isSidechain"] = True
    if rng.random() < 0.1:
        made["agentId"] = name()
    if rng.random() < 0.1:
        made.pop(rng.choice(("timestamp", "sessionId", "parentUuid", "uuid")), None)
    return made


SHAPES: dict[str, Shape] = {
    shape.__name__: shape
    for shape in (
        *(chain, one_parent, one_instant, roots, recorded_again, orphans, cycle, cycles, nested_rewinds),
        *(one_uuid, one_uuid_by_session, copies, sessions, sessions_at_random, one_call, one_call_by_session),
        *(one_call_apart, one_message, agents, agents_named, agents_by_session, agents_with_same_prompt),
        *(agents_at_one_entry, agents_without_text, nested_agents, sidechains, boundaries, leaves, forks, notices),
        *(long_ids, mixed),
    )
}


def write_graph(root: Path, shape: str, lines: int, *, files: int, seed: int) -> int:
    """Write transcripts of the given shape under a folder; return their total size in bytes."""
    project = root / "-w"
    project.mkdir(parents=True, exist_ok=True)
    open_files = {}
    try:
        for name, value in SHAPES[shape](random.Random(seed), lines, files):  # noqa: S311
            if name not in open_files:
                path = project / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.suffix == ".json":
                    path.write_text(json.dumps(value))
                    continue
                open_files[name] = path.open("w")
            open_files[name].write(json.dumps(value) + "\n")
    finally:
        for file in open_files.values():
            file.close()
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
