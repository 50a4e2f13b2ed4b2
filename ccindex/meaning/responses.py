"""API responses out of the entries that recorded parts of them: each counted once, at its fullest."""

from collections.abc import Sequence
from typing import NamedTuple


class Usage(NamedTuple):
    """Tokens of one response."""

    input: int
    output: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int

    @property
    def all_input(self) -> int:
        """Everything the model read, which decides on long-context prices."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read


class Part(NamedTuple):
    """An entry that recorded a response, or a snapshot of it; None: not recorded."""

    entry: int
    session: int
    at: int
    is_sidechain: int
    model: str | None
    stop_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_creation_tokens: int | None
    cache_creation_5m_tokens: int | None
    cache_creation_1h_tokens: int | None
    cache_read_tokens: int | None


class Response(NamedTuple):
    """A response: the entry it belongs to, and what it took."""

    entry: int
    session: int
    at: int
    model: str | None
    entry_count: int
    usage: Usage
    is_final: int

    def at_home_of(self, other: "Response") -> "Response":
        """The same response, belonging to the entry of another: the one it took part in."""
        return self._replace(entry=other.entry, session=other.session, at=other.at)


def response_of(parts: Sequence[Part]) -> Response:
    """Put a response's parts, given by time, together."""
    first, *others = parts
    if not others:
        is_final = int(first.stop_reason is not None)
        return Response(first.entry, first.session, first.at, first.model, 1, _usage(first), is_final)
    home = next((part for part in parts if not part.is_sidechain), first)
    fullest, most = first, _count(first.output_tokens)
    for part in others:  # the greatest, and of several equal ones the last
        if (count := _count(part.output_tokens)) >= most:
            fullest, most = part, count
    is_final = int(any(part.stop_reason is not None for part in parts))
    model = next((part.model for part in (fullest, *reversed(parts)) if part.model is not None), None)
    return Response(home.entry, home.session, home.at, model, len(parts), _usage(fullest), is_final)


def _usage(part: Part) -> Usage:
    """Tokens as recorded; cache creation whose lifetime was not recorded is of the short kind."""
    long = _count(part.cache_creation_1h_tokens)
    short = max(_count(part.cache_creation_5m_tokens), _count(part.cache_creation_tokens) - long)
    return Usage(_count(part.input_tokens), _count(part.output_tokens), short, long, _count(part.cache_read_tokens))


def _count(tokens: int | None) -> int:
    return tokens if tokens is not None and tokens > 0 else 0
