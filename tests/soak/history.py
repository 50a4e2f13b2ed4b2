"""Simulate files that are created, grow, change and disappear, and check their index after every run."""

import os
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ccindex.maintain.restore import restore
from ccindex.store.connection import reading
from tests.making.files import Files
from tests.making.indexes import ViewRows, broken_in, differences, everything, everything_in, index, one, rebuild
from tests.making.interruptions import ingest_until_killed, small_batches
from tests.reference.random_choices import RandomChoices

from .random_projects import Projects
from .run_modes import SINGLE_PROCESS, RunMode, index_in_mode, random_mode, using_mode

Entries = dict[str, tuple[Any, ...]]  # rows of v1_entries by uuid; the revision is the last column

# if a file has grown in place, ccindex compares only its first and last 4,096 bytes
_MAX_COMPARED_BYTES = 8_000


class IndexMismatch(AssertionError):
    """The index does not have the expected content."""


class Piece(NamedTuple):
    """Bytes that are appended to a file or, with `replaces`, replace its content."""

    data: bytes
    replaces: bool


class BatchSizes(NamedTuple):
    """Batch sizes for complete runs and for killed runs, as multiples of the smallest size; 0 means the default."""

    complete: tuple[int, ...]
    killed: tuple[int, ...]


SMALL = BatchSizes(complete=(0, 0, 0, 1, 8, 50), killed=(1, 8, 8, 20))


