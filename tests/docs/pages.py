"""Read documentation pages: code blocks, sections, links and anchors."""

import re
from collections import Counter
from pathlib import Path

from tests.making.folders import ROOT

README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [README, *DOCS]

_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_INLINE_CODE = re.compile(r"`([^`\n]+)`")


def read(name: str | Path) -> str:
    """Return the text of the page at the given path, absolute or relative to the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def page_name(path: Path) -> str:
    """Return the path of a page relative to the repository, for use as a test id."""
    return path.relative_to(ROOT).as_posix()


def code_blocks(text: str, language: str) -> list[str]:
    """Return the fenced code blocks in the given language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def section(text: str, heading: str) -> str:
    """Return the text between a heading, given with its `#`s, and the next heading of the same or a higher level."""
    level = heading.index(" ")
    without_code = _blank_code(text)
    start = without_code.index(f"\n{heading}\n") + len(heading) + 2
    end = re.search(rf"^#{{1,{level}}} ", without_code[start:], re.MULTILINE)
    return text[start : start + end.start()] if end else text[start:]


def links(text: str) -> list[str]:
    """Return the targets of all links and images outside code."""
    return _LINK.findall(_INLINE_CODE.sub("", _FENCED.sub("", text)))


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub generates for a page's headings. Repeated headings get a number."""
    found: set[str] = set()
    uses: Counter[str] = Counter()
    for heading in re.findall(r"^#+ (.+)$", _FENCED.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip()
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(f"{slug}-{uses[slug]}" if uses[slug] else slug)
        uses[slug] += 1
    return found


def inline_code(text: str) -> list[str]:
    """Return all inline code outside code blocks."""
    return _INLINE_CODE.findall(_FENCED.sub("", text))


def _blank_code(text: str) -> str:
    """Return the text with code blocks blanked out, so that `# comments` in them are not taken for headings."""
    return _FENCED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
