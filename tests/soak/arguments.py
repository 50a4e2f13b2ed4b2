"""`scripts/soak arguments`: run random command lines; each must print output, an error or a usage message.

A command may write only to the path given with --out and to its own index.
"""

import random
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.making.command_tree import LEAVES
from tests.making.hostile_texts import TEXTS
from tests.making.in_process import misbehaviour, run

from .damage import make_index
from .options import make_parser

VALUES = (
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
# options that keep a command running, or that affect the user's shell
_EXCLUDED_OPTIONS = {"--watch", "--install-completion", "--show-completion"}


def main(arguments: list[str]) -> int:
    """Run random command lines; print every failure with its seed, and a summary."""
    parsed = make_parser("arguments", __doc__, count=5_000, cases="command lines").parse_args(arguments)
    start, failures = time.monotonic(), 0
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        make_index(folder)
        for seed in range(parsed.seed, parsed.seed + parsed.count):
            problem = check(folder, seed)
            if problem is not None:
                failures += 1
                print(f"seed {seed}: {problem}", flush=True)
    print(f"{parsed.count:,} command lines, {failures} failures, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


def check(folder: Path, seed: int) -> str | None:
    """Run one random command line on the index in a folder; return a description of the problem, or None."""
    rng = random.Random(seed)  # noqa: S311
    working_folder = folder / "here"
    working_folder.mkdir(exist_ok=True)
    words = command_line(folder, rng)
    before = _contents(folder)
    result = run(words, working_folder)
    problem = misbehaviour(result, human=not {"--raw", "--json", "--csv"} & set(words))
    if problem is None and result.code == 2 and "Error: " not in result.stderr and "Usage: " not in result.stderr:
        problem = f"no usage message: {result.stderr!r}"
    after = _contents(folder)
    if problem is None and after != before:
        problem = f"written: {sorted(set(after.items()) ^ set(before.items()))[:4]}"
    return None if problem is None else f"{words}: {problem}"


def command_line(folder: Path, rng: random.Random) -> list[str]:
    """Return a command line: a random command with random options, arguments and values."""
    path, command = rng.choice(list(LEAVES.items()))
    words = list(path)
    words += ["--db", str(_index(folder, path[0]))]
    params = [
        item for item in command.params if item.opts[0].startswith("-") and not _EXCLUDED_OPTIONS & set(item.opts)
    ]
    for option in rng.sample(params, min(len(params), rng.choice((0, 1, 1, 2, 3)))):
        name = rng.choice((*option.opts, *option.secondary_opts))
        if name == "--db" and path[0] in _WRITERS:
            continue
        if option.is_flag:
            words.append(name)
        elif name != "--out":
            words += [f"{name}={rng.choice(VALUES)}"] if name.startswith("--") else [name, rng.choice(VALUES)]
    if any("--out" in option.opts for option in params) and rng.random() < 0.9:
        name = rng.choice(VALUES).replace("/", "_").replace("..", "_")
        words.append(f"--out={folder / 'out' / name}")
    arguments = [item for item in command.params if not item.opts[0].startswith("-")]
    for _ in range(len(arguments) if rng.random() < 0.9 else rng.randrange(4)):
        words += [*rng.choice(([], ["--"])), rng.choice(VALUES)]
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words) + 1), rng.choice(VALUES))
    return words


def _index(folder: Path, command: str) -> Path:
    """Return the index in a folder, or a fresh copy of it for a command that writes."""
    if command not in _WRITERS:
        return folder / "sound.db"
    copy = folder / "out" / "x.db"
    copy.parent.mkdir(exist_ok=True)
    for path in copy.parent.glob("x.db*"):
        path.unlink()
    return Path(shutil.copy(folder / "sound.db", copy))


def _contents(folder: Path) -> dict[str, int]:
    """Return the sizes of the files in a folder, except for files that commands may write."""
    paths = (path for path in folder.rglob("*") if "out" not in path.relative_to(folder).parts[:1])
    return {str(path): path.stat().st_size for path in paths if path.is_file() and not path.name.startswith("sound.db")}
