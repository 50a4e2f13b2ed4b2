"""How much code one appended line passes through, from `ingest()` on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import ccindex
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from tests.making.files import append, write
from tests.making.indexes import index
from tests.making.transcripts import line

PACKAGE = str(Path(ccindex.__file__).parent) + "/"
OPTIMIZED = 0x1  # a flag of the code of functions that class bodies do not have
RECORDING = (
    "ingest/",
    "read/",
    "store/archive",
    "store/sources",
    "store/source_writer",
    "store/entry_writer",
    "chunks",
)


class Function(NamedTuple):
    """A function or comprehension of the package."""

    module: str
    name: str
    line_no: int


class Trace(NamedTuple):
    """The functions entered, and the most frames between `ingest` and an insert into `entries`."""

    functions: set[Function]
    depths: list[int]

    def modules(self, *prefixes: str) -> set[str]:
        return {function.module for function in self.functions if function.module.startswith(prefixes or "")}

    def named(self, *prefixes: str) -> set[Function]:
        """Functions without lambdas and comprehensions."""
        named = {function for function in self.functions if not function.name.endswith(">")}
        return {function for function in named if function.module.startswith(prefixes or "")}


@contextmanager
def traced() -> Iterator[Trace]:
    trace = Trace(set(), [])

    def note(frame: FrameType, event: str, called: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_flags & OPTIMIZED:
            module = code.co_filename.removeprefix(PACKAGE)
            trace.functions.add(Function(module, code.co_name, code.co_firstlineno))
        elif (
            event == "c_call"
            and getattr(called, "__name__", "") == "executemany"
            and "entry_writer" in code.co_filename
        ):
            trace.depths.append(depth_below_ingest(frame))

    sys.setprofile(note)
    try:
        yield trace
    finally:
        sys.setprofile(None)


def depth_below_ingest(frame: FrameType) -> int:
    depth, above = 1, frame
    while above.f_code is not ingest.__code__:
        assert above.f_back is not None
        depth, above = depth + 1, above.f_back
    return depth


def test_an_appended_line_passes_through_little_code(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *(line(f"u{n}", parent=f"u{n - 1}" if n else None) for n in range(10)))
    for number in range(10, 13):  # what is imported or cached once is not counted
        index(db, project)
        append(path, line(f"u{number}", parent=f"u{number - 1}") + "\n")
    with changing(db, create=False) as connection:
        run = begin_run(connection)
        with traced() as trace:
            report = ingest(run, [project], named=True)
    assert report.entries_added == 1
    assert 0 < max(trace.depths) <= 10
    assert len(trace.modules(*RECORDING)) <= 20
    assert len(trace.named(*RECORDING)) <= 110
    print(f"{len(trace.modules())} modules, {len(trace.named())} functions, {len(trace.functions)} with comprehensions")  # noqa: T201 - shown by pytest -s
