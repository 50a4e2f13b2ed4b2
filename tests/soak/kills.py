"""`scripts/soak kills`: kill commands at random points; no data may be lost, and the next run must succeed."""

import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ccindex.maintain.restore import restore
from ccindex.store.connection import IndexState, index_state, reading
from tests.making.conformance import all_cases
from tests.making.files import append, write
from tests.making.folders import SAMPLE
from tests.making.indexes import ViewRows, ask, broken, everything
from tests.making.old_indexes import DUMPS, load_dump
from tests.making.processes import remaining_processes
from tests.making.transcripts import assistant, line, tool_result, tool_use, user

from .kill_points import KINDS, KillPoint, run, run_and_kill, start
from .options import make_parser

# files that a run or SQLite may leave in the index's folder
_EXPECTED_FILES = {"x.db", "x.db.lock", "x.db.ran", "x.db-wal", "x.db-shm"}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A command, the index before it, the result of an uninterrupted run, and how much work of each kind it does."""

    name: str
    words: tuple[str, ...]
    before: bytes | None
    expected: ViewRows
    restored: dict[str, bytes]
    uuids: set[str]
    amounts: dict[str, float]
    forgotten_text: bytes | None = None  # no file in the index's folder may contain it at the end


def main(arguments: list[str]) -> int:
    """Kill commands at random points; print every loss with its seed, and a summary."""
    parser = make_parser("kills", __doc__, count=100, cases="kills")
    parser.add_argument("--only", default="", help="run only scenarios whose name contains this text; default: all")
    parsed = parser.parse_args(arguments)
    started, hits, kills, losses = time.monotonic(), Counter[tuple[str, str]](), 0, 0
    with tempfile.TemporaryDirectory(prefix="ccindex-kills-") as folder:
        root = Path(folder).resolve()
        scenarios = [item for item in make_scenarios(root, parsed.seed) if parsed.only in item.name]
        rng = random.Random(parsed.seed)  # noqa: S311
        while kills < parsed.count:
            scenario = scenarios[kills % len(scenarios)]
            points = [choose_kill_point(rng, scenario) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
            killed, problems = kill_and_recover(scenario, points, root / "trial")
            kills += len(points)
            for point, hit in zip(points, killed, strict=True):
                hits[scenario.name, "mid-run" if hit else "after it finished"] += 1
                hits["by " + point.kind, "mid-run" if hit else "after it finished"] += 1
            for problem in problems:
                losses += 1
                print(f"LOSS in {scenario.name} after {points} (seed {parsed.seed}): {problem}")
    for name in dict.fromkeys(name for name, _ in hits):
        print(f"{name:16} {hits[name, 'mid-run']:5} mid-run {hits[name, 'after it finished']:5} after it finished")
    seconds = time.monotonic() - started
    print(f"{kills} kills, {losses} losses, seed {parsed.seed}, {seconds:.0f} s")
    return 1 if losses else 0


def choose_kill_point(rng: random.Random, scenario: Scenario) -> KillPoint:
    """Return a random point within an uninterrupted run."""
    kind = rng.choice([kind for kind in KINDS if scenario.amounts[kind]])
    amount = rng.random() * scenario.amounts[kind]
    return KillPoint(kind, amount if kind in ("delay", "child") else 1 + int(amount))


def kill_and_recover(scenario: Scenario, points: list[KillPoint], folder: Path) -> tuple[list[bool], list[str]]:
    """Kill a command at the given points, then run it to the end; return whether each kill hit it, and the problems."""
    shutil.rmtree(folder, ignore_errors=True)
    db = _place_index(scenario.before, folder)
    uuids = uuids_in(db) & scenario.uuids
    killed: list[bool] = []
    problems: list[str] = []
    for point in points:
        hit, message_problems = run_and_kill(scenario.words, point, db)
        killed.append(hit)
        problems += [*message_problems, *_problems_after_kill(db, uuids), *remaining_processes()]
    process = run("none", 0, scenario.words, db)
    problems += remaining_processes()
    if process.returncode != 0:
        return killed, [*problems, f"the next run exited with {process.returncode}: {process.stderr}"]
    return killed, problems + list(_problems_after_next_run(scenario, db))


def _problems_after_kill(db: Path, uuids: set[str]) -> list[str]:
    """Describe problems with the index after a kill; a copy is checked, so that the files are not changed."""
    if not db.exists():
        return []
    copy = db.parent.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for suffix in ("", "-wal", "-journal"):
        if db.with_name(db.name + suffix).exists():
            shutil.copy(db.with_name(db.name + suffix), copy)
    return list(_find_problems(copy / db.name, uuids))


def _find_problems(db: Path, uuids: set[str]) -> Iterator[str]:
    if (rows := ask(db, "pragma integrity_check")) != [("ok",)]:
        yield f"integrity: {rows}"
    if index_state(db)[0] is IndexState.CURRENT and (violations := broken(db)):
        yield f"invariants: {violations}"
    if lost := uuids - uuids_in(db):
        yield f"{len(lost)} entries lost, one of them {min(lost)}"


def _problems_after_next_run(scenario: Scenario, db: Path) -> Iterator[str]:
    yield from _find_problems(db, set())
    views = everything(db)
    for view in views:
        if views[view] != scenario.expected[view]:
            yield f"{view} differs from that of an uninterrupted run"
    if (restored := restored_files(db)) != scenario.restored:
        yield f"restored files differ: {[name for name in restored if restored[name] != scenario.restored.get(name)]}"
    if leftovers := {path.name for path in db.parent.iterdir()} - _EXPECTED_FILES:
        yield f"files left behind: {leftovers}"
    if scenario.forgotten_text and any(scenario.forgotten_text in path.read_bytes() for path in db.parent.iterdir()):
        yield f"not removed: {scenario.forgotten_text!r}"
    if rows := ask(db, "select id from ingest_runs where status = 'running'"):
        yield f"runs with status running: {rows}"


def make_scenarios(folder: Path, seed: int) -> list[Scenario]:
    """Write transcripts and run every command without a kill, to measure it."""
    root = folder / "projects"
    rng = random.Random(seed)  # noqa: S311
    _write_first(root, rng)
    fresh = _measure("ingest", ("ingest", str(root)), None, folder)
    older = _bytes_after(fresh, folder)
    _write_more(root, rng)
    new = _measure("ingest new", ("ingest", str(root)), None, folder)
    appended = _measure("ingest appended", ("ingest", str(root)), older, folder)
    current = _bytes_after(appended, folder)
    full = ("ingest", str(root), "--full")
    scenarios = [new, appended, _measure("ingest --full", full, older, folder)]
    # worker processes must not change the result
    with_jobs = ("ingest", str(root), "--jobs", "2")
    load = _measure("first load", with_jobs, None, folder)
    scenarios += [replace(load, expected=new.expected, restored=new.restored)] * 3
    with_workers = _measure("ingest --jobs", with_jobs, older, folder)
    scenarios.append(replace(with_workers, expected=appended.expected, restored=appended.restored))
    scenarios += [_measure(f"db {name}", ("db", name), current, folder) for name in ("rebuild", "vacuum", "reprice")]
    # another session's transcript also contains lines of s2
    scenarios.append(
        replace(_measure("forget", ("forget", "--session", "s2"), current, folder), forgotten_text=b"saidins2")
    )
    scenarios += [
        _measure(f"upgrade {dump.stem}", ("db", "upgrade"), old_index(dump, folder), folder) for dump in DUMPS
    ]
    return scenarios


def _measure(name: str, words: tuple[str, ...], before: bytes | None, folder: Path) -> Scenario:
    """Run a command several times without a kill, to get its result and the amount of work of each kind."""
    amounts: dict[str, float] = {}
    for kind in ("statement", "step"):
        db = _place_index(before, folder / "uninterrupted")
        amounts[kind] = int(_stderr(run(kind, 0, words, db)).split()[-1])
    db = _place_index(before, folder / "uninterrupted")
    started, largest = time.monotonic(), 0
    with start("none", 0, words, db) as process:
        while process.poll() is None:
            largest = max(largest, *(_size(db.with_name(db.name + suffix)) for suffix in ("-wal", ".new", ".new-wal")))
            time.sleep(0.001)
        amounts["delay"] = time.monotonic() - started
        _stderr(subprocess.CompletedProcess([], process.returncode, "", process.communicate()[1]))
    amounts["bytes"] = largest
    amounts["child"] = amounts["delay"] / 3 if "--jobs" in words else 0  # workers start late
    return Scenario(name, words, before, everything(db), restored_files(db), uuids_in(db), amounts)


def _bytes_after(scenario: Scenario, folder: Path) -> bytes:
    db = _place_index(scenario.before, folder / "uninterrupted")
    _stderr(run("none", 0, scenario.words, db))
    return db.read_bytes()


def old_index(dump: Path, folder: Path) -> bytes:
    """Return the bytes of an index that an older version created."""
    db = folder / "uninterrupted" / "x.db"
    shutil.rmtree(db.parent, ignore_errors=True)
    load_dump(dump, db)
    return db.read_bytes()


def _place_index(content: bytes | None, folder: Path) -> Path:
    """Empty a folder and write an index into it; return its path."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    db = folder / "x.db"
    if content is not None:
        db.write_bytes(content)
    return db


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _stderr(process: subprocess.CompletedProcess[str]) -> str:
    assert process.returncode == 0, process.stderr
    return process.stderr


