"""`scripts/soak corpus`: random histories of real transcripts, each held against one clean run; seeds to figures."""

import sys
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

from tests.making.files import Files
from tests.making.folders import SHARED
from tests.reference.dice import Dice, seeded

from .histories import played, soak
from .options import options
from .plays import Portions
from .spoils import rewritten
from .worlds import World

# real files are long: batches as small as those of made-up ones would take hours
_PORTIONS = Portions(runs=(0, 0, 400, 2_000), stops=(200, 400, 1_000))


def main(arguments: list[str]) -> int:
    """Play histories of parts of the corpus and print what came of them."""
    parser = options("corpus", __doc__, count=50, cases="histories")
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    parser.add_argument("--bytes", type=int, default=800_000, help="of transcripts in a history; default: 800,000")
    parser.add_argument(
        "--corpus", type=Path, default=SHARED / "corpus", help="a projects folder; default: %(default)s"
    )
    wanted = parser.parse_args(arguments)
    groups = _groups(wanted.corpus)
    if not groups:
        print(f"There are no transcripts below {wanted.corpus}; name a projects folder with --corpus", file=sys.stderr)
        return 1
    seeds = range(wanted.seed, wanted.seed + wanted.count)
    name = f"corpus --bytes {wanted.bytes} --corpus {wanted.corpus}"
    return soak(name, seeds, partial(_play, groups=groups, most=wanted.bytes), seconds=wanted.seconds)


def _play(seed: int, figures: Counter[str], *, groups: dict[str, list[Path]], most: int) -> None:
    dice = Dice(seeded(f"corpus {seed}"))
    files = _chosen(dice, groups, most)
    made = World({name: _generations(dice, data, rewrites=seed % 2 == 0) for name, data in files.items()})
    played(seed, made, figures, _PORTIONS)


def _groups(corpus: Path) -> dict[str, list[Path]]:
    """The files of each session, by `project/session`."""
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sorted(corpus.rglob("*")):
        parts = path.relative_to(corpus).parts
        if path.is_file() and len(parts) > 1:
            found["/".join([parts[0], parts[1].removesuffix(".jsonl")])].append(path)
    return {f"{corpus}/{name}": paths for name, paths in found.items()}


def _chosen(dice: Dice, groups: dict[str, list[Path]], most: int) -> Files:
    """A few sessions, mostly of one project, as long as there is room."""
    first = dice.pick(sorted(groups))
    project = first.rpartition("/")[0]
    near = [name for name in sorted(groups) if name.startswith(project + "/")]
    wanted = [first, *dice.shuffled(near if dice.chance(60) else sorted(groups))[:6]]
    files: Files = {}
    room = most
    for name in dict.fromkeys(wanted):
        size = sum(path.stat().st_size for path in groups[name])
        if size > room:
            continue
        room -= size
        files |= {"/".join(path.parts[len(Path(project).parent.parts) :]): path.read_bytes() for path in groups[name]}
    return files


def _generations(dice: Dice, data: bytes, *, rewrites: bool) -> tuple[bytes, ...]:
    return (rewritten(dice, data), data) if rewrites and dice.chance(30) else (data,)
