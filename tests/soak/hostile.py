"""Transcripts with hostile ids: lines to processor time, memory and what is wrong; n and 4n show what is not linear.

Every shape can be run alone (--shape); --grow runs n and 4n lines of each, every one in a process of its own.
"""

import argparse
import hashlib
import json
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any

from ccindex.ingest.ingest import ingest
from ccindex.maintain.restore import restore
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing, reading
from ccindex.store.sql_files import names
from tests.making.folders import ROOT
from tests.making.hostile_graphs import SHAPES, write_graph
from tests.making.in_process import misbehaviour, run
from tests.making.indexes import broken, rebuild

_TIMES = {"revision", "run_id", "first_indexed_at", "last_indexed_at", "forgotten_at"}
_LEFT_OUT = {"v1_ingest_runs", "v1_meta"}
_PATIENCE = 5.0  # seconds after which it is told how long a command took
_ASKED = 8  # ids of each kind that commands are asked about


def main(arguments: list[str]) -> int:
    """Index the wanted lines and print the figures as JSON, one line per shape and size."""
    parser = argparse.ArgumentParser(prog="scripts/soak hostile", description=__doc__)
    parser.add_argument("--lines", type=int, default=5_000, help="how many; default: %(default)s")
    parser.add_argument("--files", type=int, default=20, help="how many; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--shape", choices=SHAPES, default="mixed", help="default: %(default)s")
    parser.add_argument("--grow", nargs="*", choices=SHAPES, metavar="SHAPE", help="n and 4n of these; none: of all")
    parser.add_argument("--quick", action="store_true", help="index only, check nothing")
    parser.add_argument("--no-commands", action="store_true", help="leave out what commands answer")
    given = parser.parse_args(arguments)
    if given.grow is not None:
        return _grow(given.grow or list(SHAPES), given)
    with tempfile.TemporaryDirectory(prefix="ccindex-hostile-") as folder:
        figures = measured(Path(folder).resolve(), given.shape, given.lines, given.files, given.seed)
        print(json.dumps(figures), flush=True)
        wrong = 0
        for told in () if given.quick else wrong_in(Path(folder).resolve(), None if given.no_commands else given.seed):
            print(f"WRONG: {told}", flush=True)
            wrong += 1
    print(f"{wrong} failures", flush=True)
    return 1 if wrong else 0


def measured(folder: Path, shape: str, lines: int, files: int, seed: int) -> dict[str, Any]:
    """Index a shape; return processor seconds by phase, peak memory and sizes."""
    written = write_graph(folder / "projects", shape, lines, files=files, seed=seed)
    db = folder / "index" / "x.db"
    start = process_time()
    with changing(db, create=True) as connection:
        going = begin_run(connection)
        ingest(going, [folder / "projects"], named=True)
    return {
        "shape": shape,
        "lines": lines,
        "bytes": written,
        "seconds": round(process_time() - start, 2),
        "phases": {name: round(taken, 2) for name, taken in going.phases.items()},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "index_mb": db.stat().st_size >> 20,
    }


def wrong_in(folder: Path, seed: int | None) -> Iterator[str]:
    """Prove the accounting, restore, rebuild and read with every command; say what is wrong. No seed: no commands."""
    db = folder / "index" / "x.db"
    for name, rows in broken(db).items():
        yield f"doctor: {name}: {len(rows)} rows, {str(rows[:2])[:400]}"
    yield from _restored(db, folder)
    before, start = digests(db), process_time()
    rebuild(db)
    after = digests(db)
    print(f"rebuilt in {process_time() - start:.1f} s", flush=True)
    yield from (f"a rebuild differs in {view}" for view in before if before[view] != after[view])
    if seed is None:
        return
    for words in _commands(db, random.Random(seed)):  # noqa: S311
        told = _answered(db, folder, words)
        if told is not None:
            yield f"{[word[:80] for word in words]}: {told[:600]}"


def digests(db: Path) -> dict[str, tuple[int, int]]:
    """How many rows each view has, and a sum over them in which their order does not matter."""
    found = {}
    with closing(sqlite3.connect(db)) as connection:
        for view in sorted(set(names("views")) - _LEFT_OUT):
            rows = connection.execute(f"select * from {view}")
            kept = [place for place, column in enumerate(rows.description) if column[0] not in _TIMES]
            count, total = 0, 0
            for row in rows:
                text = repr([row[place] for place in kept]).encode("utf-8", "surrogatepass")
                total += int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())
                count += 1
            found[view] = (count, total % (1 << 128))
    return found


