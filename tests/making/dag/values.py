"""Convert text in the graph notation to arguments for `build_graph`."""

from collections import defaultdict

from ccindex.chunks import digest_text_or_id
from ccindex.graph.parents import Links, link
from ccindex.graph.subtrees import compared_entries
from ccindex.graph.threads import Outline, outline
from ccindex.model.graph import (
    AgentFile,
    AgentHints,
    AgentMention,
    Call,
    EntryKind,
    Family,
    ForkContents,
    LeafRecord,
    Node,
    Sidecar,
)
from ccindex.read.entry_kinds import form_of, is_command, is_typed
from tests.making.transcripts import START_MS

from .grammar import AGENT_TOOLS, MENTION, Entry, Record, Recorded, read

_KINDS = {
    "u": EntryKind.PROMPT,
    "c": EntryKind.PROMPT,
    "n": EntryKind.PROMPT,
    "r": EntryKind.RESULT,
    "a": EntryKind.ASSISTANT,
    "b": EntryKind.BOUNDARY,
}


def graph(text: str) -> tuple[Links, ForkContents]:
    """Return arguments for `build_graph`. All sessions in the text form one family."""
    facts = Facts(read(text))
    threads = outline(facts.family())
    links = link(threads, facts.hints(threads))
    return links, facts.contents(links)


class Facts:
    """The graph values that the text describes. Entries are identified by their index in time order."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded
        self._at = _instants(recorded)
        self._paths = sorted({item.file.path for item in recorded.objects})
        self._order = {item.name: offset for offset, item in enumerate(recorded.objects) if isinstance(item, Entry)}
        entries = sorted(
            recorded.entries.values(), key=lambda entry: self._time(entry.file.path, self._order[entry.name])
        )
        self._entries = list(enumerate(entries))
        self._index = {entry.name: index for index, entry in self._entries}
        self._sessions = sorted({item.file.session for item in recorded.objects})

    def _time(self, path: str, offset: int) -> tuple[int, int, int, int]:
        return self._at[offset], self._paths.index(path), 1, offset

    def family(self) -> Family:
        """Return all entries as one family."""
        return Family(
            nodes=self._nodes(),
            session_ids=dict(enumerate(self._sessions)),
            source_ranks={source: source for source in range(len(self._paths))},
            logical=self._logical(),
            sidecars=[
                Sidecar(file.session, str(file.agent), self._paths.index(file.path), call, called)
                for file, (call, called) in self._recorded.sidecars.items()
            ],
            calls=self._calls(),
            outcomes=self._agent_mentions("ru"),
            mentions=self._mentions(),
            progress=self._agent_mentions("p"),
            leaves=self._leaves(),
            fork_contexts=self._contexts(),
            answers_of=self._call_entries("ru"),
            calls_of=self._call_entries("a"),
        )

    def hints(self, threads: Outline) -> AgentHints:
        """Return the first prompts of agent threads, and the files that contain the threads' roots."""
        first_prompts = {}
        for thread, prompts in threads.agent_prompts().items():
            first = next((index for index in prompts if self._entries[index][1].text), None)
            if first is not None:
                first_prompts[thread] = (first, self._entries[first][1].text)
        files: defaultdict[str, list[str]] = defaultdict(list)
        for copy in self._recorded.copies():
            files[copy.entry].append(copy.file.path)
        agents = {item.file.path: str(item.file.agent) for item in self._recorded.objects}
        roots = [self._entries[root][1] for root in threads.agent_roots()]
        return AgentHints(
            first_prompts=first_prompts,
            files={
                self._index[root.name]: tuple(
                    AgentFile(agents[path], self._paths.index(path))
                    for path in sorted([root.file.path, *files[root.name]])
                )
                for root in roots
                if root.name in files
            },
        )

    def contents(self, links: Links) -> ForkContents:
        """Return the contents that the ladder compares, and texts that `load_fork_contents` would not load."""
        compared = set(compared_entries(links))
        return ForkContents(
            uses={
                index: frozenset(call.id for call in entry.calls)
                for index, entry in self._entries
                if entry.letter == "a" and entry.calls
            },
            answers={
                index: tuple(call.id for call in entry.calls) for index, entry in self._entries if entry.letter == "r"
            },
            texts={index: entry.text for index, entry in self._entries if entry.is_prompt},
            contents={
                index: digests for index, entry in self._entries if index in compared and (digests := _digests(entry))
            },
        )

    def _nodes(self) -> list[Node]:
        unseen = sorted(entry.parent for entry in self._recorded.entries.values() if entry.parent)
        numbers = {name: number for number, name in enumerate(dict.fromkeys([*self._order, *unseen]))}
        return [
            Node(
                entry=numbers[entry.name],
                uuid=entry.name,
                session=self._sessions.index(entry.file.session),
                timestamp_ms=self._at[self._order[entry.name]],
                has_own_timestamp=int(entry.second is not None),
                source=self._paths.index(entry.file.path),
                generation=1,
                offset=self._order[entry.name],
                kind=_KINDS.get(entry.letter, EntryKind.SIDE),
                is_command=int(entry.is_prompt and is_command(entry.text)),
                is_typed=int(entry.letter == "q" or (entry.is_prompt and _is_typed(entry))),
                is_meta=int(entry.is_meta),
                is_compact_summary=int(entry.is_summary),
                is_active=1 if entry.is_active else None,
                is_local_command=int(entry.letter == "s"),
                is_agent=int(entry.file.is_sidechain),
                agent_id=entry.file.agent,
                own_agent_id=entry.file.agent,
                workflow_run=None,
                parent=None if entry.parent is None else numbers[entry.parent],
                form=_form(entry) if entry.is_prompt else None,
                response=_response(entry),
                is_synthetic=int(entry.is_synthetic),
            )
            for _, entry in self._entries
        ]

    def _logical(self) -> dict[int, tuple[int, ...]]:
        named = {
            index: tuple(self._index[name] for name in entry.logical if name in self._index)
            for index, entry in self._entries
        }
        return {index: targets for index, targets in named.items() if targets}

    def _calls(self) -> list[Call]:
        return [
            Call(index, call.id, entry.text, call.called)
            for index, entry in self._entries
            for call in entry.calls
            if entry.letter == "a" and call.tool in AGENT_TOOLS
        ]

    def _agent_mentions(self, letters: str) -> list[AgentMention]:
        return [
            AgentMention(index, entry.agent, tuple(call.id for call in entry.calls))
            for index, entry in self._entries
            if entry.agent is not None and entry.letter in letters
        ]

    def _mentions(self) -> list[AgentMention]:
        return [
            AgentMention(index, entry.text.removeprefix(MENTION), (call.id,))
            for index, entry in self._entries
            for call in entry.calls
            if entry.letter == "r" and entry.text.startswith(MENTION)
        ]

    def _records(self, type_: str) -> list[tuple[int, Record, int]]:
        """Return (offset, record, entry index) for every record of the given type whose entry exists."""
        return [
            (offset, item, self._index[item.entry])
            for offset, item in enumerate(self._recorded.objects)
            if isinstance(item, Record) and item.type == type_ and item.entry in self._index
        ]

    def _leaves(self) -> dict[int, LeafRecord]:
        found: dict[int, LeafRecord] = {}
        for offset, record, leaf in self._records("leaf"):
            session = self._sessions.index(record.file.session)
            named = LeafRecord(leaf, self._time(record.file.path, offset))
            if session not in found or found[session].time < named.time:
                found[session] = named
        return found

    def _contexts(self) -> dict[tuple[int, str], list[int]]:
        found: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        for _, record, index in self._records("context"):
            found[self._sessions.index(record.file.session), str(record.file.agent)].append(index)
        return found

    def _call_entries(self, letters: str) -> dict[str, tuple[int, ...]]:
        found: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for index, entry in self._entries:
            if entry.letter in letters:
                for call in entry.calls:
                    found[call.id][index] = None
        return {call: tuple(indexes) for call, indexes in found.items()}


