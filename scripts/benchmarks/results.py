"""Results of a benchmark run, and their conversion to JSON and back."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from .process import Cost


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer, the software versions and the date of a run."""

    processor: str
    cores: int
    memory: int
    system: str
    python: str
    sqlite: str
    ccindex: str
    day: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """The size of the indexed transcripts."""

    files: int
    bytes: int
    lines: int
    entries: int


@dataclass(frozen=True, slots=True)
class Ingest:
    """One kind of `ccindex ingest` run. The phases are empty if ccindex does not report them."""

    cost: Cost
    bytes_read: int
    has_written: bool
    phases: dict[str, float]


@dataclass(frozen=True, slots=True)
class Command:
    """A command that reads the index: its command line, and its cost with a cold and a warm page cache."""

    command: str
    cold: Cost
    warm: Cost


@dataclass(frozen=True, slots=True)
class Index:
    """Sizes in bytes of the index file, its tables, and the archive before and after compression."""

    bytes: int
    tables: dict[str, int]
    archived: int
    packed: int


@dataclass(frozen=True, slots=True)
class Step:
    """A first ingest of the corpus multiplied by `times`. `index` is the size of the index in bytes."""

    times: int
    corpus: Corpus
    cost: Cost
    index: int


@dataclass(frozen=True, slots=True)
class Peer:
    """Another program, run on the same files: its costs in a first and a second run, or why it was not measured."""

    name: str
    version: str
    command: str
    first: Cost | None
    again: Cost | None
    problem: str


@dataclass(frozen=True, slots=True)
class Results:
    """All results of a run."""

    machine: Machine
    repeat: int
    corpus: Corpus
    floor: Cost
    ingests: dict[str, Ingest]
    commands: dict[str, Command]
    index: Index
    growth: list[Step]
    peers: list[Peer]

    def as_json(self) -> str:
        """Return the results as JSON."""
        return json.dumps(asdict(self), indent=2) + "\n"


def from_json(text: str) -> Results:
    """Return the results from JSON that `as_json` wrote."""
    document = json.loads(text)
    return Results(
        machine=Machine(**document["machine"]),
        repeat=document["repeat"],
        corpus=Corpus(**document["corpus"]),
        floor=Cost(**document["floor"]),
        ingests={name: _ingest(value) for name, value in document["ingests"].items()},
        commands={name: _command(value) for name, value in document["commands"].items()},
        index=Index(**document["index"]),
        growth=[_step(value) for value in document["growth"]],
        peers=[_peer(value) for value in document["peers"]],
    )


def _ingest(value: dict[str, Any]) -> Ingest:
    return Ingest(**value | {"cost": Cost(**value["cost"])})


def _command(value: dict[str, Any]) -> Command:
    return Command(value["command"], Cost(**value["cold"]), Cost(**value["warm"]))


def _step(value: dict[str, Any]) -> Step:
    return Step(**value | {"corpus": Corpus(**value["corpus"]), "cost": Cost(**value["cost"])})


def _peer(value: dict[str, Any]) -> Peer:
    costs = {key: value[key] and Cost(**value[key]) for key in ("first", "again")}
    return Peer(**value | costs)
