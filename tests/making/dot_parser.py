"""A strict parser of the subset of DOT that ccindex writes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# a backslash escapes the next character, whatever it is
_TOKEN = re.compile(r'"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f])*"|->|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[{}\[\]=,;]')

Looks = dict[str, str]


@dataclass
class Drawn:
    """A graph; names include their quotes."""

    name: str
    nodes: dict[str, Looks] = field(default_factory=dict)
    edges: dict[tuple[str, str], Looks] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)


def parsed(lines: list[str]) -> Drawn:
    """Parse a graph: no node, edge or cluster twice, every statement ended, every brace closed."""
    tokens = _Tokens(lines)
    tokens.expect("digraph")
    drawn = Drawn(tokens.quoted())
    tokens.expect("{")
    while tokens.left[-1] != "}":
        if tokens.left[-1] == "subgraph":
            _cluster(tokens, drawn)
        else:
            _statement(tokens, drawn, "")
    tokens.expect("}")
    assert not tokens.left
    return drawn


def _cluster(tokens: "_Tokens", drawn: Drawn) -> None:
    tokens.expect("subgraph")
    name = tokens.quoted()
    assert name.startswith('"cluster_')
    assert name not in drawn.clusters
    tokens.expect("{", "label", "=")
    drawn.clusters[name] = tokens.quoted()
    tokens.expect(";", "color", "=")
    assert tokens.left.pop() in ("black", "grey")
    tokens.expect(";")
    while tokens.left[-1] != "}":
        _statement(tokens, drawn, name)
    tokens.expect("}")


def _statement(tokens: "_Tokens", drawn: Drawn, cluster: str) -> None:
    if tokens.left[-1] in ("node", "edge"):
        tokens.left.pop()
        assert tokens.looks()
        return
    name = tokens.quoted()
    if tokens.left[-1] == "->":
        tokens.expect("->")
        pair = (name, tokens.quoted())
        assert pair not in drawn.edges
        drawn.edges[pair] = tokens.looks()
        return
    assert name not in drawn.nodes
    drawn.nodes[name] = tokens.looks()
    drawn.members[name] = cluster


class _Tokens:
    """The remaining tokens, in reverse order."""

    def __init__(self, lines: list[str]) -> None:
        self.left = list(_split(lines))[::-1]

    def expect(self, *wanted: str) -> None:
        for token in wanted:
            assert self.left.pop() == token

    def quoted(self) -> str:
        assert self.left[-1].startswith('"')
        return self.left.pop()

    def looks(self) -> Looks:
        """Attributes in brackets, if any, and the end of the statement."""
        found: Looks = {}
        while self.left[-1] == ("," if found else "["):
            self.left.pop()
            key = self.left.pop()
            self.expect("=")
            found[key] = self.left.pop()
        if found:
            self.expect("]")
        self.expect(";")
        return found


def _split(lines: list[str]) -> Iterator[str]:
    for text in lines:
        assert "\n" not in text
        rest = "" if text.startswith("//") else text.strip()
        while rest:
            found = _TOKEN.match(rest)
            assert found, f"no token of DOT: {rest!r}"
            yield found.group()
            rest = rest[found.end() :].lstrip(" ")
