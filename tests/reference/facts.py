"""The object that owns a uuid to the facts the rules ask for: kind, words, calls, results, flags."""

import re
from functools import cached_property
from typing import Any, NamedTuple

from .objects import Occurrence, is_set, table, word

Time = tuple[int, str, int]

_CAVEATS_AND_OUTPUTS = ("<local-command-", "Caveat: The messages below", "<bash-stdout", "<bash-stderr")
_COMMANDS = ("<command-", "<bash-input")
_NOT_TYPED = ("[Request interrupted by user", "<task-notification")
_AGENT_LINE = re.compile(r"^agentId: (\S+)", re.MULTILINE)


class Use(NamedTuple):
    """A call of a tool."""

    id: str | None
    name: str | None
    input: dict[str, Any]


class Result(NamedTuple):
    """An answer of a tool."""

    id: str | None
    text: str
    is_error: bool

    @property
    def agents(self) -> list[str]:
        """The agents that a line of the text names."""
        return _AGENT_LINE.findall(self.text)


class Entry:
    """A distinct uuid with the content of the copy that owns it."""

    def __init__(self, owner: Occurrence) -> None:
        self.owner = owner
        self.value = owner.value
        self.uuid = owner.uuid or ""
        self.session = owner.session
        self.seq = owner.seq
        self.instant = owner.instant
        self.time: Time = (owner.instant, *owner.seq)
        self.recorded_parent = word(self.value.get("parentUuid"))
        self.logical_parent = word(self.value.get("logicalParentUuid"))
        self.agent_id = word(self.value.get("agentId"))
        self.type = word(self.value.get("type"))
        self.subtype = word(self.value.get("subtype"))
        self.stamp = word(self.value.get("timestamp"))

    @cached_property
    def blocks(self) -> list[Any]:
        message = self.value.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        return content if isinstance(content, list) else []

    @cached_property
    def kind(self) -> str:
        if self.type == "assistant":
            return "assistant"
        if self.type in ("user", "tool_result", "human", "compact_recap"):
            only_results = self.results and len(self.results) == len(self.blocks)
            return "result" if only_results and self.type in ("user", "tool_result") else "prompt"
        if (self.type, self.subtype) == ("system", "compact_boundary") or self.type == "compact_prelude":
            return "boundary"
        return "side"

    @cached_property
    def text(self) -> str:
        texts = [word(table(block).get("text")) for block in self.blocks if table(block).get("type") == "text"]
        return "\n".join(text for text in texts if text)

    @cached_property
    def uses(self) -> list[Use]:
        found = [block for block in self.blocks if table(block).get("type") == "tool_use"]
        return [Use(word(block.get("id")), word(block.get("name")), table(block.get("input"))) for block in found]

    @cached_property
    def results(self) -> list[Result]:
        found = [block for block in self.blocks if table(block).get("type") == "tool_result"]
        return [
            Result(word(block.get("tool_use_id")), _result_text(block.get("content")), is_set(block.get("is_error")))
            for block in found
        ]

    @property
    def use_ids(self) -> set[str | None]:
        return {use.id for use in self.uses}

    @property
    def result_ids(self) -> set[str | None]:
        return {result.id for result in self.results}

    @property
    def is_user(self) -> bool:
        return self.kind in ("prompt", "result")

    @property
    def is_command(self) -> bool:
        return self.kind == "prompt" and self.text.startswith(_COMMANDS + _CAVEATS_AND_OUTPUTS)

    @property
    def is_talk(self) -> bool:
        return self.kind in ("prompt", "result", "assistant") and not self.is_command

    @property
    def is_typed(self) -> bool:
        injected = self.flag("isMeta") or self.flag("isCompactSummary") or self.type == "compact_recap"
        return self.kind == "prompt" and not injected and not self.text.startswith(_CAVEATS_AND_OUTPUTS + _NOT_TYPED)

    @property
    def spawns(self) -> list[Use]:
        return [use for use in self.uses if use.name in ("Task", "Agent")]

    @property
    def outcome(self) -> dict[str, Any]:
        return table(self.value.get("toolUseResult"))

    def flag(self, key: str) -> bool:
        return is_set(self.value.get(key))

    def agents_named(self, *, in_trunk: bool) -> set[str]:
        """The agents that the tool result of this entry names by its keys (5.2)."""
        if not self.results:
            return set()
        named = [word(self.outcome.get("agentId")), word(self.outcome.get("agent_id"))]
        return {name for name in [*named, self.agent_id if in_trunk else None] if name}


def _result_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(table(part)["text"] for part in parts if word(table(part).get("text")))
