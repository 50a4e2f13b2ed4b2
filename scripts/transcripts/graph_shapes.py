"""Generate sessions of extreme shapes: long chains, many children, branches, compactions, ghosts and cycles."""

import re
from collections.abc import Callable, Iterable, Iterator

from tests.making.transcripts import text_block, tool_result, tool_use, user_message

from .entries import EntryMaker

File = tuple[str, list[str]]

_UUID_KEY = re.compile(r'("(?:uuid|parentUuid)":")')


def chain(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a chain of entries, alternating prompts and answers."""
    yield make.session_file("s1"), turns(make, "u", size)


def wide(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield one entry with many prompts as children: repeated rewinds to the same entry."""
    yield make.session_file("s1"), _children(make, size)


def prefixes(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield the same as `wide`, but all uuids have a common prefix, so that branch ids must be lengthened."""
    yield make.session_file("s1"), _prefix_uuids("00000000-0000-", _children(make, size))


def long_ids(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield the same as `wide`, but with uuids of 10,000 characters; half of them contain a NUL character."""
    lines = _prefix_uuids("x" * 9_960, _children(make, size))
    lines[1::2] = [line.replace('"uuid":"x', r'"uuid":"\u0000x') for line in lines[1::2]]
    yield make.session_file("s1"), lines


def retries(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield one prompt with many answers as children."""
    answers = (make.answer(f"a{number}", "top", number) for number in range(1, size + 1))
    yield make.session_file("s1"), [make.prompt("top", None, 0), *answers]


def side(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield one entry with many progress entries as children."""
    children = (make.progress(f"p{number}", "top", number) for number in range(1, size + 1))
    yield make.session_file("s1"), [make.prompt("top", None, 0), *children]


def calls(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a response with many parallel calls, one per entry; the result of every call is a child of the call."""
    lines, last = [make.prompt("u0", None, 0)], "u0"
    for number in range(size):
        name, seconds = f"c{number}", number + 1
        message = _response(make, "r0", tool_use(make.call(name), "Read", file_path=f"/w/{number}"))
        lines.append(make.entry(name, last, seconds, type="assistant", message=message))
        last = name
    lines += (_result(make, f"r{number}", f"c{number}", size + number, f"c{number}") for number in range(size))
    yield make.session_file("s1"), [*lines, make.answer("end", f"r{size - 1}", 2 * size + 1)]


def results(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a call with many results."""
    answers = (_result(make, f"r{number}", "c0", number + 2, "t0") for number in range(size))
    yield make.session_file("s1"), [make.prompt("u0", None, 0), make.answer("c0", "u0", 1, calls="t0"), *answers]


def rewinds(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield nested branches: each rewind is in the branch of the previous one."""
    lines = [make.prompt("p0", None, 0), make.answer("a0", "p0", 1)]
    for number in range(1, size + 1):
        parent, seconds = f"a{number - 1}", 3 * number
        lines += [make.prompt(f"x{number}", parent, seconds), make.prompt(f"p{number}", parent, seconds + 1)]
        lines.append(make.answer(f"a{number}", f"p{number}", seconds + 2))
    yield make.session_file("s1"), lines


def progress(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a chain of progress entries that ends with an answer. Every entry of the chain has a leaf as a sibling."""
    lines = [make.prompt("u0", None, 0), make.answer("p0", "u0", 1, calls="t0")]
    for number in range(1, size + 1):
        parent, seconds = f"p{number - 1}", 2 * number
        lines += [make.progress(f"p{number}", parent, seconds), make.progress(f"l{number}", parent, seconds + 1)]
    yield make.session_file("s1"), [*lines, make.answer("end", f"p{size}", 2 * size + 2)]


def commands(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a caveat with many commands as children, each followed by an answer."""
    caveat = user_message("<local-command-caveat>Caveat: The messages below</local-command-caveat>")
    lines = [make.entry("n0", None, 0, message=caveat, isMeta=True)]
    for number in range(1, size + 1):
        command = user_message(f"<command-name>/x</command-name><command-args>{number}</command-args>")
        lines.append(make.entry(f"c{number}", "n0", 2 * number, message=command))
        lines.append(make.answer(f"a{number}", f"c{number}", 2 * number + 1))
    yield make.session_file("s1"), lines


def compactions(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a conversation that is compacted after every answer."""
    lines, last = turns(make, "u", 2), "u1"
    for number in range(size):
        boundary = {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": make.uuid(last)}
        seconds = 4 * number + 2
        lines.append(make.entry(f"b{number}", None, seconds, content="Conversation compacted", **boundary))
        lines.append(make.prompt(f"s{number}", f"b{number}", seconds + 1, isCompactSummary=True))
        lines.append(make.prompt(f"p{number}", f"s{number}", seconds + 2))
        last = f"a{number}"
        lines.append(make.answer(last, f"p{number}", seconds + 3))
    yield make.session_file("s1"), lines


def recordings(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield a history of two responses that is recorded many times, each time with new uuids and without a parent."""
    lines = []
    for number in range(size):
        names, seconds = [f"{kind}{number}" for kind in "uab"], 3 * number
        lines.append(make.entry(names[0], None, seconds, message=user_message("go on")))
        for index in (1, 2):
            message = _response(make, f"r{index}", text_block(f"answer {index}"))
            lines.append(make.entry(names[index], names[index - 1], seconds + index, type="assistant", message=message))
    yield make.session_file("s1"), lines


def ghost(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many prompts whose parent, always the same uuid, is in no file."""
    yield make.session_file("s1"), [make.prompt(f"u{number}", "nobody", number) for number in range(size)]


def ghosts(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many prompts whose parents, all different, are in no file."""
    yield make.session_file("s1"), [make.prompt(f"u{number}", f"nobody{number}", number) for number in range(size)]


def cycle(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield one cycle of prompts."""
    lines = [make.prompt(f"u{number}", f"u{(number + 1) % size}", number) for number in range(size)]
    yield make.session_file("s1"), lines


def cycles(make: EntryMaker, size: int) -> Iterator[File]:
    """Yield many cycles of two prompts."""
    lines = []
    for number in range(size):
        lines.append(make.prompt(f"a{number}", f"b{number}", 2 * number))
        lines.append(make.prompt(f"b{number}", f"a{number}", 2 * number + 1))
    yield make.session_file("s1"), lines


def turns(make: EntryMaker, prefix: str, count: int, session: str = "s1", start: int = 0) -> list[str]:
    """Return a chain of entries, alternating prompts and answers; their names are the prefix and a number."""
    makers: tuple[Callable[..., str], ...] = (make.prompt, make.answer)
    return [
        makers[number % 2](
            f"{prefix}{number}", f"{prefix}{number - 1}" if number else None, start + number, session=session
        )
        for number in range(count)
    ]


def _children(make: EntryMaker, count: int) -> list[str]:
    children = (make.prompt(f"u{number}", "top", number) for number in range(1, count + 1))
    return [make.prompt("top", None, 0), *children]


def _prefix_uuids(prefix: str, lines: Iterable[str]) -> list[str]:
    return [_UUID_KEY.sub(rf"\g<1>{prefix}", line) for line in lines]


def _response(make: EntryMaker, name: str, block: dict[str, object]) -> dict[str, object]:
    return {"id": make.response(name), "role": "assistant", "content": [block]}


def _result(make: EntryMaker, name: str, parent: str, seconds: int, call: str) -> str:
    return make.entry(name, parent, seconds, message=user_message(tool_result(make.call(call))))
