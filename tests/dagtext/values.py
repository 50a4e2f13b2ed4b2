"""The entries of a text as the values that the graph room takes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ccindex.graph.outline import Outline, outline
from ccindex.model.graph import Call, Family, Kind, Naming, Node, Sidecar, Words

from .grammar import AGENT_TOOLS, EPOCH, MENTION, Entry, Recorded, read

_KINDS = {"u": Kind.PROMPT, "c": Kind.PROMPT, "r": Kind.RESULT, "a": Kind.ASSISTANT, "b": Kind.BOUNDARY}


def graph(text: str) -> tuple[Outline, Words]:
    """Make of a text what `untangle` takes, all of it one family."""
    recorded = read(text)
    at = _instants(recorded.entries.values())
    paths = sorted({entry.file.path for entry in recorded.entries.values()})
    order = {name: offset for offset, name in enumerate(recorded.entries)}
    entries = sorted(recorded.entries.values(), key=lambda entry: (at[entry.name], entry.file.path, order[entry.name]))
    sessions = sorted({entry.file.session for entry in entries})
    numbers = {name: number for number, name in enumerate([*order, *_unseen(recorded)])}
    nodes = [
        Node(
            entry=numbers[entry.name],
            uuid=entry.name,
            session=sessions.index(entry.file.session),
            at=at[entry.name],
            is_stamped=int(entry.at is not None),
            source=paths.index(entry.file.path),
            generation=1,
            offset=order[entry.name],
            kind=_KINDS.get(entry.letter, Kind.SIDE),
            is_command=int(entry.letter == "c"),
            is_typed=int(entry.letter in "uc" and not entry.is_injected),
            is_active=1 if entry.is_active else None,
            is_local_command=int(entry.letter == "s"),
            is_agent=int(entry.file.is_sidechain),
            agent_id=entry.file.agent,
            own_agent_id=entry.file.agent,
            workflow_run=None,
            parent=None if entry.parent is None else numbers[entry.parent],
        )
        for entry in entries
    ]
    facts = _Facts(entries)
    family = Family(
        nodes=nodes,
        session_ids=dict(enumerate(sessions)),
        source_ranks={source: source for source in range(len(paths))},
        logical=facts.logical(),
        sidecars=[
            Sidecar(file.session, str(file.agent), paths.index(file.path), call, called)
            for file, (call, called) in recorded.sidecars.items()
        ],
        calls=facts.calls(),
        outcomes=facts.namings("ru"),
        mentions=facts.mentions(),
        progress=facts.namings("p"),
        answers_of=facts.holders("ru"),
        calls_of=facts.holders("a"),
    )
    drawn = outline(family)
    return drawn, facts.words(drawn.agent_prompts())


def _instants(entries: Iterable[Entry]) -> dict[str, int]:
    """Milliseconds; an entry without a timestamp has that of the nearest earlier in its file, else of a later one."""
    found: dict[str, int] = {}
    files: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        files[entry.file.path].append(entry)
    for group in files.values():
        held = next((entry.at for entry in group if entry.at is not None), -EPOCH / 1000)
        for entry in group:
            held = held if entry.at is None else entry.at
            found[entry.name] = EPOCH + round(held * 1000)
    return found


def _unseen(recorded: Recorded) -> list[str]:
    """Parents that no file has."""
    entries = recorded.entries
    return sorted({entry.parent for entry in entries.values() if entry.parent and entry.parent not in entries})


class _Facts:
    """What a family is told besides its nodes, by their places in time."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = list(enumerate(entries))
        self._place = {entry.name: place for place, entry in self._entries}

    def logical(self) -> dict[int, tuple[int, ...]]:
        named = {
            place: tuple(self._place[name] for name in entry.logical if name in self._place)
            for place, entry in self._entries
        }
        return {place: targets for place, targets in named.items() if targets}

    def calls(self) -> list[Call]:
        return [
            Call(place, call.id, entry.text, call.called)
            for place, entry in self._entries
            for call in entry.calls
            if entry.letter == "a" and call.tool in AGENT_TOOLS
        ]

    def namings(self, letters: str) -> list[Naming]:
        return [
            Naming(place, entry.agent, tuple(call.id for call in entry.calls))
            for place, entry in self._entries
            if entry.agent is not None and entry.letter in letters
        ]

    def mentions(self) -> list[Naming]:
        return [
            Naming(place, entry.text.removeprefix(MENTION), (call.id,))
            for place, entry in self._entries
            for call in entry.calls
            if entry.letter == "r" and entry.text.startswith(MENTION)
        ]

    def holders(self, letters: str) -> dict[str, tuple[int, ...]]:
        found: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for place, entry in self._entries:
            if entry.letter in letters:
                for call in entry.calls:
                    found[call.id][place] = None
        return {call: tuple(places) for call, places in found.items()}

    def words(self, agent_prompts: Mapping[int, Sequence[int]]) -> Words:
        texts = {place: entry.text for place, entry in self._entries if entry.letter in "uc"}
        return Words(
            uses={
                place: frozenset(call.id for call in entry.calls)
                for place, entry in self._entries
                if entry.letter == "a" and entry.calls
            },
            answers={
                place: tuple(call.id for call in entry.calls) for place, entry in self._entries if entry.letter == "r"
            },
            texts=texts,
            told={thread: next(filter(None, map(texts.get, own)), "") for thread, own in agent_prompts.items()},
        )
