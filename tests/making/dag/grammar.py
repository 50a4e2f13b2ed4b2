"""Parse the graph notation into entries, records and sidecars."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

AGENT_TOOLS = frozenset({"Task", "Agent"})
MENTION = "agentId: "
_NAME = r"[uarbcnhpsq][a-z0-9.]*"
_ENTRY = re.compile(
    rf"(?P<name>{_NAME})(\*(?P<count>\d+))?(\[(?P<calls>[^\]]*)\])?(=(?P<response>\w+))?(@(?P<time>\d+))?"
    r'(?P<marks>~?#?\$?\+?)(?P<anchor>!(?P<agent>\w*))?("(?P<words>[^"]*)")?'
)
_CALL = re.compile(r"(?P<id>\w+)(:(?P<tool>\w+)(/(?P<called>\w+))?)?")
_PREFIX = re.compile(
    r"((?P<session>(?!agent\b)[a-z]\w*)(?=:| agent) ?)?(?P<is_agent>agent( (?P<agent>\w+)(/(?P<called>\w+))?)?)?: "
)
_RECORD = re.compile(r"(?P<type>leaf|context) (?P<name>\??\w[\w.]*)")
_COPY = re.compile(r"copy (?P<names>.+)")


class DagTextError(ValueError):
    """The text is not a valid graph; the message contains the line number."""


class File(NamedTuple):
    """A transcript, or the sidechain entries in a session's transcript; `agent` is the agent id in the file name."""

    session: str = "s"
    agent: str | None = None
    is_sidechain: bool = False

    @property
    def path(self) -> str:
        """The path relative to the project folder."""
        return f"{self.session}.jsonl" if self.agent is None else f"{self.session}/subagents/agent-{self.agent}.jsonl"


class ToolCall(NamedTuple):
    """A call that an entry issues or answers."""

    id: str
    tool: str = "Bash"
    called: str | None = None


@dataclass(slots=True)
class Entry:
    """An entry; `second` is None if it has no timestamp."""

    name: str
    file: File
    second: float | None
    calls: tuple[ToolCall, ...] = ()
    response: str | None = None
    is_injected: bool = False
    is_summary: bool = False
    is_active: bool = False
    agent: str | None = None
    words: str | None = None
    parent: str | None = None
    logical: tuple[str, ...] = ()

    @property
    def letter(self) -> str:
        """The letter that stands for the kind of entry."""
        return self.name[0]

    @property
    def is_prompt(self) -> bool:
        """Whether the entry is a prompt, including commands and caveats."""
        return self.letter in "ucn"

    @property
    def is_meta(self) -> bool:
        """Whether the entry has the flag isMeta."""
        return self.letter == "n" or (self.letter == "u" and self.is_injected)

    @property
    def is_synthetic(self) -> bool:
        """Whether the entry is an assistant entry whose model is `<synthetic>`."""
        return self.letter == "a" and self.is_injected

    @property
    def text(self) -> str:
        """The given text, or default text for the kind of entry."""
        if self.words is not None:
            return self.words
        if self.letter == "n":
            return f"<local-command-caveat>{self.name}</local-command-caveat>"
        if self.letter == "c" and self.is_injected:
            return f"<local-command-stdout>{self.name}</local-command-stdout>"
        return f"<command-name>/{self.name}</command-name>" if self.letter == "c" else f"say {self.name}"


class Record(NamedTuple):
    """A record that refers to an entry; `type` is "leaf" or "context"."""

    file: File
    type: str
    entry: str


class Copy(NamedTuple):
    """A copy of an entry in another agent's file."""

    file: File
    entry: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A parsed text: entries by name, the objects of all files in order, and sidecars (call, name) by agent file."""

    entries: dict[str, Entry] = field(default_factory=dict)
    objects: list[Entry | Record | Copy] = field(default_factory=list)
    sidecars: dict[File, tuple[str | None, str | None]] = field(default_factory=dict)

    def copies(self) -> list[Copy]:
        """Return the copies of entries."""
        return [item for item in self.objects if isinstance(item, Copy)]


def read(text: str) -> Recorded:
    """Parse text in the graph notation."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip():
                reader.line(line.strip())
        except ValueError as error:
            raise DagTextError(f"line {number}: {error} in “{line.strip()}”") from error
    return reader.recorded