def uuids_in(db: Path) -> set[str]:
    """Return all uuids in an index, or an empty set if there is no index."""
    return {uuid for (uuid,) in ask(db, "select uuid from entries")} if _size(db) else set()


def restored_files(db: Path) -> dict[str, bytes]:
    """Return the restored content of every file."""
    with tempfile.TemporaryDirectory() as folder, reading(db) as connection:
        out = Path(folder)
        restored, damaged = restore(connection, out, requested_path=None, generation=None, force=False)
        assert not damaged
        return {file.path: (out / file.path.removeprefix("/")).read_bytes() for file in restored}


def _write_first(root: Path, rng: random.Random) -> None:
    """Write conversations with rewinds, calls, copies, subagents, malformed lines and a torn last line."""
    shutil.copytree(SAMPLE / "projects", root)
    for number in range(6):
        name = f"s{number}"
        write(root / "-w" / f"{name}.jsonl", *_conversation(rng, name, 0, 60), "not JSON")
        write(
            root / "-w" / name / "subagents" / f"agent-k{number}.jsonl",
            *_conversation(rng, name, 0, 9, agentId=f"k{number}"),
        )
    append(root / "-w" / "s5.jsonl", line("torn", sessionId="s5")[:40])
    for case in all_cases()[:25]:
        for name, data in case.files.items():
            if name.endswith(".jsonl"):
                (root / "-w" / f"c-{case.name}-{Path(name).stem}.jsonl").write_bytes(data)


