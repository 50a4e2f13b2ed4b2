"""Bytes flipped anywhere in an index: every command still answers or says in a sentence what is wrong, and soon."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.making.files import write
from tests.making.in_process import misbehaviour, run
from tests.making.indexes import index
from tests.making.transcripts import assistant, line, tool_result, tool_use, user, user_message

from .options import options

COMMANDS = (
    *(["sessions"], ["tree"], ["paths", "--session", "s1"], ["show", "s1"], ["show", "u1", "--raw"], ["explain", "u2"]),
    *(["graph", "tree", "s1"], ["graph", "ancestors", "u2"], ["graph", "depth-first", "s1", "--json"]),
    *(["search", "say"], ["stats", "--by", "model"], ["tools"], ["agents"], ["files"], ["doctor"], ["db", "current"]),
    *(["export", "--all", "--out", "{out}"], ["export", "--all", "--format", "dot", "--out", "{out}"]),
    *(["export", "--all", "--format", "json", "--out", "{out}"], ["restore", "--out", "{out}", "--force"]),
    *(["sql", "select count(*) from v1_entries"], ["db", "rebuild"], ["db", "reprice"], ["db", "vacuum"]),
    ["ingest", "{projects}"],
)
_LONG = 60  # seconds for all of them


def main(arguments: list[str]) -> int:
    """Damage an index so many times; print how it went, and each failure with the seed that shows it again."""
    given = options("damage", __doc__, count=300, cases="damaged copies of an index").parse_args(arguments)
    start, failures = time.monotonic(), 0
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        sound = make(folder)
        for seed in range(given.seed, given.seed + given.count):
            began = time.monotonic()
            wrong = list(check(folder, sound, seed))
            if time.monotonic() - began > _LONG:
                wrong.append(f"it took more than {_LONG} seconds")
            failures += len(wrong)
            for told in wrong:
                print(f"seed {seed}: {told}", flush=True)
    print(f"{given.count} damaged indexes, {failures} failures, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


def make(folder: Path) -> bytes:
    """An index in which there is something of everything, as bytes."""
    rows = [line("u1"), '{"type":"summary","summary":"title","leafUuid":"u1"}', "malformed"]
    message = {"model": "claude-opus-4-7", "usage": {"output_tokens": 5}}
    rows.append(assistant("u2", 0, tool_use("t1", "Read", file_path="/w/x"), parent="u1", message=message))
    rows.append(user("u3", 0, tool_result("t1", "say it"), parent="u2", toolUseResult={"x": 1}))
    rows += [line(f"v{number}", parent="u3", message=user_message(f"say {number}")) for number in range(40)]
    below = folder / "projects" / "-w"
    write(below / "s1.jsonl", *rows)
    write(below / "s2.jsonl", line("w1", parent="v1", sessionId="s2"))
    write(below / "s1" / "subagents" / "agent-k.jsonl", line("g1", isSidechain=True, agentId="k"))
    write(below / "s1" / "subagents" / "agent-k.meta.json", '{"agentType":"x","toolUseId":"t1"}')
    index(folder / "sound.db", below)
    return (folder / "sound.db").read_bytes()


def check(folder: Path, sound: bytes, seed: int, *, commands: int = len(COMMANDS)) -> Iterator[str]:
    """Damage a copy, and run commands on it, each on its own; say what none of them may do."""
    chance = random.Random(seed)  # noqa: S311
    damaged = _damaged(sound, chance)
    db = folder / "damaged.db"
    for words in chance.sample(COMMANDS, commands):
        for beside in folder.glob("damaged.db*"):
            beside.unlink()
        db.write_bytes(damaged)
        places = {"{out}": str(folder / "out"), "{projects}": str(folder / "projects")}
        done = run([*(places.get(word, word) for word in words), "--db", str(db)], folder)
        told = misbehaviour(done, human="--raw" not in words)
        if told is None and done.code == 2:
            told = done.said
        if told is not None:
            yield f"{' '.join(words)}: {told}"


def _damaged(sound: bytes, chance: random.Random) -> bytes:
    data = bytearray(sound)
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        at = chance.randrange(100, len(data)) if chance.random() < 0.95 else chance.randrange(100)
        data[at] ^= 1 << chance.randrange(8) if chance.random() < 0.7 else chance.randrange(1, 256)
    if chance.random() < 0.1:  # a page that belongs elsewhere, or only the beginning
        at, to = (chance.randrange(len(data) // 4096) * 4096 for _ in range(2))
        data[at : at + 4096] = data[to : to + 4096]
    return bytes(data if chance.random() < 0.95 else data[: chance.randrange(4096, len(data))])
