"""Which kind an entry is, and what a person would call it: the only place that knows Claude Code's type names."""

from ccindex.model.facts import Content

from .notices import is_notification
from .tags import is_ide_context

_USER_TYPES = frozenset({"user", "tool_result", "human", "compact_recap"})
_RESULT_TYPES = frozenset({"user", "tool_result"})
_COMMANDS = ("<command-", "<bash-input", "<user-memory-input")
_CAVEATS = ("<local-command-", "Caveat: The messages below")
_OUTPUTS = ("<bash-stdout", "<bash-stderr", *_CAVEATS)
_INTERRUPT = "[Request interrupted by user"
_NOT_TYPED = (
    *_OUTPUTS,
    _INTERRUPT,
    "<teammate-message",
    "<system-reminder",
    "<fork-boilerplate",
    "Unknown skill: ",
    "Unknown slash command: ",
)
# how the text of a prompt begins: what it is; the first that fits
_FORMS = (
    ("<command-", "slash_command"),
    ("<bash-input", "shell_command"),
    ("<user-memory-input", "memory_note"),
    ("<local-command-caveat", "caveat"),
    ("Caveat: The messages below", "caveat"),
    ("<local-command-", "command_output"),
    ("<bash-stdout", "command_output"),
    ("<bash-stderr", "command_output"),
    (_INTERRUPT, "interrupt"),
    ("<teammate-message", "teammate_message"),
    ("<system-reminder", "injected"),
    ("<fork-boilerplate", "injected"),
    ("Unknown skill: ", "command_output"),
    ("Unknown slash command: ", "command_output"),
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


def is_command(text: str) -> bool:
    """Whether a prompt is a slash command, shell command or memory note, its caveat or its output."""
    return text.startswith(_COMMANDS + _OUTPUTS)


def is_typed(text: str, content: Content, *, is_injected: bool) -> bool:
    """Whether a person typed a prompt; `is_injected`: isMeta, or the summary of a compaction."""
    if is_injected or text.startswith(_NOT_TYPED) or is_notification(text):
        return False
    if content.results and not text:
        return False
    return not (text.startswith("<ide_") and is_ide_context(text) and not _has_image(content))


def _has_image(content: Content) -> bool:
    return any(block.type == "image" for block in content.blocks)


def form_of(kind: str, subtype: str | None, text: str, *, is_meta: bool, is_summary: bool) -> str | None:
    """Say what a prompt, a result or a side entry is to a person; None: nothing more than its kind."""
    if is_notification(text):
        return "notification"
    if kind == "prompt":
        return "compact_summary" if is_summary else _prompt_form(text, is_meta=is_meta)
    if kind == "result":
        return _begun(text, _REFUSALS)
    if kind == "side" and subtype == "local_command":
        return "command_output" if text.startswith(_OUTPUTS) else "local_command"
    return "hook" if kind == "side" and "hook" in (subtype or "") else None


def _prompt_form(text: str, *, is_meta: bool) -> str:
    if is_meta and text.startswith(_CAVEATS):
        return "caveat"
    return _begun(text, _FORMS) or ("injected" if is_meta else "typed")


def _begun(text: str, forms: tuple[tuple[str, str], ...]) -> str | None:
    return next((form for start, form in forms if text.startswith(start)), None)
