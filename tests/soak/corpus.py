"""`scripts/soak corpus`: index random histories of real transcripts, and compare each index with a clean run."""

import sys
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

from tests.making.files import Files
from tests.making.folders import SHARED
from tests.reference.random_choices import RandomChoices, numbers_from_seed

from .corruptions import earlier_content
from .histories import simulate, soak
from .history import BatchSizes
from .options import make_parser
from .random_projects import Projects

# real files are long: with the small batches used for generated files, a run would take hours
_BATCH_SIZES = BatchSizes(complete=(0, 0, 400, 2_000), killed=(200, 400, 1_000))


def main(arguments: list[str]) -> int:
    """Simulate histories of parts of the corpus; print every difference and a summary."""
    parser = make_parser("corpus", __doc__, count=50, cases="histories")
    parser.add_argument("--seconds", type=float, default=None, help="stop after this many seconds")
    parser.add_argument("--bytes", type=int, default=800_000, help="maximum size of a history; default: 800,000")
    parser.add_argument("--corpus", type=Path, default=SHARED / "corpus", help="projects folder; default: %(default)s")
    parsed = parser.parse_args(arguments)
    groups = _groups(parsed.corpus)
    if not groups:
        print(f"no transcripts under {str(parsed.corpus)!r}; specify a projects folder with --corpus", file=sys.stderr)
        return 1
    seeds = range(parsed.seed, parsed.seed + parsed.count)
    name = f"corpus --bytes {parsed.bytes} --corpus {parsed.corpus}"
    return soak(name, seeds, partial(_check, groups=groups, max_bytes=parsed.bytes), seconds=parsed.seconds)


def _check(seed: int, figures: Counter[str], *, groups: dict[str, list[Path]], max_bytes: int) -> None:
    rng = RandomChoices(numbers_from_seed(f"corpus {seed}"))
    files = _choose_files(rng, groups, max_bytes)
    projects = Projects({name: _generations(rng, data, rewrites=seed % 2 == 0) for name, data in files.items()})
    simulate(seed, projects, figures, _BATCH_SIZES)


def _groups(corpus: Path) -> dict[str, list[Path]]:
    """Return the files of every session, by path `corpus/project/session`."""
    groups: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sorted(corpus.rglob("*")):
        parts = path.relative_to(corpus).parts
        if path.is_file() and len(parts) > 1:
            groups["/".join([parts[0], parts[1].removesuffix(".jsonl")])].append(path)
    return {f"{corpus}/{name}": paths for name, paths in groups.items()}


def _choose_files(rng: RandomChoices, groups: dict[str, list[Path]], max_bytes: int) -> Files:
    """Return the files of a few sessions, usually from one project, of at most `max_bytes` in total."""
    first = rng.pick(sorted(groups))
    project = first.rpartition("/")[0]
    same_project = [name for name in sorted(groups) if name.startswith(project + "/")]
    chosen = [first, *rng.shuffled(same_project if rng.chance(60) else sorted(groups))[:6]]
    files: Files = {}
    remaining = max_bytes
    for name in dict.fromkeys(chosen):
        size = sum(path.stat().st_size for path in groups[name])
        if size > remaining:
            continue
        remaining -= size
        files |= {"/".join(path.parts[len(Path(project).parent.parts) :]): path.read_bytes() for path in groups[name]}
    return files


def _generations(rng: RandomChoices, data: bytes, *, rewrites: bool) -> tuple[bytes, ...]:
    return (earlier_content(rng, data), data) if rewrites and rng.chance(30) else (data,)
