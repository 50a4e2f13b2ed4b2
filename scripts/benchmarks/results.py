"""All that one run of the bench measured, and the same as JSON and back."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from .process import Cost


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it was measured, and with what."""

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
    """What was indexed."""

    files: int
    bytes: int
    lines: int
    entries: int


@dataclass(frozen=True, slots=True)
class Ingest:
    """One kind of run of `ccindex ingest`; the phases are there if the program tells them."""

    cost: Cost
    bytes_read: int
    has_written: bool
    phases: dict[str, float]


@dataclass(frozen=True, slots=True)
class Command:
    """A command that reads, with the index on disk and with the index in memory."""

    words: str
    cold: Cost
    warm: Cost


@dataclass(frozen=True, slots=True)
class Index:
    """How large the index is, what its tables take, and what the archive makes of the files."""

    bytes: int
    tables: dict[str, int]
    archived: int
    packed: int


@dataclass(frozen=True, slots=True)
class Step:
    """A cold run on so many times the corpus."""

    times: int
    corpus: Corpus
    cost: Cost
    index: int


@dataclass(frozen=True, slots=True)
class Peer:
    """Another program on the same files, for the first time and again; or why not."""

    name: str
    version: str
    words: str
    first: Cost | None
    again: Cost | None
    problem: str


@dataclass(frozen=True, slots=True)
class Results:
    """All of it."""

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
        """Return it as it is kept."""
        return json.dumps(asdict(self), indent=2) + "\n"


def from_json(text: str) -> Results:
    """Return what `as_json` kept."""
    kept = json.loads(text)
    return Results(
        machine=Machine(**kept["machine"]),
        repeat=kept["repeat"],
        corpus=Corpus(**kept["corpus"]),
        floor=Cost(**kept["floor"]),
        ingests={name: _ingest(value) for name, value in kept["ingests"].items()},
        commands={name: _command(value) for name, value in kept["commands"].items()},
        index=Index(**kept["index"]),
        growth=[_step(value) for value in kept["growth"]],
        peers=[_peer(value) for value in kept["peers"]],
    )


def _ingest(value: dict[str, Any]) -> Ingest:
    return Ingest(**value | {"cost": Cost(**value["cost"])})


def _command(value: dict[str, Any]) -> Command:
    return Command(value["words"], Cost(**value["cold"]), Cost(**value["warm"]))


def _step(value: dict[str, Any]) -> Step:
    return Step(**value | {"corpus": Corpus(**value["corpus"]), "cost": Cost(**value["cost"])})


def _peer(value: dict[str, Any]) -> Peer:
    costs = {key: value[key] and Cost(**value[key]) for key in ("first", "again")}
    return Peer(**value | costs)
