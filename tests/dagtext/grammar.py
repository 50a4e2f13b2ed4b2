"""A text to the entries that it tells of."""

import re
from dataclasses import dataclass
from typing import NamedTuple

EPOCH = 1_772_355_600_000  # where the seconds of a text begin: 2026-03-01T09:00:00Z
AGENT_TOOLS = frozenset({"Task", "Agent"})
MENTION = "agentId: "
_NAME = r"[uracbshp][a-z0-9.]*"
_ENTRY = re.compile(
    rf"(?P<name>{_NAME})(\*(?P<count>\d+))?(\[(?P<calls>[^\]]*)\])?(@(?P<time>\d+))?(?P<marks>~?#?\+?)"
    r'(?P<anchor>!(?P<agent>\w*))?("(?P<words>[^"]*)")?'
)
_CALL = re.compile(r"(?P<id>\w+)(:(?P<tool>\w+)(/(?P<called>\w+))?)?")
_PREFIX = re.compile(
    r"((?P<session>(?!agent\b)[a-z]\w*)(?=:| agent) ?)?(?P<is_agent>agent( (?P<agent>\w+)(/(?P<called>\w+))?)?)?: "
)


class DagTextError(ValueError):
    """A text that is no graph; the message names the line."""


class File(NamedTuple):
    """A transcript, or the sidechain entries in one; `agent`: whose it is."""

    session: str = "s"
    agent: str | None = None
    is_sidechain: bool = False

    @property
    def path(self) -> str:
        """Where it lies in its project."""
        return f"{self.session}.jsonl" if self.agent is None else f"{self.session}/subagents/agent-{self.agent}.jsonl"


class Used(NamedTuple):
    """A call that an entry issues or answers."""

    id: str
    tool: str = "Bash"
    called: str | None = None


@dataclass(slots=True)
class Entry:
    """An entry while the text is read; `at`: seconds, None without a timestamp."""

    name: str
    file: File
    at: float | None
    calls: tuple[Used, ...] = ()
    is_injected: bool = False
    is_active: bool = False
    agent: str | None = None
    words: str | None = None
    parent: str | None = None
    logical: tuple[str, ...] = ()

    @property
    def letter(self) -> str:
        """What kind of entry it is."""
        return self.name[0]

    @property
    def text(self) -> str:
        """What it says."""
        if self.words is not None or self.letter != "c":
            return f"say {self.name}" if self.words is None else self.words
        return f"<local-command-stdout>{self.name}" if self.is_injected else f"<command-name>/{self.name}"


class Recorded(NamedTuple):
    """A text as it was read: entries in order, and sidecars (call, name) by the agent's file."""

    entries: dict[str, Entry]
    sidecars: dict[File, tuple[str | None, str | None]]


def read(text: str) -> Recorded:
    """Take a text apart."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip():
                reader.line(line.strip())
        except ValueError as error:
            raise DagTextError(f"line {number}: {error} in “{line.strip()}”") from error
    return Recorded(reader.entries, reader.sidecars)


class _Reader:
    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.sidecars: dict[File, tuple[str | None, str | None]] = {}
        self._mentions = 0

    def line(self, line: str) -> None:
        left, spawns, right = line.partition(" => ")
        file, chain = self._prefix(left, File())
        last = self._chain(chain, file)
        if not spawns:
            return
        if not self.entries[last].calls:
            raise ValueError(f"{last} has no call for an agent")
        file, chain = self._prefix(right, file)
        if file.agent is None:
            raise ValueError("no agent with an id stands behind =>")
        self.sidecars[file] = (self.entries[last].calls[0].id, self.sidecars.get(file, (None, None))[1])
        self._chain(chain, file)

    def _prefix(self, text: str, file: File) -> tuple[File, str]:
        found = _PREFIX.match(text)
        if found is None:
            return file, text
        session = found["session"] or file.session
        file = File(session, found["agent"], is_sidechain=found["is_agent"] is not None)
        if found["called"]:
            self.sidecars[file] = (None, found["called"])
        return file, text[found.end() :]

    def _chain(self, text: str, file: File) -> str:
        head, names, logical = text.partition(" ~> ")
        parent: str | None = None
        last: str | None = None
        for part in head.split(" -> "):
            if part.startswith("?") and parent is None:
                parent = part[1:]
                continue
            first, last = self._entry(part, file)
            if parent is not None:
                if first.parent is not None:
                    raise ValueError(f"{first.name} has a parent already")
                first.parent = parent
            parent = last
        if last is None:
            raise ValueError(f"{head} has no child")
        if names:
            self._go_on_from(last, logical.split(", "))
        return last

    def _go_on_from(self, boundary: str, names: list[str]) -> None:
        if not boundary.startswith("b"):
            raise ValueError(f"{boundary} is no boundary")
        for name in names:
            if not name.startswith("?") and name not in self.entries:
                raise ValueError(f"{name} was not said above")
        self.entries[boundary].logical = tuple(name.removeprefix("?") for name in names)

    def _entry(self, part: str, file: File) -> tuple[Entry, str]:
        """Give the entry that a chain goes into, and the name of the one that it leaves."""
        found = _ENTRY.fullmatch(part)
        if found is None:
            raise ValueError(f"“{part}” is no entry")
        name = found["name"]
        if name in self.entries:
            if part != name:
                raise ValueError(f"{name} was said in full above")
            return self.entries[name], name
        second = self._mentions if found["time"] is None else int(found["time"])
        self._mentions += 1
        first = last = self._new(found, file, second)
        for place in range(2, int(found["count"] or 1) + 1):
            member = Entry(f"{name}.{place}", file, second + (place - 1) / 1000, parent=last.name)
            self.entries[member.name] = last = member
        return first, last.name

    def _new(self, found: re.Match[str], file: File, second: float) -> Entry:
        name, marks = found["name"], found["marks"]
        calls = [Used(*_one_call(call)) for call in (found["calls"] or "").split()]
        agent = (found["agent"] or f"x{name}") if found["anchor"] else None
        if agent and name[0] not in "rpa":
            raise ValueError(f"{name} is no anchor")
        if calls and name[0] not in "ruap":
            raise ValueError(f"{name} has no calls")
        if name[0] == "a" and agent:
            calls.append(Used(f"task-{name}", "Task"))
        if name[0] == "r" and not calls:
            calls.append(Used(f"call-{name}"))
        self.entries[name] = Entry(
            name,
            file,
            None if "~" in marks else second,
            tuple(calls),
            is_injected="#" in marks,
            is_active="+" in marks,
            agent=None if name[0] == "a" else agent,
            words=found["words"],
        )
        return self.entries[name]


def _one_call(text: str) -> tuple[str, str, str | None]:
    found = _CALL.fullmatch(text)
    if found is None:
        raise ValueError(f"“{text}” is no call")
    return found["id"], found["tool"] or "Bash", found["called"]
