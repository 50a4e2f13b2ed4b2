"""Words that nobody should type: each command answers, says a sentence or its usage, and writes only where told."""

import random
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.making.command_tree import LEAVES
from tests.making.hostile_texts import TEXTS
from tests.making.in_process import misbehaviour, run

from .damage import make
from .options import options

ODD = (
    *(text.replace("\0", "") for text in TEXTS),
    *(
        "caf\udce9",
        "\udcff\udc9b",
        str(2**63),
        str(-(2**63)),
        str(2**64),
        "9" * 400,
        "-1",
        "0",
        "1",
        "0.5",
        "inf",
        "1e9",
    ),
    *(
        "2026-02-30",
        "2026-02-01",
        "2026-02-01T09:30",
        "2026-02-01T09:30:00+25:00",
        "0000-00-00",
        "9999-12-31",
        "99999d",
    ),
    *("today", "yesterday", "7d", "-7d", "99999999999999y", "1e5d", "12h", "٣d", "2026-W05", "١٢٣"),
    *('"', '"a" NEAR "b"', "NEAR(", "a AND", "NOT", "OR OR", "text:", "text: x", "{a b}: c", "^x", "x*", "*", "a + b"),
    *("(" * 10_000, "(" * 50 + "a" + ")" * 50, "a " * 5_000, "-a", "NOT a", "a NOT NOT b", "col:*", "a:b:c", "\\"),
    *(
        "select 1",
        "select",
        "drop table entries",
        "select :x",
        "x=1",
        "=1",
        "x=",
        "x.sql",
        ".sql",
        "sqlite:///",
        "a://b",
    ),
    *("markdown", "dot", "day", "model", "read", "active", "s1", "u1", "t1", "s1@u2", "path-v1", "k", "claude"),
)
_WRITERS = ("ingest", "db", "forget")
# what would run on, or change the user's shell
_LEFT_OUT = {"--watch", "--install-completion", "--show-completion"}


def main(arguments: list[str]) -> int:
    """Run so many command lines; print how it went, and each failure with the seed that shows it again."""
    given = options("arguments", __doc__, count=5_000, cases="command lines").parse_args(arguments)
    start, failures = time.monotonic(), 0
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        make(folder)
        for seed in range(given.seed, given.seed + given.count):
            told = check(folder, seed)
            if told is not None:
                failures += 1
                print(f"seed {seed}: {told}", flush=True)
    print(f"{given.count:,} command lines, {failures} failures, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


def check(folder: Path, seed: int) -> str | None:
    """Run one odd command line beside the index of a folder; say what is wrong with how it went."""
    chance = random.Random(seed)  # noqa: S311
    here = folder / "here"
    here.mkdir(exist_ok=True)
    words = command_line(folder, chance)
    before = _contents(folder)
    done = run(words, here)
    told = misbehaviour(done, human=not {"--raw", "--json", "--csv"} & set(words))
    if told is None and done.code == 2 and "Error: " not in done.said and "Usage: " not in done.said:
        told = f"no usage: {done.said!r}"
    after = _contents(folder)
    if told is None and after != before:
        told = f"written: {sorted(set(after.items()) ^ set(before.items()))[:4]}"
    return None if told is None else f"{words}: {told}"


def command_line(folder: Path, chance: random.Random) -> list[str]:
    """A command with some of its options and arguments, each with a value that is odd or that it may take."""
    path, command = chance.choice(list(LEAVES.items()))
    words = list(path)
    words += ["--db", str(_index(folder, path[0]))]
    options = [item for item in command.params if item.opts[0].startswith("-") and not _LEFT_OUT & set(item.opts)]
    for option in chance.sample(options, min(len(options), chance.choice((0, 1, 1, 2, 3)))):
        name = chance.choice((*option.opts, *option.secondary_opts))
        if name == "--db" and path[0] in _WRITERS:
            continue
        if option.is_flag:
            words.append(name)
        elif name != "--out":
            words += [f"{name}={chance.choice(ODD)}"] if name.startswith("--") else [name, chance.choice(ODD)]
    if any("--out" in option.opts for option in options) and chance.random() < 0.9:
        odd = chance.choice(ODD).replace("/", "_").replace("..", "_")
        words.append(f"--out={folder / 'out' / odd}")
    arguments = [item for item in command.params if not item.opts[0].startswith("-")]
    for _ in range(len(arguments) if chance.random() < 0.9 else chance.randrange(4)):
        words += [*chance.choice(([], ["--"])), chance.choice(ODD)]
    if chance.random() < 0.05:
        words.insert(chance.randrange(len(words) + 1), chance.choice(ODD))
    return words


def _index(folder: Path, command: str) -> Path:
    """The index of a folder; for what writes to it a copy, so that each line finds the same."""
    if command not in _WRITERS:
        return folder / "sound.db"
    copy = folder / "out" / "x.db"
    copy.parent.mkdir(exist_ok=True)
    for left in copy.parent.glob("x.db*"):
        left.unlink()
    return Path(shutil.copy(folder / "sound.db", copy))


def _contents(folder: Path) -> dict[str, int]:
    """What stands in a folder and how large it is, but for where it may be written to."""
    told = (path for path in folder.rglob("*") if "out" not in path.relative_to(folder).parts[:1])
    return {str(path): path.stat().st_size for path in told if path.is_file() and not path.name.startswith("sound.db")}
