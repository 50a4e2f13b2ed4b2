"""Kills at any moment of every command that writes, each run again after: no loss, the state of a run in peace."""

import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ccindex.maintain.restore import restore
from ccindex.store.connection import Condition, condition, reading
from ccindex.store.create import APPLICATION_ID
from tests.making.conformance import all_cases
from tests.making.files import append, write
from tests.making.folders import SAMPLE
from tests.making.indexes import Said, ask, broken, everything
from tests.making.old_indexes import DUMPS
from tests.making.processes import still_there
from tests.making.transcripts import assistant, line, tool_result, tool_use, user

from .blows import KINDS, Blow, run, start, struck
from .options import options

# What a run may leave beside the index, and SQLite until the next one
_BESIDE = {"x.db", "x.db.lock", "x.db.ran", "x.db-wal", "x.db-shm"}


@dataclass(frozen=True, slots=True)
class Scene:
    """A command, the index it finds, what a run in peace makes of it, and how much of each kind of work that is."""

    name: str
    words: tuple[str, ...]
    before: bytes | None
    expected: Said
    recorded: dict[str, bytes]
    uuids: set[str]
    amounts: dict[str, float]
    traces: bytes | None = None  # that must be in no file in the end


def main(arguments: list[str]) -> int:
    """Kill as often as asked; print the figures; 1 and the seed if anything was lost."""
    parser = options("kills", __doc__, count=100, cases="kills")
    parser.add_argument("--only", default="", help="kill commands whose name has this in it; default: all")
    wanted = parser.parse_args(arguments)
    began, hits, kills, losses = time.monotonic(), Counter[tuple[str, str]](), 0, 0
    with tempfile.TemporaryDirectory(prefix="ccindex-kills-") as folder:
        place = Path(folder).resolve()
        scenes = [scene for scene in make_scenes(place, wanted.seed) if wanted.only in scene.name]
        rng = random.Random(wanted.seed)  # noqa: S311
        while kills < wanted.count:
            scene = scenes[kills % len(scenes)]
            blows = [draw(rng, scene) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
            killed, wrong = suffer(scene, blows, place / "trial")
            kills += len(blows)
            for blow, hit in zip(blows, killed, strict=True):
                hits[scene.name, "mid-run" if hit else "after the end"] += 1
                hits["by " + blow.kind, "mid-run" if hit else "after the end"] += 1
            for what in wrong:
                losses += 1
                print(f"LOSS in {scene.name} after {blows} (seed {wanted.seed}): {what}")
    for name in dict.fromkeys(name for name, _ in hits):
        print(f"{name:16} {hits[name, 'mid-run']:5} mid-run {hits[name, 'after the end']:5} after the end")
    took = time.monotonic() - began
    print(f"{kills} kills, {losses} losses, seed {wanted.seed}, {took:.0f} s")
    return 1 if losses else 0


def draw(rng: random.Random, scene: Scene) -> Blow:
    """Pick a moment, spread over the whole of a run in peace."""
    kind = rng.choice([kind for kind in KINDS if scene.amounts[kind]])
    share = rng.random()
    return Blow(
        kind, share * scene.amounts[kind] if kind in ("delay", "child") else 1 + int(share * scene.amounts[kind])
    )


def suffer(scene: Scene, blows: list[Blow], folder: Path) -> tuple[list[bool], list[str]]:
    """Kill a command some times, then let it run; return which kills found it running, and what is wrong then."""
    shutil.rmtree(folder, ignore_errors=True)
    db = _placed(scene.before, folder)
    had = uuids_in(db) & scene.uuids
    killed: list[bool] = []
    wrong: list[str] = []
    for blow in blows:
        hit, said = struck(scene.words, blow, db)
        killed.append(hit)
        wrong += [*said, *_after_the_kill(db, had), *still_there()]
    done = run("none", 0, scene.words, db)
    wrong += still_there()
    if done.returncode != 0:
        return killed, [*wrong, f"the next run ended with {done.returncode}: {done.stderr}"]
    return killed, wrong + list(_after_the_nextrun(scene, db))


def _after_the_kill(db: Path, had: set[str]) -> list[str]:
    """What is wrong with the index as it lies there; looked at in a copy, so that what was left stays as it is."""
    if not db.exists():
        return []
    copy = db.parent.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for suffix in ("", "-wal", "-journal"):
        if db.with_name(db.name + suffix).exists():
            shutil.copy(db.with_name(db.name + suffix), copy)
    return list(_unsound(copy / db.name, had))


def _unsound(db: Path, had: set[str]) -> Iterator[str]:
    if (said := ask(db, "pragma integrity_check")) != [("ok",)]:
        yield f"integrity: {said}"
    if condition(db)[0] is Condition.CURRENT and (found := broken(db)):
        yield f"invariants: {found}"
    if lost := had - uuids_in(db):
        yield f"{len(lost)} entries lost, one of them {min(lost)}"


def _after_the_nextrun(scene: Scene, db: Path) -> Iterator[str]:
    yield from _unsound(db, set())
    said = everything(db)
    for view in said:
        if said[view] != scene.expected[view]:
            yield f"{view} differs from that of a run in peace"
    if (recorded := recorded_by(db)) != scene.recorded:
        yield f"restored files differ: {[name for name in recorded if recorded[name] != scene.recorded.get(name)]}"
    if left := {path.name for path in db.parent.iterdir()} - _BESIDE:
        yield f"left behind: {left}"
    if scene.traces and any(scene.traces in path.read_bytes() for path in db.parent.iterdir()):
        yield f"traces left of {scene.traces!r}"
    if rows := ask(db, "select id from ingest_runs where status = 'running'"):
        yield f"runs that seem to go on: {rows}"


def make_scenes(place: Path, seed: int) -> list[Scene]:
    """Write transcripts and let every command have one run in peace."""
    root = place / "projects"
    rng = random.Random(seed)  # noqa: S311
    _write_first(root, rng)
    fresh = _in_peace("ingest", ("ingest", str(root)), None, place)
    young = _bytes_after(fresh, place)
    _write_more(root, rng)
    new = _in_peace("ingest new", ("ingest", str(root)), None, place)
    appended = _in_peace("ingest appended", ("ingest", str(root)), young, place)
    old = _bytes_after(appended, place)
    full = ("ingest", str(root), "--full")
    scenes = [new, appended, _in_peace("ingest --full", full, young, place)]
    # whoever reads, it comes to the same
    helped = ("ingest", str(root), "--jobs", "2")
    load = _in_peace("first load", helped, None, place)
    scenes += [replace(load, expected=new.expected, recorded=new.recorded)] * 3
    others = _in_peace("ingest by others", helped, young, place)
    scenes.append(replace(others, expected=appended.expected, recorded=appended.recorded))
    scenes += [_in_peace(f"db {name}", ("db", name), old, place) for name in ("rebuild", "vacuum", "reprice")]
    # its lines stand in the transcript of another session too
    scenes.append(replace(_in_peace("forget", ("forget", "--session", "s2"), old, place), traces=b"saidins2"))
    scenes += [_in_peace(f"upgrade {dump.stem}", ("db", "upgrade"), old_index(dump, place), place) for dump in DUMPS]
    return scenes


def _in_peace(name: str, words: tuple[str, ...], before: bytes | None, place: Path) -> Scene:
    """Run a command undisturbed: once for its result, once for each measure of its work."""
    amounts: dict[str, float] = {}
    for kind in ("statement", "step"):
        db = _placed(before, place / "peace")
        amounts[kind] = int(_checked(run(kind, 0, words, db)).split()[-1])
    db = _placed(before, place / "peace")
    began, largest = time.monotonic(), 0
    with start("none", 0, words, db) as process:
        while process.poll() is None:
            largest = max(largest, *(_size(db.with_name(db.name + suffix)) for suffix in ("-wal", ".new", ".new-wal")))
            time.sleep(0.001)
        amounts["delay"] = time.monotonic() - began
        _checked(subprocess.CompletedProcess([], process.returncode, "", process.communicate()[1]))
    amounts["bytes"] = largest
    amounts["child"] = amounts["delay"] / 3 if "--jobs" in words else 0  # they begin late
    return Scene(name, words, before, everything(db), recorded_by(db), uuids_in(db), amounts)


def _bytes_after(scene: Scene, place: Path) -> bytes:
    db = _placed(scene.before, place / "peace")
    _checked(run("none", 0, scene.words, db))
    return db.read_bytes()


def old_index(dump: Path, place: Path) -> bytes:
    """An index as an earlier version made it."""
    db = _placed(None, place / "peace")
    with closing(sqlite3.connect(db)) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
        connection.execute(f"pragma application_id = {APPLICATION_ID}")
        connection.execute("pragma journal_mode = wal")
    return db.read_bytes()


def _placed(content: bytes | None, folder: Path) -> Path:
    """A folder with this index in it and nothing else."""
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


def _checked(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stderr


def uuids_in(db: Path) -> set[str]:
    """Every uuid that an index knows, if there is one."""
    return {uuid for (uuid,) in ask(db, "select uuid from entries")} if _size(db) else set()


def recorded_by(db: Path) -> dict[str, bytes]:
    """Every file as the archive has it."""
    with tempfile.TemporaryDirectory() as folder, reading(db) as connection:
        out = Path(folder)
        restored, damaged = restore(connection, out, wanted=None, generation=None, force=False)
        assert not damaged
        return {file.path: (out / file.path.removeprefix("/")).read_bytes() for file in restored}


def _write_first(root: Path, rng: random.Random) -> None:
    """Conversations with rewinds, calls, copies, subagents, broken lines and a last line that is torn."""
    shutil.copytree(SAMPLE / "projects", root)
    for number in range(6):
        name = f"s{number}"
        write(root / "-w" / f"{name}.jsonl", *_talk(rng, name, 0, 60), "no JSON")
        write(
            root / "-w" / name / "subagents" / f"agent-k{number}.jsonl", *_talk(rng, name, 0, 9, agentId=f"k{number}")
        )
    append(root / "-w" / "s5.jsonl", line("torn", sessionId="s5")[:40])
    for case in all_cases()[:25]:
        for name, data in case.files.items():
            if name.endswith(".jsonl"):
                (root / "-w" / f"c-{case.name}-{Path(name).stem}.jsonl").write_bytes(data)


def _write_more(root: Path, rng: random.Random) -> None:
    """What happens between two runs: files grow, one is rewritten, one goes, one is new and repeats another."""
    for number in range(4):
        append(root / "-w" / f"s{number}.jsonl", "".join(f"{text}\n" for text in _talk(rng, f"s{number}", 60, 90)))
    append(root / "-w" / "s5.jsonl", line("torn", sessionId="s5")[40:] + "\n")
    write(root / "-w" / "s4.jsonl", *_talk(rng, "s4", 20, 70))
    (root / "-w" / "s1" / "subagents" / "agent-k1.jsonl").unlink()
    write(root / "-w" / "s9.jsonl", *_talk(rng, "s9", 0, 40), *_talk(rng, "s2", 0, 30))


def _talk(rng: random.Random, session: str, begin: int, end: int, **keys: Any) -> list[str]:
    """A conversation in which each entry follows one of the last few; calls have results, words differ."""
    told: list[str] = []
    name = keys.get("agentId", session)
    for number in range(begin, end):
        parent = None if number == 0 else f"{name}-{max(0, number - rng.choice((1, 1, 1, 1, 2, 4)))}"
        uuid, second, tool_id = f"{name}-{number}", number, f"t{name}-{number - number % 3 + 1}"
        text = " ".join([f"saidin{session}", *(f"w{rng.randrange(3_000)}" for _ in range(rng.randrange(5, 200)))])
        own = {"parent": parent, "sessionId": session, "isSidechain": bool(keys), **keys}
        if number % 3 == 1:
            usage = {"input_tokens": number, "output_tokens": 7}
            call = tool_use(tool_id, "Bash", command=text)
            told.append(assistant(uuid, second, call, message={"model": "claude-opus-4-7", "usage": usage}, **own))
        else:
            told.append(user(uuid, second, text if number % 3 == 0 else tool_result(tool_id, text), **own))
    return told
