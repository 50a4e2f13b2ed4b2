"""A strict parser for the subset of DOT that ccindex writes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# a backslash escapes the next character, whatever it is
_TOKEN = re.compile(r'"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f])*"|->|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[{}\[\]=,;]')

Attributes = dict[str, str]


@dataclass
class DotGraph:
    """A graph; its names include the quotes."""

    name: str
    nodes: dict[str, Attributes] = field(default_factory=dict)
    edges: dict[tuple[str, str], Attributes] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)


def parse_dot(lines: list[str]) -> DotGraph:
    """Parse a graph; fail on repeated nodes, edges or clusters, unterminated statements and unclosed braces."""
    tokens = _Tokens(lines)
    tokens.expect("digraph")
    drawn = DotGraph(tokens.quoted())
    tokens.expect("{")
    while tokens.left[-1] != "}":
        if tokens.left[-1] == "subgraph":
            _cluster(tokens, drawn)
        else:
            _statement(tokens, drawn, "")
    tokens.expect("}")
    assert not tokens.left
    return drawn


def _cluster(tokens: "_Tokens", drawn: DotGraph) -> None:
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


def _statement(tokens: "_Tokens", drawn: DotGraph, cluster: str) -> None:
    if tokens.left[-1] in ("node", "edge"):
        tokens.left.pop()
        assert tokens.attributes()
        return
    name = tokens.quoted()
    if tokens.left[-1] == "->":
        tokens.expect("->")
        pair = (name, tokens.quoted())
        assert pair not in drawn.edges
        drawn.edges[pair] = tokens.attributes()
        return
    assert name not in drawn.nodes
    drawn.nodes[name] = tokens.attributes()
    drawn.members[name] = cluster


class _Tokens:
    """The remaining tokens, in reverse order."""

    def __init__(self, lines: list[str]) -> None:
        self.left = list(_split(lines))[::-1]

    def expect(self, *tokens: str) -> None:
        for token in tokens:
            assert self.left.pop() == token

    def quoted(self) -> str:
        assert self.left[-1].startswith('"')
        return self.left.pop()

    def attributes(self) -> Attributes:
        """Parse the attributes in brackets, if any, and the end of the statement."""
        attributes: Attributes = {}
        while self.left[-1] == ("," if attributes else "["):
            self.left.pop()
            key = self.left.pop()
            self.expect("=")
            attributes[key] = self.left.pop()
        if attributes:
            self.expect("]")
        self.expect(";")
        return attributes


def _split(lines: list[str]) -> Iterator[str]:
    for text in lines:
        assert "\n" not in text
        remaining = "" if text.startswith("//") else text.strip()
        while remaining:
            token = _TOKEN.match(remaining)
            assert token, f"not a DOT token: {remaining!r}"
            yield token.group()
            remaining = remaining[token.end() :].lstrip(" ")
