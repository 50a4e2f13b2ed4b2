"""Tags that Claude Code and editors put around or before a person's words."""

import re
from typing import NamedTuple

_IDE = re.compile(r"\s*<(ide_[^>\s]*)>.*?</\1>\s*", re.DOTALL)
_CONTEXT = re.compile(r"\s*<(ide_[^>\s]*|system-reminder)>(.*?)</\1>\s*", re.DOTALL)
_TEAMMATE = re.compile(r'\s*<teammate-message\b[^>]*?\bteammate_id="([^"]*)"[^>]*>')
_HEAD = 1_000  # characters that a tag may take
_OUTPUT = re.compile(r"</?(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>")
_TAGGED = ("<command-", "<bash-input>", "<task-notification", "<bash-notification", "<agent-notification")


class Parted(NamedTuple):
    """A prompt: the context that an editor put before the words, and the words."""

    contexts: tuple[str, ...]
    words: str


def is_ide_context(prompt: str) -> bool:
    """Whether a prompt consists of `<ide_…>` blocks only."""
    place = 0
    while found := _IDE.match(prompt, place):
        place = found.end()
    return place == len(prompt)


def part_context(prompt: str) -> Parted:
    """Separate leading `<ide_…>` and `<system-reminder>` blocks from the words of a prompt."""
    contexts, place = [], 0
    while found := _CONTEXT.match(prompt, place):
        contexts.append(found[2].strip())
        place = found.end()
    return Parted(tuple(filter(None, contexts)), prompt[place:])


def plain_words(text: str) -> str:
    """Return a text without its tags: a command as it was typed, output and prompts as they are."""
    if text.lstrip().startswith(_TAGGED):
        if shell := within(text, "bash-input"):
            return f"! {shell}"
        command = " ".join(filter(None, (within(text, "command-name"), within(text, "command-args"))))
        return command or within(text, "summary") or text
    if found := _TEAMMATE.match(text[:_HEAD]):
        return text[found.end() :].removesuffix("</teammate-message>").strip()
    if _OUTPUT.match(text):
        return _OUTPUT.sub("", text).strip()
    return part_context(text).words or text


def within(text: str, tag: str) -> str | None:
    """Return what the first element of that name holds; None: there is none."""
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start)
    return text[start + len(tag) + 2 : end].strip() if 0 <= start < end else None


def teammate_in(text: str) -> str | None:
    """Return the sender of a teammate's message."""
    found = _TEAMMATE.match(text[:_HEAD])
    return found[1] if found else None