def _restored(db: Path, folder: Path) -> Iterator[str]:
    """Files whose restored bytes are not those that were indexed."""
    out = folder / "restored"
    with reading(db) as connection:
        restore(connection, out, wanted=None, generation=None, force=False)
    for path in sorted((folder / "projects").rglob("*")):
        if path.is_file() and (out / path.relative_to("/")).read_bytes() != path.read_bytes():
            yield f"restored otherwise: {path.name}"
    shutil.rmtree(out)


def _commands(db: Path, chance: random.Random) -> Iterator[list[str]]:
    """Every command that reads, with ids of every kind that the index has."""
    for command in ("sessions", "tools", "agents", "files", "tree"):
        yield from ([command], [command, "--json"])
    for by in ("day", "week", "month", "model", "project", "session", "tool", "agent"):
        yield from (["stats", "--by", by], ["stats", "--by", by, "--json"])
    yield from (["search", "go"], ["search", "words", "--json"], ["doctor", "--json"])
    yield ["sql", "select session_id from v1_sessions limit 5"]
    with closing(sqlite3.connect(db)) as connection:
        sessions, uuids, lines, paths = (
            _some(connection, f"select {column} from {view}", chance)
            for column, view in (
                ("session_id", "v1_sessions"),
                ("uuid", "v1_entries"),
                ("line_id", "v1_lines"),
                ("path_id", "v1_paths"),
            )
        )
    for wanted in sessions:
        yield from (["tree", f"--session={wanted}"], ["paths", f"--session={wanted}"], ["show", "--", wanted])
        yield ["export", f"--session={wanted}", "--format", chance.choice(("json", "dot", "tree")), "--out", "{out}"]
        yield ["tools", f"--session={wanted}", "--json"]
        yield from (["graph", "tree", "--", wanted], ["graph", "active-path", "--json", "--", wanted])
    for wanted in uuids:
        yield from (["explain", "--", wanted], ["show", "--", wanted], ["graph", "ancestors", "--", wanted])
    for wanted in (*lines, *paths):
        yield ["show", "--", wanted]


def _some(connection: sqlite3.Connection, query: str, chance: random.Random) -> list[str]:
    """Some of the ids that a shell can give, those that are odd first."""
    rows = [str(row[0]) for row in connection.execute(f"{query} limit 20000")]
    odd = [name for name in rows if not name.isalnum()]
    some = [*chance.sample(odd, min(_ASKED // 2, len(odd))), *chance.sample(rows, min(_ASKED // 2, len(rows)))]
    return [name for name in some if "\0" not in name and len(name) < 100_000]


def _answered(db: Path, folder: Path, words: list[str]) -> str | None:
    out, start = folder / "out", process_time()
    done = run([words[0], "--db", str(db), *(word.replace("{out}", str(out)) for word in words[1:])], folder)
    shutil.rmtree(out, ignore_errors=True)
    if (took := process_time() - start) > _PATIENCE:
        print(f"{took:.0f} s: {[word[:40] for word in words]}", flush=True)
    told = misbehaviour(done, human="--json" not in words)
    if told is None and done.code == 2:
        return done.said
    if told is None and done.code == 1 and words[0] not in ("explain", "graph", "show", "paths", "tree", "export"):
        return done.said  # an id may be ambiguous, but a list always has an answer
    if told is None and done.code == 0 and "--json" in words:
        json.loads(done.out)
    return told


def _grow(shapes: list[str], given: argparse.Namespace) -> int:
    """Print for each shape what n and 4n lines take, and by which factor."""
    for shape in shapes:
        few, many = (_apart(shape, lines, given) for lines in (given.lines, 4 * given.lines))
        grown = {phase: f"{few['phases'][phase]}->{taken}" for phase, taken in many["phases"].items() if taken > 1.0}
        factor = many["seconds"] / max(few["seconds"], 0.1)
        memory = f"{few['peak_mb']}->{many['peak_mb']} MB"
        print(f"{shape}: {few['seconds']}->{many['seconds']} s, {factor:.1f}, {memory}, {grown}", flush=True)
    return 0


def _apart(shape: str, lines: int, given: argparse.Namespace) -> dict[str, Any]:
    words = ["--shape", shape, "--lines", str(lines), "--files", str(given.files), "--seed", str(given.seed)]
    script = ROOT / "scripts" / "soak"
    done = subprocess.run(
        [sys.executable, str(script), "hostile", "--quick", *words], capture_output=True, text=True, check=True
    )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return figures
