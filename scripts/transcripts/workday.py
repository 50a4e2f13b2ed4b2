"""Generate a working day's sessions, with prompts, tool calls, subagents, rewinds, compactions and resumed sessions."""

import json
import random
from collections.abc import Iterator

from .entries import EntryMaker
from .session_builder import SessionBuilder

_SECONDS_BETWEEN_SESSIONS = 1_800.0
_TURNS_PER_COMPACTION = 12
_MAX_COPIED_ENTRIES = 60  # copied from a session to the session that resumes it


def workday(make: EntryMaker, size: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the files of `size` sessions. About one in eight resumes the previous session."""
    rng = random.Random(make.seed)  # noqa: S311 - must be reproducible
    previous: SessionBuilder | None = None
    for number in range(size):
        session = SessionBuilder(make, rng, f"day{number}", number * _SECONDS_BETWEEN_SESSIONS)
        if previous is not None and rng.random() < 0.125:
            _resume(session, previous)
        else:
            session.add_snapshot()
        _add_turns(session, count=1 + int(rng.lognormvariate(1.0, 0.8)))
        yield from _files(session)
        previous = session


def one_session(make: EntryMaker, name: str, *, min_chars: int, start: float = 0.0) -> Iterator[tuple[str, list[str]]]:
    """Yield the files of one session, which has at least `min_chars` characters and begins at second `start`."""
    session = SessionBuilder(make, random.Random(f"{make.seed}/{name}"), name, start)  # noqa: S311 - must be reproducible
    session.add_snapshot()
    while session.size < min_chars:
        _add_turns(session, count=1)
    yield from _files(session)


def _add_turns(session: SessionBuilder, *, count: int) -> None:
    """Add turns with random tool calls, subagents, rewinds and compactions."""
    ends = [session.last] if session.last is not None else []
    for turn in range(1, count + 1):
        if len(ends) > 1 and session.rng.random() < 0.06:
            session.last = session.rng.choice(ends[:-1])  # a rewind: the next prompt continues from an earlier turn
        session.add_prompt()
        for _ in range(int(session.rng.lognormvariate(0.9, 0.9))):
            session.add_tool_calls()
            if session.rng.random() < 0.04:
                session.add_subagent()
        session.add_answer()
        session.add_turn_duration()
        if session.last is not None:
            ends.append(session.last)
        if turn % _TURNS_PER_COMPACTION == 0:
            session.add_compaction()
            ends = []


def _resume(session: SessionBuilder, previous: SessionBuilder) -> None:
    """Start a session with copies of the previous session's entries, as older versions of Claude Code do."""
    old, new = (f'"sessionId":"{session.make.uuid(name)}"' for name in (previous.session, session.session))
    entries = [line.replace(old, new) for line in previous.lines if '"uuid"' in line]
    session.lines += entries[-_MAX_COPIED_ENTRIES:]
    session.last = previous.last


def _files(session: SessionBuilder) -> Iterator[tuple[str, list[str]]]:
    make = session.make
    yield make.session_file(session.session), session.lines
    for agent in session.agents:
        yield make.agent_file(session.session, agent.name), agent.lines
        yield make.agent_file(session.session, agent.name, "meta.json"), [json.dumps(agent.sidecar)]
