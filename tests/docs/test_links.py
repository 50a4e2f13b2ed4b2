"""Tests that links and anchors resolve, and that every document mentioned in a file exists."""

import os
import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, README, anchors, links, page_name, read
from tests.making.folders import ROOT

LINKED_PAGES = [
    *PAGES,
    ROOT / "CHANGELOG.md",
    ROOT / "tests" / "conformance" / "README.md",
    *sorted((ROOT / ".github").glob("*.md")),
]
DOCUMENT = re.compile(r"\b[A-Z]{3,}\.md\b")
CLAUDE_CODE_DOCUMENTS = {"CLAUDE.md", "MEMORY.md"}
IGNORED_FOLDERS = re.compile(r"\.git|\.venv.*|\..*_cache|\.hypothesis|__pycache__|build|dist|.*\.egg-info")


def is_relative(target: str) -> bool:
    return re.match(r"[a-z]+:", target) is None


def resolve(page: Path, target: str) -> tuple[Path, str]:
    """Return the file and the anchor that a relative link on a page points to."""
    name, _, anchor = target.partition("#")
    return ((page.parent / name).resolve() if name else page), anchor


def problem_of(page: Path, target: str) -> str | None:
    """Return what is wrong with a relative link, or None if its file and its anchor exist."""
    file, anchor = resolve(page, target)
    if not file.exists():
        return f"{target}: no such file"
    if anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
        return f"{target}: no such heading"
    return None


@pytest.mark.parametrize("page", LINKED_PAGES, ids=page_name)
def test_relative_links_and_anchors_resolve(page: Path) -> None:
    targets = filter(is_relative, links(read(page)))
    assert [problem for target in targets if (problem := problem_of(page, target))] == []


def test_broken_links_are_detected() -> None:
    assert problem_of(README, "docs/nothing.md") == "docs/nothing.md: no such file"
    assert problem_of(README, "docs/tasks.md#nothing") == "docs/tasks.md#nothing: no such heading"
    assert problem_of(README, "docs/tasks.md#search") is None


def test_every_page_is_reachable_from_the_readme() -> None:
    reached = {README}
    pending = [README]
    while pending:
        page = pending.pop()
        targets = {resolve(page, target)[0] for target in filter(is_relative, links(read(page)))}
        found = {file for file in targets if file.suffix == ".md" and file.exists()} - reached
        reached |= found
        pending += found
    assert [page_name(page) for page in DOCS if page not in reached] == []


def test_every_document_that_a_file_mentions_exists() -> None:
    files = repository_files()
    known = {path.name for path in files} | CLAUDE_CODE_DOCUMENTS
    mentions = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        for match in DOCUMENT.finditer(path.read_text(encoding="utf-8", errors="ignore"))
        if match[0] not in known
    ]
    assert mentions == []


def repository_files() -> list[Path]:
    files: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not IGNORED_FOLDERS.fullmatch(name)]
        files += [Path(folder, name) for name in names]
    assert ROOT / "ccindex" / "errors.py" in files
    return [path for path in files if path.suffix not in {".png", ".svg", ".gif", ".zst", ".db"}]