@dataclass
class History:
    """A projects folder, its index, and the file contents that ingest runs have read."""

    rng: RandomChoices
    folder: Path
    figures: Counter[str]
    contents: Files = field(default_factory=dict)
    all_contents: dict[str, list[bytes]] = field(default_factory=dict)
    read_contents: dict[str, list[bytes]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    clock: int = 1_700_000_000_000_000_000
    batch_sizes: BatchSizes = SMALL
    batch_size: int = 0
    mode: RunMode = SINGLE_PROCESS

    def __post_init__(self) -> None:
        self.root = self.folder / "projects"
        self.root.mkdir()
        self.db = self.folder / "grown.db"
        index(self.db, self.root)
        # one connection for many runs, because parsing the schema takes longer than a run
        self.reader = sqlite3.connect(self.db)
        self._before = self._read_state()

    @property
    def is_single_transaction(self) -> bool:
        """Whether a run is a single transaction."""
        return not self.batch_size and not self.mode.may_publish

    def simulate(self, projects: Projects) -> None:
        """Write all files piece by piece in random order, with runs in between, and check the index at the end."""
        rng = self.rng
        self.batch_size = rng.pick(self.batch_sizes.complete)
        self.mode = random_mode(rng)
        queues = {name: list(_pieces(rng, contents)) for name, contents in projects.generations.items()}
        for name in rng.shuffled([name for name, pieces in queues.items() for _ in pieces]):
            self.add_piece(name, queues[name].pop(0))
            if rng.chance(6):
                later = {other_name for other_name, pieces in queues.items() if any(piece.replaces for piece in pieces)}
                self._delete(later)
            if self.deleted and rng.chance(15):
                self._restore(rng.pick(sorted(self.deleted)))
            if rng.chance(45):
                rng.pick(_RUNS)(self)
                self.mode = random_mode(rng)
        for name in sorted(self.deleted):
            if rng.chance(60):
                self._restore(name)
        run_root(self)
        self.figures["histories"] += 1
        self.finish()

    def close(self) -> None:
        """Close the connection to the index."""
        self.reader.close()

    def put(self, name: str, data: bytes) -> None:
        """Write a whole file, in place or by renaming a temporary file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if len(data) > _MAX_COMPARED_BYTES or self.rng.chance(50):
            temporary = self.folder / "temporary"
            temporary.write_bytes(data)
            temporary.replace(path)
        else:
            path.write_bytes(data)
        self._tick(path)

    def _tick(self, path: Path) -> None:
        # a change that keeps the size must change the modification time
        self.clock += 1_000_000_000
        os.utime(path, ns=(self.clock, self.clock))

    def add_piece(self, name: str, piece: Piece) -> None:
        """Write the next bytes of a file."""
        self.figures["pieces"] += 1
        is_new = name not in self.contents
        self.contents[name] = (b"" if is_new or piece.replaces else self.contents[name]) + piece.data
        if piece.replaces:
            self.figures["rewrites"] += not is_new
            self.all_contents.setdefault(name, []).append(b"")
        self.all_contents[name][-1] = self.contents[name]
        if piece.replaces or name in self.deleted:
            self.deleted.discard(name)
            self.put(name, self.contents[name])
            return
        with (self.root / name).open("ab") as file:
            file.write(piece.data)
        self._tick(self.root / name)

    def _delete(self, later: set[str]) -> None:
        """Delete a file, but not a large one that changes later, because its replacement can get the same inode."""
        candidates = [
            name
            for name in sorted(self.contents.keys() - self.deleted)
            if name not in later or len(self.contents[name]) < _MAX_COMPARED_BYTES
        ]
        if candidates:
            name = self.rng.pick(candidates)
            (self.root / name).unlink()
            self.deleted.add(name)
            self.figures["deletions"] += 1

    def _restore(self, name: str) -> None:
        self.deleted.discard(name)
        self.put(name, self.contents[name])

    @contextmanager
    def checked(self, kind: str, *, exactly: bool) -> Iterator[None]:
        """Check the changes made by a run; `exactly` means that an entry has a new revision only if it changed."""
        old_views, old_entries, old_revision = self._before
        if self.mode.jobs is not None:
            self.reader.close()  # an index that is in use is not filled by a first load
        with small_batches(self.batch_size) if self.batch_size else nullcontext():
            yield
        if self.mode.jobs is not None:
            self.reader = sqlite3.connect(self.db)
        self._before = views, entries, revision = self._read_state()
        self.figures[kind] += 1
        if violations := broken_in(self.reader):
            raise IndexMismatch(f"after {kind}: violated invariants: {violations}")
        has_changed = bool(differences(views, old_views)) or old_entries != entries
        if kind in ("ingests", "interruptions") and has_changed != (revision > old_revision):
            changes = differences(views, old_views)
            raise IndexMismatch(f"after {kind}: revision {old_revision} -> {revision}, but changes: {changes}")
        if kind == "rebuilds":
            _same(
                "an intermediate rebuild changed",
                views | {"revision": [(revision,)]},
                old_views | {"revision": [(old_revision + 1,)]},
            )
            return
        for uuid, old_row in old_entries.items():
            row = entries[uuid]
            has_new_revision, is_changed = row[-1] != old_row[-1], row[:-1] != old_row[:-1]
            if is_changed > has_new_revision or (exactly and has_new_revision and not is_changed):
                raise IndexMismatch(f"after {kind}: revision of {uuid}: {old_row} -> {row}")

    def note_read(self, names: set[str]) -> None:
        """Record the contents that a complete run has read."""
        for name in names - self.deleted:
            states = self.read_contents.setdefault(name, [])
            if not states or states[-1] != self.contents[name]:
                states.append(self.contents[name])

    def _read_state(self) -> tuple[ViewRows, Entries, int]:
        # includes the hash of the bytes, because a change can be invisible in v1_entries
        query = "select e.hash, v.* from v1_entries v join entries e on e.uuid = v.uuid"
        cursor = self.reader.execute(query)
        revision_at = [column for column, *_ in cursor.description].index("revision")
        rows = {row[1]: (*row[:revision_at], *row[revision_at + 1 :], row[revision_at]) for row in cursor}
        [(revision,)] = self.reader.execute("select value from v1_meta where key = 'revision'")
        return everything_in(self.reader), rows, int(revision)

    def finish(self) -> None:
        """Compare the index with the results of another run, a restore of its archive, a rebuild and a clean run."""
        views, _, revision = self._before
        report = index(self.db, self.root, full=self.rng.chance(10))
        if report.run_id is not None:
            raise IndexMismatch(f"another run found changes: {report}")
        report = index(self.db, self.root)
        new_views, _, new_revision = self._read_state()
        if (report.run_id, report.bytes_read, new_revision) != (None, 0, revision):
            raise IndexMismatch(f"another run read or changed something: {report}")
        _same("another run changed", new_views, views)
        generations = self._archived()
        rebuild(self.db)
        _same("a rebuild changed", everything_in(self.reader), views)
        self._check_archive(generations)
        _same("a clean run differs", views, self._clean(generations, random_mode(self.rng)))

    def _archived(self) -> dict[str, list[bytes]]:
        """Restore all generations of every file and return their contents."""
        last = int(one(self.db, "select coalesce(max(generations), 0) from v1_sources"))
        generations: dict[str, list[bytes]] = {}
        with reading(self.db) as connection:
            for number in range(1, last + 1):
                with tempfile.TemporaryDirectory(dir=self.folder) as out:
                    restored_root = Path(out) / self.root.relative_to("/")
                    restored, damaged = restore(
                        connection, Path(out), requested_path=None, generation=number, force=False
                    )
                    if damaged:
                        raise IndexMismatch(f"the archive is damaged: {damaged}")
                    for item in restored:
                        name = str(Path(item.path).relative_to(self.root))
                        generations.setdefault(name, []).append((restored_root / name).read_bytes())
        return generations

    def _check_archive(self, generations: dict[str, list[bytes]]) -> None:
        """Check that the archive has everything that runs have read, all current contents, and nothing else."""
        for name, states in self.read_contents.items():
            if (lost := _first_missing(states, generations.get(name, []))) is not None:
                raise IndexMismatch(f"a run read {lost!r} from {name}, but no generation contains it")
        for name, archived in generations.items():
            contents = self.all_contents[name]
            invented = next((data for data in archived if not _is_prefix_of_any(data, contents)), None)
            if invented is not None:
                raise IndexMismatch(f"{name} never contained {invented!r}")
            if len(archived) > len(contents):
                raise IndexMismatch(
                    f"{name} has {len(archived)} generations, but was rewritten {len(contents) - 1} times"
                )
            if name not in self.deleted and archived[-1] != self.contents[name]:
                raise IndexMismatch(f"{name} contains {self.contents[name]!r}, but {archived[-1]!r} was restored")
        if missing := self.contents.keys() - self.deleted - generations.keys():
            raise IndexMismatch(f"not in the archive: {sorted(missing)}")

    def _clean(self, generations: dict[str, list[bytes]], mode: RunMode) -> ViewRows:
        """Replay the same generations in order, and then the same deletions, into a new index; return its views."""
        db = self.folder / "clean.db"
        for name in self.contents.keys() - self.deleted:
            (self.root / name).unlink()
        for number in range(max(map(len, generations.values()), default=0)):
            for name, archived in generations.items():
                if number >= len(archived):
                    continue
                if number and archived[number].startswith(archived[number - 1]):
                    # writing shorter content first makes this a rewrite rather than an append
                    self.put(name, archived[number][: len(archived[number - 1]) - 1])
                    index_in_mode(mode, db, self.root)
                self.put(name, archived[number])
            index_in_mode(mode, db, self.root)
        for name in self.deleted & generations.keys():
            (self.root / name).unlink()
        index_in_mode(mode, db, self.root)
        return everything(db)


def _first_missing(states: list[bytes], generations: list[bytes]) -> bytes | None:
    """Match states to generations in order; return the first state that is not a prefix of any remaining generation."""
    remaining = iter(generations)
    generation = next(remaining, None)
    for state in states:
        while generation is not None and not generation.startswith(state):
            generation = next(remaining, None)
        if generation is None:
            return state
    return None


def _is_prefix_of_any(data: bytes, contents: list[bytes]) -> bool:
    return any(content.startswith(data) for content in contents)


def _same(description: str, views: ViewRows, expected: ViewRows) -> None:
    if differing := differences(views, expected):
        raise IndexMismatch(f"{description}: {differing}")


def run_root(history: History) -> None:
    """Index the whole folder."""
    with history.checked("ingests", exactly=history.is_single_transaction):
        index_in_mode(history.mode, history.db, history.root)
    history.note_read(set(history.contents))


def _run_file(history: History) -> None:
    existing = sorted(history.contents.keys() - history.deleted)
    if existing:
        name = history.rng.pick(existing)
        with history.checked("ingests", exactly=history.is_single_transaction):
            index_in_mode(history.mode, history.db, history.root / name)
        history.note_read({name})


def _run_full(history: History) -> None:
    with history.checked("ingests", exactly=history.is_single_transaction):
        index_in_mode(history.mode, history.db, history.root, full=True)
    history.note_read(set(history.contents))


def _run_killed(history: History) -> None:
    after, is_lost = history.rng.number(0, 8), history.rng.chance(40)
    batch_size = history.batch_size or history.rng.pick(history.batch_sizes.killed)
    with history.checked("interruptions", exactly=False), small_batches(batch_size), using_mode(history.mode):
        ingest_until_killed(history.db, history.root, after, is_lost=is_lost, jobs=history.mode.jobs)


def _rebuild(history: History) -> None:
    with history.checked("rebuilds", exactly=False):
        rebuild(history.db)


def _run_after_upgrade(history: History) -> None:
    """Mark the rows as written by an older version, and run an ingest that regenerates them."""
    key = history.rng.pick(["decode_version", "derive_version"])
    with closing(sqlite3.connect(history.db)) as connection, connection:
        connection.execute("update meta set value = '0' where key = ?", (key,))
    with history.checked("upgrades", exactly=False):
        index_in_mode(history.mode, history.db, history.root)
    history.note_read(set(history.contents))


_RUNS: list[Callable[[History], None]] = [
    *[run_root] * 4,
    *[_run_file] * 3,
    *[_run_killed] * 3,
    _run_full,
    _rebuild,
    _run_after_upgrade,
]


def _pieces(rng: RandomChoices, generations: tuple[bytes, ...]) -> Iterator[Piece]:
    """Cut every generation at random offsets, often near the ends of objects; some pieces may be single bytes."""
    for data in generations:
        cuts = sorted(_random_cut(rng, data) for _ in range(rng.pick([0, 0, 1, 1, 2, 3])))
        if rng.chance(8):
            offset = _random_cut(rng, data)
            cuts = sorted([*cuts, *range(offset, min(len(data), offset + rng.number(2, 8)))])
        edges = [0, *cuts, len(data)]
        for number, start in enumerate(edges[:-1]):
            yield Piece(data[start : edges[number + 1]], replaces=number == 0)


def _random_cut(rng: RandomChoices, data: bytes) -> int:
    if rng.chance(50):
        return rng.number(0, len(data))
    edges = [match.start() for match in re.finditer(rb"[\r\n{}\xef]", data)] or [0]
    return max(0, min(len(data), rng.pick(edges) + rng.number(-1, 2)))
