"""A world and numbers to a history: files come, grow, change and go while an index is kept of them, and checked."""

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
from tests.making.indexes import Said, broken_in, differences, everything, everything_in, index, one, rebuild
from tests.making.interruptions import ingest_until_killed, small_batches
from tests.reference.dice import Dice

from .ways import ALONE, Way, going, index_so, some_way
from .worlds import World

Entries = dict[str, tuple[Any, ...]]  # by uuid, the revision apart as the last

# of a file that grew in place, ccindex compares only so much at its head and its tail
_EDGES = 8_000


class Differs(AssertionError):
    """The index does not say what it should."""


class Piece(NamedTuple):
    """Bytes put at the end of a file, or in its place."""

    data: bytes
    starts: bool


class Portions(NamedTuple):
    """How many times the smallest portions runs, and runs that get killed, may work in; 0: as the program has it."""

    runs: tuple[int, ...]
    stops: tuple[int, ...]


SMALL = Portions(runs=(0, 0, 0, 1, 8, 50), stops=(1, 8, 8, 20))


@dataclass
class Play:
    """A projects folder, an index of it, and what the index is known to have seen."""

    dice: Dice
    folder: Path
    figures: Counter[str]
    contents: Files = field(default_factory=dict)
    had: dict[str, list[bytes]] = field(default_factory=dict)
    seen: dict[str, list[bytes]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    clock: int = 1_700_000_000_000_000_000
    portions: Portions = SMALL
    portion: int = 0
    way: Way = ALONE

    def __post_init__(self) -> None:
        self.root = self.folder / "projects"
        self.root.mkdir()
        self.db = self.folder / "grown.db"
        index(self.db, self.root)
        # one for the whole history: parsing the schema takes longer than a run
        self.reader = sqlite3.connect(self.db)
        self._before = self._look()

    @property
    def is_whole(self) -> bool:
        """Whether a run is one transaction."""
        return not self.portion and not self.way.is_parted

    def go(self, world: World) -> None:
        """Let all of it happen, in an order and in steps that the dice decide, and look closely in the end."""
        dice = self.dice
        self.portion = dice.pick(self.portions.runs)
        self.way = some_way(dice)
        queues = {name: list(_pieces(dice, contents)) for name, contents in world.generations.items()}
        for name in dice.shuffled([name for name, pieces in queues.items() for _ in pieces]):
            self.arrive(name, queues[name].pop(0))
            if dice.chance(6):
                later = {other for other, pieces in queues.items() if any(piece.starts for piece in pieces)}
                self._delete(later)
            if self.gone and dice.chance(15):
                self._return(dice.pick(sorted(self.gone)))
            if dice.chance(45):
                dice.pick(_RUNS)(self)
                self.way = some_way(dice)
        for name in sorted(self.gone):
            if dice.chance(60):
                self._return(name)
        run_root(self)
        self.figures["histories"] += 1
        self.finish()

    def close(self) -> None:
        """Let go of the index."""
        self.reader.close()

    def put(self, name: str, data: bytes) -> None:
        """Write a whole file, in its place or beside it and renamed."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if len(data) > _EDGES or self.dice.chance(50):
            beside = self.folder / "beside"
            beside.write_bytes(data)
            beside.replace(path)
        else:
            path.write_bytes(data)
        self._tick(path)

    def _tick(self, path: Path) -> None:
        # a change of the same size must not hide in one tick of the clock
        self.clock += 1_000_000_000
        os.utime(path, ns=(self.clock, self.clock))

    def arrive(self, name: str, piece: Piece) -> None:
        """Let bytes come."""
        self.figures["pieces"] += 1
        is_new = name not in self.contents
        self.contents[name] = (b"" if is_new or piece.starts else self.contents[name]) + piece.data
        if piece.starts:
            self.figures["rewrites"] += not is_new
            self.had.setdefault(name, []).append(b"")
        self.had[name][-1] = self.contents[name]
        if piece.starts or name in self.gone:
            self.gone.discard(name)
            self.put(name, self.contents[name])
            return
        with (self.root / name).open("ab") as file:
            file.write(piece.data)
        self._tick(self.root / name)

    def _delete(self, later: set[str]) -> None:
        """Delete a file; not a large one that is to be changed, since a new one may get the number of the old."""
        there = [
            name
            for name in sorted(self.contents.keys() - self.gone)
            if name not in later or len(self.contents[name]) < _EDGES
        ]
        if there:
            name = self.dice.pick(there)
            (self.root / name).unlink()
            self.gone.add(name)
            self.figures["deletions"] += 1

    def _return(self, name: str) -> None:
        self.gone.discard(name)
        self.put(name, self.contents[name])

    @contextmanager
    def checked(self, kind: str, *, exactly: bool) -> Iterator[None]:
        """Check what a run made of the index; `exactly`: each entry that moved was to be seen to move."""
        was, entries, revision = self._before
        with small_batches(self.portion) if self.portion else nullcontext():
            yield
        self._before = said, now, latest = self._look()
        self.figures[kind] += 1
        if wrong := broken_in(self.reader):
            raise Differs(f"after {kind}: invariants do not hold: {wrong}")
        has_changed = bool(differences(said, was)) or entries != now
        if kind in ("ingests", "interruptions") and has_changed != (latest > revision):
            raise Differs(f"after {kind}: revision {revision} -> {latest}, but changed: {differences(said, was)}")
        if kind == "rebuilds":
            _same(
                "a rebuild on the way changed", said | {"revision": [(latest,)]}, was | {"revision": [(revision + 1,)]}
            )
            return
        for uuid, row in entries.items():
            moved = now[uuid][-1] != row[-1]
            if (now[uuid][:-1] != row[:-1]) > moved or (exactly and moved and now[uuid][:-1] == row[:-1]):
                raise Differs(f"after {kind}: revision of {uuid}: {row} -> {now[uuid]}")

    def took(self, names: set[str]) -> None:
        """Note what a whole run was shown."""
        for name in names - self.gone:
            states = self.seen.setdefault(name, [])
            if not states or states[-1] != self.contents[name]:
                states.append(self.contents[name])

    def _look(self) -> tuple[Said, Entries, int]:
        # with the hash of its bytes: they may change in what other views show
        find = "select e.hash, v.* from v1_entries v join entries e on e.uuid = v.uuid"
        rows = {row[1]: row for row in self.reader.execute(find)}
        [(revision,)] = self.reader.execute("select value from v1_meta where key = 'revision'")
        return everything_in(self.reader), rows, int(revision)

    def finish(self) -> None:
        """Hold the index against itself, its archive, a rebuild and a clean run."""
        said, _, revision = self._before
        again = index(self.db, self.root, full=self.dice.chance(10))
        if again.run_id is not None:
            raise Differs(f"a further run found something to do: {again}")
        again = index(self.db, self.root)
        now, _, latest = self._look()
        if (again.run_id, again.bytes_read, latest) != (None, 0, revision):
            raise Differs(f"a further run read or changed something: {again}")
        _same("a further run changed", now, said)
        generations = self._archived()
        rebuild(self.db)
        _same("a rebuild changed", everything_in(self.reader), said)
        self._check_archive(generations)
        _same("a clean run tells otherwise", said, self._clean(generations, some_way(self.dice)))

    def _archived(self) -> dict[str, list[bytes]]:
        """What `restore` gives back of every file, generation by generation."""
        last = int(one(self.db, "select coalesce(max(generations), 0) from v1_sources"))
        found: dict[str, list[bytes]] = {}
        with reading(self.db) as connection:
            for number in range(1, last + 1):
                with tempfile.TemporaryDirectory(dir=self.folder) as out:
                    below = Path(out) / self.root.relative_to("/")
                    restored, damaged = restore(connection, Path(out), wanted=None, generation=number, force=False)
                    if damaged:
                        raise Differs(f"the archive is damaged: {damaged}")
                    for item in restored:
                        name = str(Path(item.path).relative_to(self.root))
                        found.setdefault(name, []).append((below / name).read_bytes())
        return found

    def _check_archive(self, generations: dict[str, list[bytes]]) -> None:
        """Nothing that a run was shown is lost, nothing is made up, and what is there is there whole."""
        for name, states in self.seen.items():
            if (lost := _not_in(states, generations.get(name, []))) is not None:
                raise Differs(f"of {name} a run was shown {lost!r}, which is in no generation")
        for name, kept in generations.items():
            had = self.had[name]
            if (made_up := next((data for data in kept if not _begins_one(data, had)), None)) is not None:
                raise Differs(f"{name} never held {made_up!r}")
            if len(kept) > len(had):
                raise Differs(f"{name} has {len(kept)} generations, but was rewritten {len(had) - 1} times")
            if name not in self.gone and kept[-1] != self.contents[name]:
                raise Differs(f"{name} holds {self.contents[name]!r}, restored was {kept[-1]!r}")
        if missing := self.contents.keys() - self.gone - generations.keys():
            raise Differs(f"not in the archive: {sorted(missing)}")

    def _clean(self, generations: dict[str, list[bytes]], way: Way) -> Said:
        """What an index says that saw the same generations, one after the other, and then what is missing go."""
        db = self.folder / "clean.db"
        for name in self.contents.keys() - self.gone:
            (self.root / name).unlink()
        for number in range(max(map(len, generations.values()), default=0)):
            for name, kept in generations.items():
                if number >= len(kept):
                    continue
                if number and kept[number].startswith(kept[number - 1]):
                    # it began as something shorter, of which only so much was archived
                    self.put(name, kept[number][: len(kept[number - 1]) - 1])
                    index_so(way, db, self.root)
                self.put(name, kept[number])
            index_so(way, db, self.root)
        for name in self.gone & generations.keys():
            (self.root / name).unlink()
        index_so(way, db, self.root)
        return everything(db)


def _not_in(states: list[bytes], generations: list[bytes]) -> bytes | None:
    """The first state that begins no generation, those before it taken in order; None: there is no such state."""
    left = iter(generations)
    here = next(left, None)
    for state in states:
        while here is not None and not here.startswith(state):
            here = next(left, None)
        if here is None:
            return state
    return None


def _begins_one(data: bytes, contents: list[bytes]) -> bool:
    return any(content.startswith(data) for content in contents)


def _same(what: str, said: Said, expected: Said) -> None:
    if found := differences(said, expected):
        raise Differs(f"{what}: {found}")


def run_root(play: Play) -> None:
    """Index the whole folder."""
    with play.checked("ingests", exactly=play.is_whole):
        index_so(play.way, play.db, play.root)
    play.took(set(play.contents))


def _run_file(play: Play) -> None:
    there = sorted(play.contents.keys() - play.gone)
    if there:
        name = play.dice.pick(there)
        with play.checked("ingests", exactly=play.is_whole):
            index_so(play.way, play.db, play.root / name)
        play.took({name})


def _run_full(play: Play) -> None:
    with play.checked("ingests", exactly=play.is_whole):
        index_so(play.way, play.db, play.root, full=True)
    play.took(set(play.contents))


def _stop(play: Play) -> None:
    after, is_lost = play.dice.number(0, 8), play.dice.chance(40)
    portion = play.portion or play.dice.pick(play.portions.stops)
    with play.checked("interruptions", exactly=False), small_batches(portion), going(play.way):
        ingest_until_killed(play.db, play.root, after, is_lost=is_lost, jobs=play.way.jobs)


def _rebuild(play: Play) -> None:
    with play.checked("rebuilds", exactly=False):
        rebuild(play.db)


def _renew(play: Play) -> None:
    """Let the rows be made by other rules than these, so that the next run makes them anew."""
    key = play.dice.pick(["decode_version", "derive_version"])
    with closing(sqlite3.connect(play.db)) as connection, connection:
        connection.execute("update meta set value = '0' where key = ?", (key,))
    with play.checked("renewals", exactly=False):
        index_so(play.way, play.db, play.root)
    play.took(set(play.contents))


_RUNS: list[Callable[[Play], None]] = [*[run_root] * 4, *[_run_file] * 3, *[_stop] * 3, _run_full, _rebuild, _renew]


def _pieces(dice: Dice, generations: tuple[bytes, ...]) -> Iterator[Piece]:
    """Cut each generation anywhere, mostly where something begins or ends, now and then into single bytes."""
    for data in generations:
        cuts = sorted(_place(dice, data) for _ in range(dice.pick([0, 0, 1, 1, 2, 3])))
        if dice.chance(8):
            place = _place(dice, data)
            cuts = sorted([*cuts, *range(place, min(len(data), place + dice.number(2, 8)))])
        edges = [0, *cuts, len(data)]
        for number, start in enumerate(edges[:-1]):
            yield Piece(data[start : edges[number + 1]], starts=number == 0)


def _place(dice: Dice, data: bytes) -> int:
    if dice.chance(50):
        return dice.number(0, len(data))
    edges = [found.start() for found in re.finditer(rb"[\r\n{}\xef]", data)] or [0]
    return max(0, min(len(data), dice.pick(edges) + dice.number(-1, 2)))
