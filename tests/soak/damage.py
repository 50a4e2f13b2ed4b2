"""`scripts/soak damage`: corrupt bytes in an index; every command must exit promptly, with output or an error."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.making.files import write
from tests.making.in_process import misbehaviour, run
from tests.making.indexes import index
from tests.making.transcripts import assistant, line, tool_result, tool_use, user, user_message

from .options import make_parser

COMMANDS = (
    *(["sessions"], ["tree"], ["paths", "--session", "s1"], ["show", "s1"], ["show", "u1", "--raw"], ["explain", "u2"]),
    *(["graph", "tree", "s1"], ["graph", "ancestors", "u2"], ["graph", "depth-first", "s1", "--json"]),
    *(["search", "say"], ["stats", "--by", "model"], ["tools"], ["agents"], ["files"], ["doctor"], ["db", "current"]),
    *(["export", "--all", "--out", "{out}"], ["export", "--all", "--format", "dot", "--out", "{out}"]),
    *(["export", "--all", "--format", "json", "--out", "{out}"], ["restore", "--out", "{out}", "--force"]),
    *(["sql", "select count(*) from v1_entries"], ["db", "rebuild"], ["db", "reprice"], ["db", "vacuum"]),
    ["ingest", "{projects}"],
)
_MAX_SECONDS = 60  # for all commands together


def main(arguments: list[str]) -> int:
    """Damage copies of an index; print every failure with its seed, and a summary."""
    parsed = make_parser("damage", __doc__, count=300, cases="damaged copies of an index").parse_args(arguments)
    first_start, failures = time.monotonic(), 0
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        sound = make_index(folder)
        for seed in range(parsed.seed, parsed.seed + parsed.count):
            started = time.monotonic()
            problems = list(check(folder, sound, seed))
            if time.monotonic() - started > _MAX_SECONDS:
                problems.append(f"the commands took more than {_MAX_SECONDS} seconds")
            failures += len(problems)
            for problem in problems:
                print(f"seed {seed}: {problem}", flush=True)
    print(f"{parsed.count} damaged indexes, {failures} failures, {time.monotonic() - first_start:.0f} s")
    return 1 if failures else 0


def make_index(folder: Path) -> bytes:
    """Index a small project with rows in every table; return the bytes of the index."""
    rows = [line("u1"), '{"type":"summary","summary":"title","leafUuid":"u1"}', "malformed"]
    message = {"model": "claude-opus-4-7", "usage": {"output_tokens": 5}}
    rows.append(assistant("u2", 0, tool_use("t1", "Read", file_path="/w/x"), parent="u1", message=message))
    rows.append(user("u3", 0, tool_result("t1", "say it"), parent="u2", toolUseResult={"x": 1}))
    rows += [line(f"v{number}", parent="u3", message=user_message(f"say {number}")) for number in range(40)]
    project = folder / "projects" / "-w"
    write(project / "s1.jsonl", *rows)
    write(project / "s2.jsonl", line("w1", parent="v1", sessionId="s2"))
    write(project / "s1" / "subagents" / "agent-k.jsonl", line("g1", isSidechain=True, agentId="k"))
    write(project / "s1" / "subagents" / "agent-k.meta.json", '{"agentType":"x","toolUseId":"t1"}')
    index(folder / "sound.db", project)
    return (folder / "sound.db").read_bytes()


def check(folder: Path, sound: bytes, seed: int, *, commands: int = len(COMMANDS)) -> Iterator[str]:
    """Damage the index and run commands in random order, each on a fresh copy of the result; yield the problems."""
    rng = random.Random(seed)  # noqa: S311
    damaged = _damage(sound, rng)
    db = folder / "damaged.db"
    for words in rng.sample(COMMANDS, commands):
        for path in folder.glob("damaged.db*"):
            path.unlink()
        db.write_bytes(damaged)
        replacements = {"{out}": str(folder / "out"), "{projects}": str(folder / "projects")}
        result = run([*(replacements.get(word, word) for word in words), "--db", str(db)], folder)
        problem = misbehaviour(result, human="--raw" not in words)
        if problem is None and result.code == 2:
            problem = result.stderr
        if problem is not None:
            yield f"{' '.join(words)}: {problem}"


def _damage(sound: bytes, rng: random.Random) -> bytes:
    data = bytearray(sound)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        offset = rng.randrange(100, len(data)) if rng.random() < 0.95 else rng.randrange(100)
        data[offset] ^= 1 << rng.randrange(8) if rng.random() < 0.7 else rng.randrange(1, 256)
    if rng.random() < 0.1:  # overwrite one page with another
        target, source = (rng.randrange(len(data) // 4096) * 4096 for _ in range(2))
        data[target : target + 4096] = data[source : source + 4096]
    return bytes(data if rng.random() < 0.95 else data[: rng.randrange(4096, len(data))])