class _Reader:
    def __init__(self) -> None:
        self.recorded = Recorded()
        self._entries = self.recorded.entries
        self._sidecars = self.recorded.sidecars
        self._mentions = 0

    def line(self, line: str) -> None:
        left, spawns, right = line.partition(" => ")
        file, chain = self._prefix(left, File())
        if self._is_record(chain, file):
            return
        last = self._chain(chain, file)
        if not spawns:
            return
        if not self._entries[last].calls:
            raise ValueError(f"{last} has no call for an agent")
        file, chain = self._prefix(right, file)
        if file.agent is None:
            raise ValueError("=> is not followed by an agent with an id")
        self._sidecars[file] = (self._entries[last].calls[0].id, self._sidecars.get(file, (None, None))[1])
        if not self._is_record(chain, file):
            self._chain(chain, file)

    def _prefix(self, text: str, file: File) -> tuple[File, str]:
        found = _PREFIX.match(text)
        if found is None:
            return file, text
        session = found["session"] or file.session
        file = File(session, found["agent"], is_sidechain=found["is_agent"] is not None)
        if found["called"]:
            self._sidecars[file] = (None, found["called"])
        return file, text[found.end() :]

    def _is_record(self, text: str, file: File) -> bool:
        """Parse a record or copies; return False if the text is neither."""
        if found := _RECORD.fullmatch(text):
            if (found["type"] == "context") != (file.agent is not None):
                raise ValueError(f"a {found['type']} record does not belong in this file")
            self.recorded.objects.append(Record(file, found["type"], self._known(found["name"])))
            return True
        if found := _COPY.fullmatch(text):
            names = [self._known(name) for name in found["names"].split()]
            if file.agent is None or any(self._entries[name].file.agent in (None, file.agent) for name in names):
                raise ValueError("only entries of another agent can be copied")
            self.recorded.objects.extend(Copy(file, name) for name in names)
            return True
        return False

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
                    raise ValueError(f"{first.name} already has a parent")
                first.parent = parent
            parent = last
        if last is None:
            raise ValueError(f"{head} has no child")
        if names:
            if not last.startswith("b"):
                raise ValueError(f"{last} is not a boundary")
            self._entries[last].logical = tuple(map(self._known, logical.split(", ")))
        return last

    def _known(self, name: str) -> str:
        """Return the name without its `?` prefix; a name without this prefix must already have been declared."""
        if not name.startswith("?") and name not in self._entries:
            raise ValueError(f"{name} is not declared above")
        return name.removeprefix("?")

    def _entry(self, part: str, file: File) -> tuple[Entry, str]:
        """Return the first entry of one part of a chain and the name of its last entry; they differ in a run."""
        found = _ENTRY.fullmatch(part)
        if found is None:
            raise ValueError(f"“{part}” is not an entry")
        name = found["name"]
        if name in self._entries:
            if part != name:
                raise ValueError(f"{name} is already declared above")
            return self._entries[name], name
        second = self._mentions if found["time"] is None else int(found["time"])
        self._mentions += 1
        first = last = self._add(_new(found, file, second))
        for number in range(2, int(found["count"] or 1) + 1):
            last = self._add(Entry(f"{name}.{number}", file, second + (number - 1) / 1000, parent=last.name))
        return first, last.name

    def _add(self, entry: Entry) -> Entry:
        self._entries[entry.name] = entry
        self.recorded.objects.append(entry)
        return entry


def _new(found: re.Match[str], file: File, second: float) -> Entry:
    name, marks = found["name"], found["marks"]
    letter = name[0]
    calls = [_call(call) for call in (found["calls"] or "").split()]
    agent = (found["agent"] or f"x{name}") if found["anchor"] else None
    if agent and letter not in "rpa":
        raise ValueError(f"{name} cannot name an agent")
    if calls and letter not in "ruap":
        raise ValueError(f"{name} cannot have calls")
    if found["response"] and letter != "a":
        raise ValueError(f"{name} cannot be part of a response")
    if "$" in marks and letter != "u":
        raise ValueError(f"{name} cannot be a summary")
    if letter == "a" and agent:
        calls.append(ToolCall(f"task-{name}", "Task"))
    if letter == "r" and not calls:
        calls.append(ToolCall(f"call-{name}"))
    return Entry(
        name,
        file,
        None if "~" in marks else second,
        tuple(calls),
        found["response"],
        is_injected="#" in marks,
        is_summary="$" in marks,
        is_active="+" in marks,
        agent=None if letter == "a" else agent,
        words=None if found["words"] is None else found["words"].replace("'", '"'),
    )


def _call(text: str) -> ToolCall:
    found = _CALL.fullmatch(text)
    if found is None:
        raise ValueError(f"“{text}” is not a call")
    return ToolCall(found["id"], found["tool"] or "Bash", found["called"])
