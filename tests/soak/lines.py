"""`scripts/soak lines`: index fuzzed lines; every line must be accounted for, and no command may crash.

Each batch of fuzzed files is indexed, checked, rebuilt and read by the commands. Every failure is printed with its
seed.
"""

import json
import os
import random
import resource
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from ccindex.read.discovery import printable as stored
from ccindex.store.sql_files import names
from tests.making.hostile_lines import write_lines
from tests.making.hostile_texts import TEXTS, unsafe
from tests.making.in_process import misbehaviour, run
from tests.making.indexes import ask, broken, everything, index, rebuild

from .options import make_parser

BATCH_LINES = 500
_HUGE_LINE_BYTES = 50 << 20
_BLANK = b" \t\r"


def main(arguments: list[str]) -> int:
    """Index fuzzed lines in batches; print every failure with its seed, and a summary."""
    parsed = make_parser("lines", __doc__, count=100_000, cases="lines (minimum)").parse_args(arguments)
    started, done, failures, seed = time.monotonic(), 0, 0, parsed.seed
    while done < parsed.count:
        batch_started = time.monotonic()
        with TemporaryDirectory() as folder:
            lines, size, problems = check_batch(Path(folder).resolve(), seed)
        seconds = time.monotonic() - batch_started
        if seconds > 60 + size / 100_000:
            problems.append(f"{seconds:.0f} s for {size:,} bytes")
        for problem in problems:
            print(f"seed {seed}: {problem}")
        done, failures, seed = done + lines, failures + len(problems), seed + 1
    failures += _check_huge_lines()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    seconds = time.monotonic() - started
    print(f"{done:,} lines in {seed - parsed.seed} batches, {failures} failures, {seconds:.0f} s, peak {peak:,} MB")
    return 1 if failures else 0


def check_batch(folder: Path, seed: int, *, lines: int = BATCH_LINES) -> tuple[int, int, list[str]]:
    """Index one batch of hostile files; return its number of lines, its size and the problems."""
    rng = random.Random(seed)  # noqa: S311
    files = write_lines(folder / "projects", rng, lines)
    db = folder / "index" / "x.db"
    report = index(db, folder / "projects")
    problems = [] if report.status == "ok" else [f"status {report.status}"]
    problems += unaccounted(db, files)
    problems += [f"invariant {name}: {rows[:2]}" for name, rows in broken(db).items()]
    before = everything(db)
    rebuild(db)
    after = everything(db)
    problems += [f"a rebuild differs in {view}" for view, rows in before.items() if after[view] != rows]
    problems += _check_commands(db, folder, rng)
    return report.lines_read, sum(map(len, files.values())), problems


def unaccounted(db: Path, files: dict[bytes, bytes]) -> list[str]:
    """Describe lines without an occurrence or malformed-line diagnostic, and indexed lines that do not exist."""
    indexed: dict[str, set[int]] = {}
    for path, number in ask(
        db,
        "select source_path, line_no from v1_occurrences "
        "union select source_path, line_no from v1_diagnostics where kind = 'malformed-line'",
    ):
        indexed.setdefault(path, set()).add(number)
    problems = []
    for name, data in files.items():
        path = stored(os.fsdecode(name))
        if not path.endswith(".jsonl") or "/tool-results/" in path:
            continue
        *whole, torn = data.split(b"\n")
        texts = (line.replace(b"\xef\xbb\xbf", b"").strip(_BLANK) for line in whole)
        written = {number for number, text in enumerate(texts, start=1) if text}
        lost = written - indexed.get(path, set())
        invented = indexed.get(path, set()) - written - ({len(whole) + 1} if torn else set())
        if lost or invented:
            problems.append(f"{path!r}: lines lost {sorted(lost)[:5]}, invented {sorted(invented)[:5]}")
    return problems


def _check_commands(db: Path, folder: Path, rng: random.Random) -> list[str]:
    """Run the commands that only read the index, with a sample of its ids; return the problems."""
    problems = []
    for number, words in enumerate(_commands(db, rng)):
        arguments = [word.replace("{out}", str(folder / f"out{number}")) for word in words]
        result = run([arguments[0], "--db", str(db), *arguments[1:]], folder)
        problem = misbehaviour(result, human="--raw" not in words and "--json" not in words and "--csv" not in words)
        if result.code == 2:
            problem = result.stderr
        if problem is None and "--json" in words and result.code == 0:
            json.loads(result.out)
        if problem is None and "--out" in words:
            problem = _unsafe_files(folder / f"out{number}", words)
        if problem is not None:
            problems.append(f"{words}: {problem}")
    return problems


def _unsafe_files(out: Path, words: Sequence[str]) -> str | None:
    for path in sorted(out.rglob("*")):
        if words[0] == "export" and path.suffix != ".json" and (bad := unsafe(path.read_bytes().decode())):
            return f"{path.name}: {bad[:3]}"
        if path.suffix == ".json" and words[0] == "export":
            json.loads(path.read_bytes())
    return None


def _commands(db: Path, rng: random.Random) -> Iterator[list[str]]:
    yield from (["sessions", "--limit", "0"], ["tools", "--limit", "0"], ["agents"], ["files"], ["doctor", "--all"])
    yield from (["stats", "--by", rng.choice(("day", "model", "project", "session"))], ["tree", "--limit", "0"])
    yield ["search", "--", rng.choice(("words", "x", "red", "evil", *TEXTS)) or "x"]
    yield [rng.choice(("sessions", "tools", "agents", "files", "tree", "stats")), "--json"]
    sessions, uuids, lines = (
        [row[0] for row in ask(db, f"select {name} from {view} order by 1") if "\0" not in row[0]]
        for name, view in (("session_id", "v1_sessions"), ("uuid", "v1_entries"), ("line_id", "v1_lines"))
    )
    for uuid in rng.sample(uuids, min(4, len(uuids))):
        yield ["explain", "--", uuid]
        yield ["graph", rng.choice(("ancestors", "descendants", "children", "tree")), "--", uuid]
        yield ["show", "--full", "--", uuid]
    for line_id in rng.sample(lines, min(2, len(lines))):
        yield ["show", "--all", "--inline", "--", line_id]
    for session in rng.sample(sessions, min(2, len(sessions))):
        yield ["paths", f"--session={session}"]
        yield ["show", "--agents", "--", session]
        yield ["show", rng.choice(("--raw", "--json")), "--", session]
        yield ["tree", f"--session={session}"]
        yield ["graph", rng.choice(("tree", "depth-first", "active-path", "sidechains")), "--", session]
    form = rng.choice(("markdown", "json", "dot", "tree", "timeline"))
    yield ["export", "--all", "--format", form, "--out", "{out}"]
    yield ["restore", "--out", "{out}"]


def _check_huge_lines() -> int:
    """Index a valid and a malformed line of 50 MB, a deeply nested line and a torn line; return the problem count."""
    text = b"x" * _HUGE_LINE_BYTES
    entry = b'{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"' + text + b'"}}'
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        path = folder / "projects" / "-w" / "s1.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(entry + b"\n" + entry[:-3] + b"\n" + b"[" * (1 << 20) + b"\n" + entry[: 1 << 20])
        db = folder / "index" / "x.db"
        index(db, folder / "projects")
        lost = unaccounted(db, {os.fsencode(path): path.read_bytes()})
        with closing(sqlite3.connect(db)) as connection:
            for view in names("views"):
                for _ in connection.execute(f"select * from {view}"):
                    pass
        problems = [*lost, *broken(db), *_check_commands(db, folder, random.Random(1))]  # noqa: S311
    for problem in problems:
        print(f"huge: {problem}")
    return len(problems)
