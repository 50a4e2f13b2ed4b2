"""Generate the files of one or two projects from a seed, with all known file types and optional earlier contents."""

import json
from dataclasses import dataclass
from typing import Any

from tests.making.files import Files
from tests.making.transcripts import entry
from tests.reference.random_choices import numbers_from_seed
from tests.reference.random_projects import random_project

from .corruptions import corrupt, earlier_content
from .newer_versions import NewerTranscriptBuilder, record, workflow

Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Projects:
    """Files by path under the projects folder, each with its successive contents."""

    generations: dict[str, tuple[bytes, ...]]

    @property
    def files(self) -> Files:
        """The final content of every file."""
        return {name: contents[-1] for name, contents in self.generations.items()}


def random_projects(seed: int | str, *, rewrites: bool = False) -> Projects:
    """Return the projects that the seed determines; with `rewrites`, some files have earlier contents."""
    make = NewerTranscriptBuilder(numbers_from_seed(f"world {seed}"))
    files = random_project(make)
    files |= workflow(make, sorted(files))
    _resume(make, files)
    _scatter(make, files)
    _add_records(make, files)
    _add_outputs(make, files)
    files = {_project(make, name) + name: data for name, data in sorted(files.items())}
    final = {name: corrupt(make, data) if name.endswith(".jsonl") else data for name, data in files.items()}
    return Projects({name: _generations(make, data, rewrites=rewrites) for name, data in final.items()})


def _generations(make: NewerTranscriptBuilder, data: bytes, *, rewrites: bool) -> tuple[bytes, ...]:
    if not rewrites or not make.chance(40):
        return (data,)
    earlier = [earlier_content(make, data) for _ in range(make.pick([1, 1, 2]))]
    return (*earlier, data)


def _project(make: NewerTranscriptBuilder, name: str) -> str:
    """Choose a file's project folder: usually -p/, but sometimes -q/ for a file that is not in a subfolder."""
    return "-q/" if "/" not in name and make.chance(8) else "-p/"


def _resume(make: NewerTranscriptBuilder, files: Files) -> None:
    """Sometimes add a session that starts with copies of s1's entries, with or without s1's id, and continues."""
    if not make.chance(35):
        return
    values = _values(files.get("s1.jsonl", b""))
    copied = values[: make.number(0, len(values))]
    changes: Value = {"sessionId": "s5"} if make.chance(60) else {}
    uuids = [value["uuid"] for value in copied if isinstance(value.get("uuid"), str)]
    own: list[Value] = []
    for number in range(make.number(0, 3)):
        parent = f"r{number - 1}" if number else make.pick([*uuids[-1:] * 3, *uuids, None])
        own.append(entry(f"r{number}", parent, make.number(0, 59), sessionId="s5"))
    if own and make.chance(25):
        original = {"sessionId": "s1", "messageUuid": make.pick([*uuids, "gone"])}
        own[0] |= {"parentUuid": make.pick([None, own[0]["parentUuid"]]), "forkedFrom": original}
    files["s5.jsonl"] = _text([*({**value, **changes} for value in copied), *own])


def _scatter(make: NewerTranscriptBuilder, files: Files) -> None:
    """Sometimes move entries to a new file, or add a helper agent, a command or an empty file."""
    if make.chance(25):
        name = make.pick(sorted(name for name in files if name.endswith(".jsonl")))
        values = _values(files[name])
        moved = make.some(values, 1, 2)
        files[name] = _text([value for value in values if value not in moved])
        files["late.jsonl"] = _text(moved)
    if make.chance(12):
        parent = make.pick([None, "e1", "h0"])
        lines = [
            entry("h1", parent, 5, isSidechain=True, agentId="acompact-1"),
            entry("h2", "h1", 6, isSidechain=True),
        ]
        files["s1/subagents/agent-acompact-1.jsonl"] = _text(lines)
    if make.chance(8):
        command = entry("lc", None, 8, type="system", subtype="local_command", content="/memory", message=None)
        files["s1.jsonl"] = _text([*_values(files.get("s1.jsonl", b"")), command])
    if make.chance(6):
        files["empty.jsonl"] = b""


def _add_records(make: NewerTranscriptBuilder, files: Files) -> None:
    sessions = ["s1", "s2", "s3", "s5"]
    for name in sorted(name for name in files if name.endswith(".jsonl")):
        if not make.chance(55):
            continue
        values = _values(files[name])
        for _ in range(make.number(1, 3)):
            line = record(make, sessions, [*make.written], make.agents)
            values.insert(make.pick([0, make.number(0, len(values))]), line)
        files[name] = _text(values)


def _add_outputs(make: NewerTranscriptBuilder, files: Files) -> None:
    """Sometimes add a persisted tool result with arbitrary bytes."""
    if make.chance(25):
        name = make.pick(["t1.txt", "t2.json", "t3.jsonl", "mcp-x.txt"])
        files[f"s1/tool-results/{name}"] = make.pick([b"", b"output\n", b"\0\xff", b'{"uuid":"e1"}\n'])


def _values(data: bytes) -> list[Value]:
    """Return the objects of a file, without a torn last line."""
    return [json.loads(line) for line in data.splitlines() if line.endswith(b"}")]


def _text(values: list[Value]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()
