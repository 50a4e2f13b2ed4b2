"""Which kind an entry is, and what a person would call it: the only place that knows Claude Code's type names."""

from ccindex.model.facts import Content

from .notices import is_notification

_USER_TYPES = frozenset({"user", "tool_result", "human", "compact_recap"})
_RESULT_TYPES = frozenset({"user", "tool_result"})
_COMMANDS = ("<command-", "<bash-input")
_OUTPUTS = ("<local-command-", "<bash-stdout", "<bash-stderr", "Caveat: The messages below")
_INTERRUPT = "[Request interrupted by user"
# how a prompt's words begin: what they are; the first that fits
_FORMS = (
    ("<command-", "slash_command"),
    ("<bash-input", "shell_command"),
    ("<local-command-caveat", "caveat"),
    ("Caveat: The messages below", "caveat"),
    ("<local-command-", "command_output"),
    ("<bash-stdout", "command_output"),
    ("<bash-stderr", "command_output"),
    (_INTERRUPT, "interrupt"),
    ("<teammate-message", "teammate_message"),
)
_REFUSALS = (
    (_INTERRUPT, "interrupt"),
    ("The user doesn't want to proceed with this tool use", "rejection"),
    ("The user doesn't want to take this action", "rejection"),
)


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


def is_command(prompt: str) -> bool:
    """A slash or shell command, its caveat or its output."""
    return prompt.startswith(_COMMANDS + _OUTPUTS)


def is_typed(prompt: str, *, is_injected: bool) -> bool:
    """A prompt that a person typed; `is_injected`: meta, or a compaction's summary."""
    return not (is_injected or prompt.startswith((*_OUTPUTS, _INTERRUPT)) or is_notification(prompt))


def form_of(kind: str, subtype: str | None, text: str, *, is_meta: bool, is_summary: bool) -> str | None:
    """Say what a prompt, a result or a side entry is to a person; None: nothing more than its kind."""
    if is_notification(text):
        return "notification"
    if kind == "prompt":
        return "compact_summary" if is_summary else _begun(text, _FORMS) or ("injected" if is_meta else "typed")
    if kind == "result":
        return _begun(text, _REFUSALS)
    if kind == "side" and subtype == "local_command":
        return "command_output" if text.startswith(_OUTPUTS) else "local_command"
    return "hook" if kind == "side" and "hook" in (subtype or "") else None


def _begun(text: str, forms: tuple[tuple[str, str], ...]) -> str | None:
    return next((form for start, form in forms if text.startswith(start)), None)
