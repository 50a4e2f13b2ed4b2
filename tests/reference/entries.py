"""Read the properties that the rules need from an entry's owner: kind, text, calls, results and flags."""

import re
from functools import cached_property
from typing import Any, NamedTuple

from .objects import Occurrence, as_object, as_text, is_set

Time = tuple[int, str, int]

_CAVEATS = ("<local-command-", "Caveat: The messages below")
_OUTPUTS = ("<local-command-", "<bash-stdout", "<bash-stderr")
_COMMANDS = ("<command-", "<bash-input", "<user-memory-input", *_CAVEATS, *_OUTPUTS)
_NOTIFICATIONS = ("<task-notification", "<bash-notification", "<agent-notification")
_NOT_TYPED = (
    *_CAVEATS,
    *_OUTPUTS,
    *_NOTIFICATIONS,
    "[Request interrupted by user",
    "<teammate-message",
    "<system-reminder",
    "<fork-boilerplate",
    "Unknown skill: ",
    "Unknown slash command: ",
)
_IDE_BLOCK = re.compile(r"<(ide_[^>\s]*)>.*?</\1>", re.DOTALL)
_AGENT_LINE = re.compile(r"^agentId: (\S+)", re.MULTILINE)
SYNTHETIC = "<synthetic>"


class Use(NamedTuple):
    """A tool call."""

    id: str | None
    name: str | None
    input: dict[str, Any]


class Result(NamedTuple):
    """A tool result."""

    id: str | None
    text: str
    is_error: bool

    @property
    def agents(self) -> list[str]:
        """The ids in the `agentId:` lines of the text."""
        return _AGENT_LINE.findall(self.text)


