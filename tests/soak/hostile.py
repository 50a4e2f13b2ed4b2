"""`scripts/soak hostile`: measure the time and memory that hostile graphs need, and check the resulting index.

--shape selects the shape of the graph. --grow runs the given shapes, or all of them, with n and with 4n lines, each in
its own process, to show where the work does not grow linearly.
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
from tests.making.indexes import RUN_COLUMNS, RUN_VIEWS, broken, rebuild

_SLOW_SECONDS = 5.0  # slower commands are printed
_IDS_PER_KIND = 8


def main(arguments: list[str]) -> int:
    """Index transcripts of a shape; print the measurements as JSON, then the problems."""
    parser = argparse.ArgumentParser(prog="scripts/soak hostile", description=__doc__)
    parser.add_argument("--lines", type=int, default=5_000, help="number of lines; default: %(default)s")
    parser.add_argument("--files", type=int, default=20, help="number of files; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="random seed; default: %(default)s")
    parser.add_argument("--shape", choices=SHAPES, default="mixed", help="shape of the graph; default: %(default)s")
    parser.add_argument(
        "--grow",
        nargs="*",
        choices=SHAPES,
        metavar="SHAPE",
        help="compare the cost of n and 4n lines of these shapes; default: all",
    )
    parser.add_argument("--quick", action="store_true", help="only index; skip the checks")
    parser.add_argument("--no-commands", action="store_true", help="do not run commands")
    parsed = parser.parse_args(arguments)
    if parsed.grow is not None:
        return _compare_growth(parsed.grow or list(SHAPES), parsed)
    with tempfile.TemporaryDirectory(prefix="ccindex-hostile-") as folder:
        figures = measure(Path(folder).resolve(), parsed.shape, parsed.lines, parsed.files, parsed.seed)
        print(json.dumps(figures), flush=True)
        failures = 0
        seed = None if parsed.no_commands else parsed.seed
        for problem in () if parsed.quick else find_problems(Path(folder).resolve(), seed):
            print(f"FAILURE: {problem}", flush=True)
            failures += 1
    print(f"{failures} failures", flush=True)
    return 1 if failures else 0


def measure(folder: Path, shape: str, lines: int, files: int, seed: int) -> dict[str, Any]:
    """Index transcripts of a shape; return the CPU seconds in total and per phase, peak memory and sizes."""
    size = write_graph(folder / "projects", shape, lines, files=files, seed=seed)
    db = folder / "index" / "x.db"
    start = process_time()
    with changing(db, create=True) as connection:
        ingest_run = begin_run(connection)
        ingest(ingest_run, [folder / "projects"], must_exist=True)
    return {
        "shape": shape,
        "lines": lines,
        "bytes": size,
        "seconds": round(process_time() - start, 2),
        "phases": {name: round(seconds, 2) for name, seconds in ingest_run.phases.items()},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "index_mb": db.stat().st_size >> 20,
    }


def find_problems(folder: Path, seed: int | None) -> Iterator[str]:
    """Check invariants, restore, rebuild and all commands that only read; if `seed` is None, run no commands."""
    db = folder / "index" / "x.db"
    for name, rows in broken(db).items():
        yield f"doctor: {name}: {len(rows)} rows, {str(rows[:2])[:400]}"
    yield from _check_restore(db, folder)
    before, start = digests(db), process_time()
    rebuild(db)
    after = digests(db)
    print(f"rebuilt in {process_time() - start:.1f} s", flush=True)
    yield from (f"a rebuild differs in {view}" for view in before if before[view] != after[view])
    if seed is None:
        return
    for words in _commands(db, random.Random(seed)):  # noqa: S311
        problem = _check_command(db, folder, words)
        if problem is not None:
            yield f"{[word[:80] for word in words]}: {problem[:600]}"


def digests(db: Path) -> dict[str, tuple[int, int]]:
    """Return the number of rows in every view, and a hash of the rows that does not depend on their order."""
    digests = {}
    with closing(sqlite3.connect(db)) as connection:
        for view in sorted(set(names("views")) - RUN_VIEWS):
            rows = connection.execute(f"select * from {view}")
            kept = [index for index, column in enumerate(rows.description) if column[0] not in RUN_COLUMNS]
            count, total = 0, 0
            for row in rows:
                text = repr([row[index] for index in kept]).encode("utf-8", "surrogatepass")
                total += int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())
                count += 1
            digests[view] = (count, total % (1 << 128))
    return digests


def _check_restore(db: Path, folder: Path) -> Iterator[str]:
    """Describe the files whose restored bytes differ from the original bytes."""
    out = folder / "restored"
    with reading(db) as connection:
        restore(connection, out, requested_path=None, generation=None, force=False)
    for path in sorted((folder / "projects").rglob("*")):
        if path.is_file() and (out / path.relative_to("/")).read_bytes() != path.read_bytes():
            yield f"restored bytes differ: {path.name}"
    shutil.rmtree(out)


def _commands(db: Path, rng: random.Random) -> Iterator[list[str]]:
    """Yield command lines of the read-only commands, using ids of every kind from the index."""
    for command in ("sessions", "tools", "agents", "files", "tree"):
        yield from ([command], [command, "--json"])
    for by in ("day", "week", "month", "model", "project", "session", "tool", "agent"):
        yield from (["stats", "--by", by], ["stats", "--by", by, "--json"])
    yield from (["search", "go"], ["search", "words", "--json"], ["doctor", "--json"])
    yield ["sql", "select session_id from v1_sessions limit 5"]
    with closing(sqlite3.connect(db)) as connection:
        sessions, uuids, lines, paths = (
            _sample_ids(connection, f"select {column} from {view}", rng)
            for column, view in (
                ("session_id", "v1_sessions"),
                ("uuid", "v1_entries"),
                ("line_id", "v1_lines"),
                ("path_id", "v1_paths"),
            )
        )
    for session in sessions:
        yield from (["tree", f"--session={session}"], ["paths", f"--session={session}"], ["show", "--", session])
        yield ["export", f"--session={session}", "--format", rng.choice(("json", "dot", "tree")), "--out", "{out}"]
        yield ["tools", f"--session={session}", "--json"]
        yield from (["graph", "tree", "--", session], ["graph", "active-path", "--json", "--", session])
    for uuid in uuids:
        yield from (["explain", "--", uuid], ["show", "--", uuid], ["graph", "ancestors", "--", uuid])
    for target in (*lines, *paths):
        yield ["show", "--", target]


def _sample_ids(connection: sqlite3.Connection, query: str, rng: random.Random) -> list[str]:
    """Return a sample of ids that can be command-line arguments, about half of them with special characters."""
    rows = [str(row[0]) for row in connection.execute(f"{query} limit 20000")]
    special = [name for name in rows if not name.isalnum()]
    sample = [
        *rng.sample(special, min(_IDS_PER_KIND // 2, len(special))),
        *rng.sample(rows, min(_IDS_PER_KIND // 2, len(rows))),
    ]
    return [name for name in sample if "\0" not in name and len(name) < 100_000]


def _check_command(db: Path, folder: Path, words: list[str]) -> str | None:
    out, start = folder / "out", process_time()
    result = run([words[0], "--db", str(db), *(word.replace("{out}", str(out)) for word in words[1:])], folder)
    shutil.rmtree(out, ignore_errors=True)
    if (seconds := process_time() - start) > _SLOW_SECONDS:
        print(f"{seconds:.0f} s: {[word[:40] for word in words]}", flush=True)
    problem = misbehaviour(result, human="--json" not in words)
    if problem is None and result.code == 2:
        return result.stderr
    if problem is None and result.code == 1 and words[0] not in ("explain", "graph", "show", "paths", "tree", "export"):
        return result.stderr  # an id may be ambiguous, but a list command must succeed
    if problem is None and result.code == 0 and "--json" in words:
        json.loads(result.out)
    return problem


def _compare_growth(shapes: list[str], parsed: argparse.Namespace) -> int:
    """Print the time and memory for n and 4n lines of every shape, and the ratio of the times."""
    for shape in shapes:
        small, large = (_run_separately(shape, lines, parsed) for lines in (parsed.lines, 4 * parsed.lines))
        phases = {
            phase: f"{small['phases'][phase]}->{seconds}" for phase, seconds in large["phases"].items() if seconds > 1.0
        }
        factor = large["seconds"] / max(small["seconds"], 0.1)
        memory = f"{small['peak_mb']}->{large['peak_mb']} MB"
        print(f"{shape}: {small['seconds']}->{large['seconds']} s, {factor:.1f}, {memory}, {phases}", flush=True)
    return 0


def _run_separately(shape: str, lines: int, parsed: argparse.Namespace) -> dict[str, Any]:
    words = ["--shape", shape, "--lines", str(lines), "--files", str(parsed.files), "--seed", str(parsed.seed)]
    script = ROOT / "scripts" / "soak"
    process = subprocess.run(
        [sys.executable, str(script), "hostile", "--quick", *words], capture_output=True, text=True, check=True
    )
    figures: dict[str, Any] = json.loads(process.stdout.splitlines()[0])
    return figures
