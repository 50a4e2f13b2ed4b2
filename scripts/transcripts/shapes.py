"""Generate transcripts of a given shape and size."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from .entries import EntryMaker
from .workday import workday

File = tuple[str, list[str]]


class Shape(NamedTuple):
    """A kind of generated transcript: its generator, the meaning of SIZE, and the sizes to measure."""

    build: Callable[[EntryMaker, int], Iterator[File]]
    description: str
    sizes: tuple[int, ...]


def write(shape: Shape, size: int, out: Path, *, seed: int) -> int:
    """Write transcripts of the given shape and size under `out`, and return the number of files."""
    count = 0
    for name, lines in shape.build(EntryMaker(seed), size):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        count += 1
    return count


def chain(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a chain of entries, alternating prompts and answers."""
    yield make.session_file("s1"), _turns(make, "u", size)


def wide(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield one entry with many prompts as children: repeated rewinds to the same entry."""
    children = (make.prompt(f"u{number}", "top", number) for number in range(1, size + 1))
    yield make.session_file("s1"), [make.prompt("top", None, 0), *children]


def side(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield one entry with many progress entries as children."""
    children = (make.progress(f"p{number}", "top", number) for number in range(1, size + 1))
    yield make.session_file("s1"), [make.prompt("top", None, 0), *children]


def rewinds(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield nested branches: each rewind is in the branch of the previous one."""
    lines = [make.prompt("p0", None, 0), make.answer("a0", "p0", 1)]
    for number in range(1, size + 1):
        parent, seconds = f"a{number - 1}", 3 * number
        lines += [make.prompt(f"x{number}", parent, seconds), make.prompt(f"p{number}", parent, seconds + 1)]
        lines.append(make.answer(f"a{number}", f"p{number}", seconds + 2))
    yield make.session_file("s1"), lines


def agents(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a chain of subagents: each spawns the next. Their sidecars contain the ids of the calls."""
    yield make.session_file("s1"), [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0")]
    for number in range(size):
        agent_keys = {"isSidechain": True, "agentId": make.agent(f"g{number}")}
        seconds = 2 * number + 2
        yield (
            make.agent_file("s1", f"g{number}"),
            [
                make.prompt(f"q{number}", None, seconds, **agent_keys),
                make.answer(f"c{number + 1}", f"q{number}", seconds + 1, calls=f"t{number + 1}", **agent_keys),
            ],
        )
        sidecar = {"agentType": "helper", "toolUseId": make.call(f"t{number}")}
        yield make.agent_file("s1", f"g{number}", "meta.json"), [json.dumps(sidecar)]


def progress(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a chain of progress entries that ends with an answer. Every entry of the chain has a leaf as a sibling."""
    lines = [make.prompt("u0", None, 0), make.answer("p0", "u0", 1, calls="t0")]
    for number in range(1, size + 1):
        parent, seconds = f"p{number - 1}", 2 * number
        lines += [make.progress(f"p{number}", parent, seconds), make.progress(f"l{number}", parent, seconds + 1)]
    yield make.session_file("s1"), [*lines, make.answer("end", f"p{size}", 2 * size + 2)]


def families(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield unrelated sessions of ten entries each."""
    for number in range(size):
        yield make.session_file(f"s{number}"), _turns(make, f"s{number}-", 10, session=f"s{number}")


def _turns(make: EntryMaker, prefix: str, count: int, session: str = "s1") -> list[str]:
    makers: tuple[Callable[..., str], ...] = (make.prompt, make.answer)
    return [
        makers[number % 2](f"{prefix}{number}", f"{prefix}{number - 1}" if number else None, number, session=session)
        for number in range(count)
    ]


SHAPES = {
    "chain": Shape(chain, "a chain of SIZE entries", (10_000, 50_000, 200_000)),
    "wide": Shape(wide, "one entry with SIZE prompts as children", (10_000, 50_000)),
    "side": Shape(side, "one entry with SIZE progress entries as children", (10_000, 50_000)),
    "rewinds": Shape(rewinds, "SIZE rewinds, each in the branch of the previous one", (100, 500)),
    "agents": Shape(agents, "SIZE subagents, each spawned by the previous one", (500, 2_000)),
    "progress": Shape(progress, "a chain of SIZE progress entries, each with a leaf as sibling", (10_000, 50_000)),
    "families": Shape(families, "SIZE unrelated sessions of ten entries each", (500, 5_000)),
    "day": Shape(workday, "SIZE varied sessions like those of a working day", (50, 200, 800)),
}