class Entry:
    """An entry with its owner's content (rule: entry_kind, entry_text, command_prompt, typed_prompt, quiet_entry)."""

    def __init__(self, owner: Occurrence) -> None:
        self.owner = owner
        self.value = owner.value
        self.uuid = owner.uuid or ""
        self.session = owner.session
        self.seq = owner.seq
        self.instant = owner.instant
        self.time: Time = owner.time
        self.recorded_parent = as_text(self.value.get("parentUuid"))
        self.logical_parent = as_text(self.value.get("logicalParentUuid"))
        self.agent_id = as_text(self.value.get("agentId"))
        self.type = as_text(self.value.get("type"))
        self.subtype = as_text(self.value.get("subtype"))
        self.stamp = as_text(self.value.get("timestamp"))

    @cached_property
    def blocks(self) -> list[dict[str, Any]]:
        """The content blocks. Plain strings in a list of blocks are ignored."""
        message = self.value.get("message")
        return _blocks(message.get("content") if isinstance(message, dict) else message)

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
        return _text(self.blocks)

    @cached_property
    def _own_text(self) -> str:
        """The text that decides whether a prompt is typed and whether it is a command."""
        message = self.value.get("message")
        has_content = bool(message.get("content") if isinstance(message, dict) else message)
        return self.text if has_content else _text(_blocks(self.value.get("content")))

    @cached_property
    def uses(self) -> list[Use]:
        found = [block for block in self.blocks if block.get("type") == "tool_use"]
        return [
            Use(as_text(block.get("id")), as_text(block.get("name")), as_object(block.get("input"))) for block in found
        ]

    @cached_property
    def results(self) -> list[Result]:
        found = [block for block in self.blocks if block.get("type") == "tool_result"]
        return [
            Result(as_text(block.get("tool_use_id")), _result_text(block.get("content")), is_set(block.get("is_error")))
            for block in found
        ]

    @cached_property
    def use_ids(self) -> set[str]:
        """The ids of the calls that the entry makes; empty unless it is an assistant entry."""
        return {use.id for use in self.uses if use.id} if self.kind == "assistant" else set()

    @cached_property
    def result_ids(self) -> set[str]:
        """The ids of the calls that the entry answers; empty unless it is a user entry."""
        return {result.id for result in self.results if result.id} if self.is_user else set()

    @cached_property
    def answered(self) -> frozenset[str | None]:
        """The call ids of all result blocks, with None for a block without an id."""
        return frozenset(result.id for result in self.results)

    @property
    def is_user(self) -> bool:
        return self.kind in ("prompt", "result")

    @cached_property
    def is_command(self) -> bool:
        return self.kind == "prompt" and self._own_text.lstrip().startswith(_COMMANDS)

    @property
    def has_image(self) -> bool:
        return any(block.get("type") == "image" for block in self.blocks)

    @property
    def is_caveat(self) -> bool:
        return self.kind == "prompt" and self._own_text.lstrip().startswith(_CAVEATS)

    @cached_property
    def is_talk(self) -> bool:
        return self.kind in ("prompt", "result", "assistant") and not self.is_command

    @cached_property
    def is_typed(self) -> bool:
        """Whether a person typed the entry: a prompt, or text queued while Claude was working (rule: queued_prompt)."""
        return self.is_typed_prompt or self._is_queued_by_person

    @cached_property
    def is_typed_prompt(self) -> bool:
        is_injected = self.flag("isMeta") or self.flag("isCompactSummary") or self.type == "compact_recap"
        if self.kind != "prompt" or is_injected or self._own_text.lstrip().startswith(_NOT_TYPED):
            return False
        rest, ide_blocks = _IDE_BLOCK.subn("", self._own_text)
        is_ide_only = ide_blocks > 0 and not rest.strip() and not self.has_image
        is_results_only = bool(self.results) and not self._own_text
        return not is_ide_only and not is_results_only

    @property
    def typed_text(self) -> str:
        """The text that a person typed: the text of a prompt, or queued text."""
        return self._queued_text if self._is_queued_by_person else self.text

    @property
    def _queued_text(self) -> str:
        return _text(_blocks(as_object(self.value.get("attachment")).get("prompt")))

    @property
    def _is_queued_by_person(self) -> bool:
        attachment = as_object(self.value.get("attachment"))
        if self.type != "attachment" or attachment.get("type") != "queued_command":
            return False
        origin = as_object(attachment.get("origin")).get("kind")
        if origin is not None:
            return bool(origin == "human")
        is_notification = attachment.get("commandMode") == "task-notification"
        return not is_notification and not self._queued_text.lstrip().startswith(_NOTIFICATIONS)

    @property
    def is_synthetic(self) -> bool:
        return self.kind == "assistant" and as_object(self.value.get("message")).get("model") == SYNTHETIC

    @cached_property
    def is_quiet(self) -> bool:
        """Whether the entry is a side entry, a command, a prompt that nobody typed, or a synthetic answer."""
        is_untyped = self.kind == "prompt" and not self.is_typed_prompt
        return self.kind == "side" or self.is_command or is_untyped or self.is_synthetic

    @cached_property
    def response(self) -> str | None:
        """The id of the response that an assistant entry belongs to (rule: synthetic_entry, response_identity)."""
        if self.kind != "assistant" or self.is_synthetic:
            return None
        return as_text(as_object(self.value.get("message")).get("id"))

    @cached_property
    def texts(self) -> set[str]:
        """The texts by which assistant entries are compared: non-empty text blocks, but not string content."""
        content = as_object(self.value.get("message")).get("content")
        blocks = _blocks(content) if isinstance(content, list) else []
        return {text for block in blocks if block.get("type") == "text" and (text := as_text(block.get("text")))}

    @property
    def spawns(self) -> list[Use]:
        """The calls that start an agent."""
        return [use for use in self.uses if use.name in ("Task", "Agent")] if self.kind == "assistant" else []

    @property
    def outcome(self) -> dict[str, Any]:
        return as_object(self.value.get("toolUseResult")) if self.is_user else {}

    def flag(self, key: str) -> bool:
        return is_set(self.value.get(key))

    def agents_named(self, *, in_trunk: bool) -> set[str]:
        """Return the agent ids that a tool result records. The entry's own `agentId` counts only in a trunk."""
        if not self.results or not self.is_user:
            return set()
        named = [as_text(self.outcome.get("agentId")), as_text(self.outcome.get("agent_id"))]
        return {name for name in [*named, self.agent_id if in_trunk else None] if name}


def _blocks(content: Any) -> list[dict[str, Any]]:
    """Convert content to a list of blocks. A string becomes one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(blocks: list[dict[str, Any]]) -> str:
    texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if text)


def _result_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = [as_text(block.get("text")) for block in _blocks(content)]
    return "\n".join(text for text in texts if text)