def _write_more(root: Path, rng: random.Random) -> None:
    """Change the files for the next run: some grow, one is rewritten, one deleted, and a new one repeats part of s2."""
    for number in range(4):
        append(
            root / "-w" / f"s{number}.jsonl", "".join(f"{text}\n" for text in _conversation(rng, f"s{number}", 60, 90))
        )
    append(root / "-w" / "s5.jsonl", line("torn", sessionId="s5")[40:] + "\n")
    write(root / "-w" / "s4.jsonl", *_conversation(rng, "s4", 20, 70))
    (root / "-w" / "s1" / "subagents" / "agent-k1.jsonl").unlink()
    write(root / "-w" / "s9.jsonl", *_conversation(rng, "s9", 0, 40), *_conversation(rng, "s2", 0, 30))


def _conversation(rng: random.Random, session: str, start: int, end: int, **keys: Any) -> list[str]:
    """Return a conversation with text, calls and results; the parent of an entry is at most four entries before it."""
    lines: list[str] = []
    name = keys.get("agentId", session)
    for number in range(start, end):
        parent = None if number == 0 else f"{name}-{max(0, number - rng.choice((1, 1, 1, 1, 2, 4)))}"
        uuid, second, tool_id = f"{name}-{number}", number, f"t{name}-{number - number % 3 + 1}"
        text = " ".join([f"saidin{session}", *(f"w{rng.randrange(3_000)}" for _ in range(rng.randrange(5, 200)))])
        common = {"parent": parent, "sessionId": session, "isSidechain": bool(keys), **keys}
        if number % 3 == 1:
            usage = {"input_tokens": number, "output_tokens": 7}
            call = tool_use(tool_id, "Bash", command=text)
            lines.append(assistant(uuid, second, call, message={"model": "claude-opus-4-7", "usage": usage}, **common))
        else:
            lines.append(user(uuid, second, text if number % 3 == 0 else tool_result(tool_id, text), **common))
    return lines
