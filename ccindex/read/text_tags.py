"""Remove the tags that Claude Code and editors add to the text that a person typed."""

import re
from typing import NamedTuple

_IDE = re.compile(r"\s*<(ide_[^>\s]*)>.*?</\1>\s*", re.DOTALL)
_CONTEXT = re.compile(r"\s*<(ide_[^>\s]*|system-reminder)>(.*?)</\1>\s*", re.DOTALL)
_TEAMMATE = re.compile(r'\s*<teammate-message\b[^>]*?\bteammate_id="([^"]*)"[^>]*>')
_MAX_TAG_CHARS = 1_000
_OUTPUT = re.compile(r"</?(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>")
_TAGGED = ("<command-", "<bash-input>", "<task-notification", "<bash-notification", "<agent-notification")


class PromptParts(NamedTuple):
    """The context blocks at the start of a prompt, and the text that the person typed."""

    contexts: tuple[str, ...]
    text: str


def is_ide_context(prompt: str) -> bool:
    """Return whether a prompt consists only of `<ide_…>` blocks."""
    position = 0
    while match := _IDE.match(prompt, position):
        position = match.end()
    return position == len(prompt)


def split_editor_context(prompt: str) -> PromptParts:
    """Split leading `<ide_…>` and `<system-reminder>` blocks from the rest of a prompt."""
    contexts, position = [], 0
    while match := _CONTEXT.match(prompt, position):
        contexts.append(match[2].strip())
        position = match.end()
    return PromptParts(tuple(filter(None, contexts)), prompt[position:])


def strip_tags(text: str) -> str:
    """Return the readable part of a text, such as a command, the summary of a notification, or a prompt."""
    if text.lstrip().startswith(_TAGGED):
        if shell := element_text(text, "bash-input"):
            return f"! {shell}"
        command = " ".join(filter(None, (element_text(text, "command-name"), element_text(text, "command-args"))))
        return command or element_text(text, "summary") or text
    if match := _TEAMMATE.match(text[:_MAX_TAG_CHARS]):
        return text[match.end() :].removesuffix("</teammate-message>").strip()
    if _OUTPUT.match(text):
        return _OUTPUT.sub("", text).strip()
    return split_editor_context(text).text or text


def element_text(text: str, tag: str) -> str | None:
    """Return the text of the first element with the given tag, or None if there is no such element."""
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start)
    return text[start + len(tag) + 2 : end].strip() if 0 <= start < end else None


def teammate_sender(text: str) -> str | None:
    """Return the sender of a teammate message, or None for any other text."""
    match = _TEAMMATE.match(text[:_MAX_TAG_CHARS])
    return match[1] if match else None
