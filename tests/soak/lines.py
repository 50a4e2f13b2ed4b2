"""Hostile transcripts: every line is accounted for, nothing crashes, and every command can read what came out.

Batches of fuzzed files are indexed, checked, rebuild and read by the commands; a failure names its seed.
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

from .options import options

LINES = 500  # of a batch
_HUGE = 50 << 20
_BLANK = b" \t\r"


def main(arguments: list[str]) -> int:
    """Fuzz so many lines; print how it went, and each failure with the seed that shows it again."""
    given = options("lines", __doc__, count=100_000, cases="lines, at least").parse_args(arguments)
    start, done, failures, seed = time.monotonic(), 0, 0, given.seed
    while done < given.count:
        began = time.monotonic()
        with TemporaryDirectory() as folder:
            lines, size, wrong = check_batch(Path(folder).resolve(), seed)
        took = time.monotonic() - began
        if took > 60 + size / 100_000:
            wrong.append(f"{took:.0f} s for {size:,} bytes")
        for told in wrong:
            print(f"seed {seed}: {told}")
        done, failures, seed = done + lines, failures + len(wrong), seed + 1
    failures += _huge()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    took = time.monotonic() - start
    print(f"{done:,} lines in {seed - given.seed} batches, {failures} failures, {took:.0f} s, peak {peak:,} MB")
    return 1 if failures else 0


def check_batch(folder: Path, seed: int, *, lines: int = LINES) -> tuple[int, int, list[str]]:
    """Index one batch of hostile files; return its lines and bytes, and what was wrong."""
    chance = random.Random(seed)  # noqa: S311
    made = write_lines(folder / "projects", chance, lines)
    db = folder / "index" / "x.db"
    report = index(db, folder / "projects")
    wrong = [] if report.status == "ok" else [f"status {report.status}"]
    wrong += unaccounted(db, made)
    wrong += [f"invariant {name}: {rows[:2]}" for name, rows in broken(db).items()]
    before = everything(db)
    rebuild(db)
    after = everything(db)
    wrong += [f"a rebuild differs in {view}" for view, rows in before.items() if after[view] != rows]
    wrong += _read_by_commands(db, folder, chance)
    return report.lines_read, sum(map(len, made.values())), wrong


def unaccounted(db: Path, made: dict[bytes, bytes]) -> list[str]:
    """Lines of which the index holds neither an occurrence nor a malformed line."""
    placed: dict[str, set[int]] = {}
    for path, number in ask(
        db,
        "select source_path, line_no from v1_occurrences "
        "union select source_path, line_no from v1_diagnostics where kind = 'malformed-line'",
    ):
        placed.setdefault(path, set()).add(number)
    wrong = []
    for name, data in made.items():
        path = stored(os.fsdecode(name))
        if not path.endswith(".jsonl") or "/tool-results/" in path:
            continue
        *whole, torn = data.split(b"\n")
        told = (line.replace(b"\xef\xbb\xbf", b"").strip(_BLANK) for line in whole)
        there = {number for number, text in enumerate(told, start=1) if text}
        lost = there - placed.get(path, set())
        invented = placed.get(path, set()) - there - ({len(whole) + 1} if torn else set())
        if lost or invented:
            wrong.append(f"{path!r}: lines lost {sorted(lost)[:5]}, invented {sorted(invented)[:5]}")
    return wrong


def _read_by_commands(db: Path, folder: Path, chance: random.Random) -> list[str]:
    """What is wrong with any command on this index, of those that people use and some ids in it."""
    wrong = []
    for number, words in enumerate(_commands(db, chance)):
        given = [word.replace("{out}", str(folder / f"out{number}")) for word in words]
        done = run([given[0], "--db", str(db), *given[1:]], folder)
        told = misbehaviour(done, human="--raw" not in words and "--json" not in words and "--csv" not in words)
        if done.code == 2:
            told = done.said
        if told is None and "--json" in words and done.code == 0:
            json.loads(done.out)
        if told is None and "--out" in words:
            told = _unsafe_files(folder / f"out{number}", words)
        if told is not None:
            wrong.append(f"{words}: {told}")
    return wrong


def _unsafe_files(out: Path, words: Sequence[str]) -> str | None:
    for path in sorted(out.rglob("*")):
        if words[0] == "export" and path.suffix != ".json" and (bad := unsafe(path.read_bytes().decode())):
            return f"{path.name}: {bad[:3]}"
        if path.suffix == ".json" and words[0] == "export":
            json.loads(path.read_bytes())
    return None


def _commands(db: Path, chance: random.Random) -> Iterator[list[str]]:
    yield from (["sessions", "--limit", "0"], ["tools", "--limit", "0"], ["agents"], ["files"], ["doctor", "--all"])
    yield from (["stats", "--by", chance.choice(("day", "model", "project", "session"))], ["tree", "--limit", "0"])
    yield ["search", "--", chance.choice(("words", "x", "red", "evil", *TEXTS)) or "x"]
    yield [chance.choice(("sessions", "tools", "agents", "files", "tree", "stats")), "--json"]
    sessions, uuids, lines = (
        [row[0] for row in ask(db, f"select {name} from {view} order by 1") if "\0" not in row[0]]
        for name, view in (("session_id", "v1_sessions"), ("uuid", "v1_entries"), ("line_id", "v1_lines"))
    )
    for wanted in chance.sample(uuids, min(4, len(uuids))):
        yield ["explain", "--", wanted]
        yield ["graph", chance.choice(("ancestors", "descendants", "children", "tree")), "--", wanted]
        yield ["show", "--full", "--", wanted]
    for wanted in chance.sample(lines, min(2, len(lines))):
        yield ["show", "--all", "--inline", "--", wanted]
    for wanted in chance.sample(sessions, min(2, len(sessions))):
        yield ["paths", f"--session={wanted}"]
        yield ["show", "--agents", "--", wanted]
        yield ["show", chance.choice(("--raw", "--json")), "--", wanted]
        yield ["tree", f"--session={wanted}"]
        yield ["graph", chance.choice(("tree", "depth-first", "active-path", "sidechains")), "--", wanted]
    form = chance.choice(("markdown", "json", "dot", "tree", "timeline"))
    yield ["export", "--all", "--format", form, "--out", "{out}"]
    yield ["restore", "--out", "{out}"]


def _huge() -> int:
    """Index one line of fifty megabytes, good, torn and malformed; return how many checks failed."""
    text = b"x" * _HUGE
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
        wrong = [*lost, *broken(db), *(w for w in _read_by_commands(db, folder, random.Random(1)))]  # noqa: S311
    for told in wrong:
        print(f"huge: {told}")
    return len(wrong)