def _instants(recorded: Recorded) -> dict[int, int]:
    """Return the timestamp of every object by offset, in milliseconds since the Unix epoch.

    An object without a timestamp gets the timestamp of the nearest object before it in its file that has one, or of the
    nearest object after it if there is none.
    """
    instants: dict[int, int] = {}
    files: defaultdict[str, list[int]] = defaultdict(list)
    seconds: dict[int, float | None] = {}
    for offset, item in enumerate(recorded.objects):
        files[item.file.path].append(offset)
        entry = item if isinstance(item, Entry) else None if isinstance(item, Record) else recorded.entries[item.entry]
        seconds[offset] = None if entry is None else entry.second
    for offsets in files.values():
        latest = next((own for offset in offsets if (own := seconds[offset]) is not None), -START_MS / 1000)
        for offset in offsets:
            own = seconds[offset]
            latest = latest if own is None else own
            instants[offset] = START_MS + round(latest * 1000)
    return instants


def _is_typed(entry: Entry) -> bool:
    return is_typed(entry.text, (), is_injected=entry.is_meta or entry.is_summary)


def _form(entry: Entry) -> str | None:
    return form_of(EntryKind.PROMPT, None, entry.text, is_meta=entry.is_meta, is_summary=entry.is_summary)


def _response(entry: Entry) -> str | None:
    if entry.letter != "a" or entry.is_synthetic:
        return None
    return entry.response or f"msg_{entry.name}"


def _digests(entry: Entry) -> frozenset[bytes]:
    texts = [digest_text_or_id(entry.text, is_text=True)] if entry.text else []
    return frozenset([*texts, *(digest_text_or_id(call.id, is_text=False) for call in entry.calls)])
