"""Bytes of transcripts to the ids in them, and ids to new ones of the same form, in the same order."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# the group is what re.split keeps: text and ids in turn; a short hexadecimal number is an id only if an agent has it
_ID = re.compile(
    rb"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    rb"|(?:toolu|msg|req)_(?:[a-z]{4}_)?[0-9A-Za-z]{8,}"
    rb"|(?<![0-9a-f])[0-9a-f]{6,17}(?![0-9a-f])"
    rb"|(?<=projects/)[^/\"\\\s]+(?=/))"
)
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NAMED = re.compile(rb"((?:toolu|msg|req)_(?:[a-z]{4}_)?)([0-9A-Za-z]{8,})")
# an agent's id is the number at its end: `a618e9fa2cd669b2e`, `acompact-fffbd0`
_AGENT = re.compile(rb"(?:\"agentId\"\s*:\s*\"|(?:^|/)agent-)(?:[0-9A-Za-z_-]*-)?([0-9a-f]{6,17})(?=[\".])")

_HEXADECIMAL = "0123456789abcdef"
_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Form:
    """What ids of one kind have in common: how they begin, and how long the rest is."""

    prefix: bytes
    length: int
    is_uuid: bool = False

    def drawn(self, dice: random.Random) -> bytes:
        """Return any id of the form."""
        if self.is_uuid:
            digits = f"{dice.getrandbits(128):032x}"
            variant = "89ab"[dice.getrandbits(2)]
            return "-".join(
                (digits[:8], digits[8:12], f"4{digits[13:16]}", variant + digits[17:20], digits[20:])
            ).encode()
        letters = _ALPHANUMERIC if self.prefix else _HEXADECIMAL
        return self.prefix + "".join(dice.choices(letters, k=self.length)).encode()


@dataclass(slots=True)
class Ids:
    """All ids of a corpus by their form; the one value here that grows."""

    by_form: dict[Form, set[bytes]] = field(default_factory=lambda: defaultdict(set))

    def note(self, data: bytes) -> None:
        """Take in the ids that stand in a file or in its name."""
        for found in _UUID.findall(data):
            self.by_form[Form(b"", 36, is_uuid=True)].add(found)
        for prefix, rest in _NAMED.findall(data):
            self.by_form[Form(prefix, len(rest))].add(prefix + rest)
        for found in _AGENT.findall(data):
            self.by_form[Form(b"", len(found))].add(found)


def split(data: bytes) -> list[bytes]:
    """Part bytes so that whatever may be an id or the name of a project folder stands at the odd places."""
    return _ID.split(data)


def has_id(name: str) -> bool:
    """Tell whether a file's or folder's name says whose it is."""
    return bool(_UUID.match(name.encode()) or _AGENT.match(name.encode()))


def renamings(ids: Ids, seed: int) -> Iterator[dict[bytes, bytes]]:
    """Give one renaming after the other, without end; no id is ever given twice.

    In each, new ids sort as the old ones do: whatever is decided by the order of ids is decided the same.
    """
    dice = random.Random(seed)  # noqa: S311 - to be repeatable
    taken = {form: set(known) for form, known in ids.by_form.items()}
    forms = sorted(ids.by_form, key=lambda form: (form.prefix, form.length))
    while True:
        renaming: dict[bytes, bytes] = {}
        for form in forms:
            old = sorted(ids.by_form[form])
            renaming.update(zip(old, _fresh(form, len(old), taken[form], dice), strict=True))
        yield renaming


def _fresh(form: Form, count: int, taken: set[bytes], dice: random.Random) -> Iterable[bytes]:
    """Return ids that were not taken, in order, and take them."""
    found: set[bytes] = set()
    while len(found) < count:
        drawn = form.drawn(dice)
        if drawn not in taken:
            taken.add(drawn)
            found.add(drawn)
    return sorted(found)
