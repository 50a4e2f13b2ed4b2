"""Which kind an entry is, and whether a person typed it: the only place that knows Claude Code's type names."""

from ccindex.model.facts import Content

_USER_TYPES = frozenset({"user", "tool_result", "human", "compact_recap"})
_RESULT_TYPES = frozenset({"user", "tool_result"})
_COMMANDS = ("<command-", "<bash-input")
_OUTPUTS = ("<local-command-", "<bash-stdout", "<bash-stderr", "Caveat: The messages below")
_NOT_TYPED = ("[Request interrupted by user", "<task-notification")


def kind_of(type_: str | None, subtype: str | None, content: Content) -> str:
    """Classify once: assistant, result, prompt, boundary or side."""
    if type_ == "assistant":
        return "assistant"
    if type_ in _USER_TYPES:
        only_results = content.results and len(content.results) == len(content.blocks)
        return "result" if only_results and type_ in _RESULT_TYPES else "prompt"
    if type_ == "compact_prelude" or (type_ == "system" and subtype == "compact_boundary"):
        return "boundary"
    return "side"


def is_command(kind: str, text: str) -> bool:
    """A slash or shell command, its caveat or its output."""
    return kind == "prompt" and text.startswith(_COMMANDS + _OUTPUTS)


def is_typed(kind: str, text: str, *, is_injected: bool) -> bool:
    """A prompt that a person typed; `is_injected`: meta, or a compaction's summary."""
    return kind == "prompt" and not is_injected and not text.startswith(_OUTPUTS + _NOT_TYPED)
