"""Find the ids in transcripts, and generate new ids with the same format and sort order."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# The group makes re.split return text and ids alternately. A short hexadecimal number is an id only if it occurs as the
# id of an agent.
_ID = re.compile(
    rb"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    rb"|(?:toolu|msg|req)_(?:[a-z]{4}_)?[0-9A-Za-z]{8,}"
    rb"|(?<![0-9a-f])[0-9a-f]{6,17}(?![0-9a-f])"
    rb"|(?<=projects/)[^/\"\\\s]+(?=/))"
)
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NAMED = re.compile(rb"((?:toolu|msg|req)_(?:[a-z]{4}_)?)([0-9A-Za-z]{8,})")
# only the hexadecimal number at the end of an agent's id is replaced: `a618e9fa2cd669b2e`, `acompact-fffbd0`
_AGENT = re.compile(rb"(?:\"agentId\"\s*:\s*\"|(?:^|/)agent-)(?:[0-9A-Za-z_-]*-)?([0-9a-f]{6,17})(?=[\".])")

_HEXADECIMAL = "0123456789abcdef"
_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class IdFormat:
    """The format of one kind of id: its prefix, and the length of the remainder."""

    prefix: bytes
    length: int
    is_uuid: bool = False

    def random_id(self, rng: random.Random) -> bytes:
        """Return a random id of this format."""
        if self.is_uuid:
            digits = f"{rng.getrandbits(128):032x}"
            variant = "89ab"[rng.getrandbits(2)]
            return "-".join(
                (digits[:8], digits[8:12], f"4{digits[13:16]}", variant + digits[17:20], digits[20:])
            ).encode()
        letters = _ALPHANUMERIC if self.prefix else _HEXADECIMAL
        return self.prefix + "".join(rng.choices(letters, k=self.length)).encode()


@dataclass(slots=True)
class IdCollection:
    """All ids of a corpus, grouped by format."""

    by_format: dict[IdFormat, set[bytes]] = field(default_factory=lambda: defaultdict(set))

    def collect(self, data: bytes) -> None:
        """Add the ids that occur in a file or in its name."""
        for uuid in _UUID.findall(data):
            self.by_format[IdFormat(b"", 36, is_uuid=True)].add(uuid)
        for prefix, remainder in _NAMED.findall(data):
            self.by_format[IdFormat(prefix, len(remainder))].add(prefix + remainder)
        for agent in _AGENT.findall(data):
            self.by_format[IdFormat(b"", len(agent))].add(agent)


def split_at_ids(data: bytes) -> list[bytes]:
    """Split bytes so that possible ids and project folder names have odd indexes in the list."""
    return _ID.split(data)


def has_id(name: str) -> bool:
    """Whether the name of a file or folder starts with the id of a session or an agent."""
    return bool(_UUID.match(name.encode()) or _AGENT.match(name.encode()))


def generate_renamings(ids: IdCollection, seed: int) -> Iterator[dict[bytes, bytes]]:
    """Yield an endless series of maps from old to new ids. No new id is used twice.

    New ids sort like the old ones, so that decisions that depend on the order of ids stay the same.
    """
    rng = random.Random(seed)  # noqa: S311 - must be reproducible
    used = {id_format: set(known) for id_format, known in ids.by_format.items()}
    formats = sorted(ids.by_format, key=lambda id_format: (id_format.prefix, id_format.length))
    while True:
        renaming: dict[bytes, bytes] = {}
        for id_format in formats:
            old = sorted(ids.by_format[id_format])
            renaming.update(zip(old, _new_ids(id_format, len(old), used[id_format], rng), strict=True))
        yield renaming


def _new_ids(id_format: IdFormat, count: int, used: set[bytes], rng: random.Random) -> Iterable[bytes]:
    """Return unused ids in sorted order, and add them to `used`."""
    new: set[bytes] = set()
    while len(new) < count:
        candidate = id_format.random_id(rng)
        if candidate not in used:
            used.add(candidate)
            new.add(candidate)
    return sorted(new)
