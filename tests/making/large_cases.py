"""Generate large conformance cases: a description, the transcripts and the expected graph of each."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

# description, files, expected graph
GeneratedCase = tuple[str, dict[str, bytes], dict[str, Any]]
Line = dict[str, Any]


def long_chain() -> GeneratedCase:
    """Generate 3,000 entries in one chain: a prompt, then calls and their results."""
    uuids = ["u0", *(f"n{number}" for number in range(2_999))]
    lines = [_prompt("u0", None, at=0)]
    for number, (parent, uuid) in enumerate(pairwise(uuids)):
        if number % 2:
            lines.append(_result(uuid, parent, tool_id=f"t_{parent}", at=10 * (number + 1)))
        else:
            lines.append(_call(uuid, parent, tool_id=f"t_{uuid}", at=10 * (number + 1)))
    return "One session of 3,000 entries in one chain.", _files(lines), _one_line(uuids)


def wide() -> GeneratedCase:
    """Generate one assistant entry with 300 children."""
    about = "One assistant entry with 300 children: 298 progress entries, a result and the continuation; rung 2."
    progress = [f"p{number:03}" for number in range(298)]
    lines = [_prompt("u1", None, at=0), _call("a1", "u1", tool_id="t1", at=10)]
    hook = {"type": "hook_progress"}
    lines += [_entry("progress", uuid, "a1", at=20 + number, data=hook) for number, uuid in enumerate(progress)]
    lines += [_result("r1", "a1", tool_id="t1", at=500), _answer("a2", "a1", at=510), _prompt("u2", "a2", at=520)]
    expected = _one_line(["u1", "a1", *progress, "r1", "a2", "u2"])
    return about, _files(lines), expected | {"forks": {"a1": 2}, "verdicts": {"a1": "stitched"}}


def deep() -> GeneratedCase:
    """Generate thirty nested rewinds, each on the last branch of the previous one."""
    about = "Thirty rewinds, each inside the last branch: ids nest, nothing depends on the depth."
    lines = [_prompt("u0", None, at=0), _answer("a0", "u0", at=10)]
    expected = _one_line(["u0", "a0"])
    paths = []
    outer = "s1"
    for depth in range(1, 31):
        fork, left, right, answer = f"a{depth - 1}", f"left{depth:02}", f"right{depth:02}", f"a{depth}"
        lines.append(_prompt(left, fork, at=100 * depth))
        lines.append(_prompt(right, fork, at=100 * depth + 10))
        lines.append(_answer(answer, right, at=100 * depth + 20))
        branches = {f"{outer}@{left}": [left], f"{outer}@{right}": [right, answer]}
        expected["dag_lines"] |= branches
        expected["tree"] |= {branch: {"attachment_uuid": fork, "parent": outer} for branch in branches}
        expected["junctions"][fork] = [*branches]
        expected["forks"][fork] = 7
        expected["verdicts"][fork] = "rewind"
        paths.append(_path("u0", left, count=2 * depth + 1, status="abandoned"))
        outer = f"{outer}@{right}"
    paths.insert(0, _path("u0", "a30", count=62, status="active"))
    expected["paths"] = {"s1": paths}
    expected["paths_through"] = {"s1": [path["leaf"] for path in paths]}
    return about, _files(lines), expected


LARGE_CASES: dict[str, Callable[[], GeneratedCase]] = {
    "deep_branches_30": deep,
    "long_chain_3000": long_chain,
    "wide_300_children": wide,
}


def _files(lines: list[Line]) -> dict[str, bytes]:
    return {"s1.jsonl": "".join(json.dumps(line) + "\n" for line in lines).encode()}


def _one_line(uuids: list[str]) -> dict[str, Any]:
    """Return the expected graph of a session that consists of one line without forks."""
    return {
        "dag_lines": {"s1": uuids},
        "forks": {},
        "junctions": {},
        "paths": {"s1": [_path(uuids[0], uuids[-1], count=len(uuids), status="active")]},
        "paths_through": {"s1": [uuids[-1]]},
        "roots": ["s1"],
        "set_aside": {},
        "tree": {"s1": {"attachment_uuid": None, "parent": None}},
        "verdicts": {},
    }


def _path(root: str, leaf: str, *, count: int, status: str) -> dict[str, Any]:
    return {"entry_count": count, "leaf": leaf, "root": root, "status": status}


def _entry(kind: str, uuid: str, parent: str | None, *, at: int, **keys: Any) -> Line:
    """Return an entry; `at` is in tenths of a second."""
    minutes, tenths = divmod(at, 600)
    timestamp = f"2026-03-01T09:{minutes:02}:{tenths // 10:02}.{tenths % 10}00Z"
    ids = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1"}
    return {**ids, "timestamp": timestamp, "isSidechain": False, **keys}


def _prompt(uuid: str, parent: str | None, *, at: int) -> Line:
    return _entry("user", uuid, parent, at=at, message={"role": "user", "content": f"please do {uuid}"})


def _result(uuid: str, parent: str, *, tool_id: str, at: int) -> Line:
    block = {"type": "tool_result", "tool_use_id": tool_id, "content": "ok"}
    return _entry("user", uuid, parent, at=at, message={"role": "user", "content": [block]})


def _answer(uuid: str, parent: str, *, at: int) -> Line:
    return _assistant(uuid, parent, at=at, block={"type": "text", "text": f"done {uuid}"})


def _call(uuid: str, parent: str, *, tool_id: str, at: int) -> Line:
    block = {"type": "tool_use", "id": tool_id, "name": "Bash", "input": {"command": "ls"}}
    return _assistant(uuid, parent, at=at, block=block)


def _assistant(uuid: str, parent: str, *, at: int, block: dict[str, Any]) -> Line:
    message = {"id": f"msg_{uuid}", "role": "assistant", "model": "claude-x", "content": [block]}
    return _entry("assistant", uuid, parent, at=at, message=message)
