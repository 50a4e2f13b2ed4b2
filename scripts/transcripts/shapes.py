"""A shape and a size to made-up transcripts, file by file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from .day import day
from .entries import Maker

File = tuple[str, list[str]]


class Shape(NamedTuple):
    """A kind of transcript, what it is and grows in, and the sizes to measure."""

    build: Callable[[Maker, int], Iterator[File]]
    sentence: str
    sizes: tuple[int, ...]


def write(shape: Shape, size: int, out: Path, *, seed: int) -> int:
    """Write the transcripts of a shape below a folder and return how many files they are."""
    count = 0
    for name, lines in shape.build(Maker(seed), size):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        count += 1
    return count


def chain(make: Maker, size: int) -> Iterator[File]:
    """Give one entry below the other, prompts and answers in turn."""
    yield make.session_file("s1"), _turns(make, "u", size)


def wide(make: Maker, size: int) -> Iterator[File]:
    """Give one entry with prompts below it: a rewind to the same place, again and again."""
    below = (make.prompt(f"u{at}", "top", at) for at in range(1, size + 1))
    yield make.session_file("s1"), [make.prompt("top", None, 0), *below]


def side(make: Maker, size: int) -> Iterator[File]:
    """Give one entry with progress below it."""
    below = (make.progress(f"p{at}", "top", at) for at in range(1, size + 1))
    yield make.session_file("s1"), [make.prompt("top", None, 0), *below]


def rewinds(make: Maker, size: int) -> Iterator[File]:
    """Give branches each of which is rewound in its turn, so that lines nest."""
    lines = [make.prompt("p0", None, 0), make.answer("a0", "p0", 1)]
    for at in range(1, size + 1):
        above = f"a{at - 1}"
        lines += [make.prompt(f"x{at}", above, 3 * at), make.prompt(f"p{at}", above, 3 * at + 1)]
        lines.append(make.answer(f"a{at}", f"p{at}", 3 * at + 2))
    yield make.session_file("s1"), lines


def agents(make: Maker, size: int) -> Iterator[File]:
    """Give subagents each of which spawns the next; their sidecars name the calls."""
    yield make.session_file("s1"), [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0")]
    for at in range(size):
        belongs = {"isSidechain": True, "agentId": make.agent(f"g{at}")}
        yield (
            make.agent_file("s1", f"g{at}"),
            [
                make.prompt(f"q{at}", None, 2 * at + 2, **belongs),
                make.answer(f"c{at + 1}", f"q{at}", 2 * at + 3, calls=f"t{at + 1}", **belongs),
            ],
        )
        sidecar = {"agentType": "helper", "toolUseId": make.call(f"t{at}")}
        yield make.agent_file("s1", f"g{at}", "meta.json"), [json.dumps(sidecar)]


def progress(make: Maker, size: int) -> Iterator[File]:
    """Give a chain of progress entries, each with a leaf beside the one that follows, and an answer at its end."""
    lines = [make.prompt("u0", None, 0), make.answer("p0", "u0", 1, calls="t0")]
    for at in range(1, size + 1):
        above = f"p{at - 1}"
        lines += [make.progress(f"p{at}", above, 2 * at), make.progress(f"l{at}", above, 2 * at + 1)]
    yield make.session_file("s1"), [*lines, make.answer("end", f"p{size}", 2 * size + 2)]


def families(make: Maker, size: int) -> Iterator[File]:
    """Give sessions of ten entries that have nothing to do with one another."""
    for number in range(size):
        yield make.session_file(f"s{number}"), _turns(make, f"s{number}-", 10, session=f"s{number}")


def _turns(make: Maker, prefix: str, count: int, session: str = "s1") -> list[str]:
    makers: tuple[Callable[..., str], ...] = (make.prompt, make.answer)
    return [
        makers[at % 2](f"{prefix}{at}", f"{prefix}{at - 1}" if at else None, at, session=session) for at in range(count)
    ]


SHAPES = {
    "chain": Shape(chain, "SIZE entries one below the other", (10_000, 50_000, 200_000)),
    "wide": Shape(wide, "SIZE prompts below one entry", (10_000, 50_000)),
    "side": Shape(side, "SIZE progress entries below one entry", (10_000, 50_000)),
    "rewinds": Shape(rewinds, "SIZE rewinds, each in the branch of the one before", (100, 500)),
    "agents": Shape(agents, "SIZE subagents, each spawned by the one before", (500, 2_000)),
    "progress": Shape(progress, "SIZE progress entries one below the other, with leaves", (10_000, 50_000)),
    "families": Shape(families, "SIZE sessions of ten entries", (500, 5_000)),
    "day": Shape(day, "SIZE sessions with a bit of everything that happens in a day at work", (50, 200, 800)),
}
