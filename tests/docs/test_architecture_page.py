"""Tests that the files, functions and imports mentioned in docs/architecture.md and docs/contributing.md exist."""

import ast
import re
from pathlib import Path

import pytest

from ccindex.model.tables import TABLES
from tests.docs.pages import inline_code, read, section
from tests.making.folders import ROOT
from tests.making.import_table import IMPORTS

PAGES = ["docs/architecture.md", "docs/contributing.md"]
FOLDERS = "ccindex sql scripts tests docs migrations .github .ci".split()
# files that a recipe tells the reader to create
EXAMPLES = re.compile(r"NAME|NNNN")
_PATH = re.compile(rf"(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./-]+|\.?[\w-]+\.(?:toml|yaml|md)")
_NAMED = re.compile(r"((?:`[\w.]+`(?:, | and |, and ))*`[\w.]+`) in `([\w/.-]+\.py)`")


def paths_in(page: str) -> list[str]:
    """Return the paths in a page's inline code, except paths of files that a recipe tells the reader to create."""
    return [code for code in inline_code(read(page)) if _PATH.fullmatch(code) and not EXAMPLES.search(code)]


def named_definitions(page: str) -> list[tuple[str, str]]:
    """Return (path, name) for everything that a page describes as "`name` in `path`"."""
    text = " ".join(read(page).split())
    matches = _NAMED.findall(text)
    return [(path, name) for names, path in matches for name in re.findall(r"`([\w.]+)`", names)]


def definitions(path: Path) -> set[str]:
    """Return the functions, classes, methods and constants of a module."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    paths = paths_in(page)
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_function_exists_in_its_file(page: str) -> None:
    named = named_definitions(page)
    assert named
    assert [(path, name) for path, name in named if name not in definitions(ROOT / path)] == []


def test_package_table_agrees_with_the_import_table() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]*\|[^|]*\|([^|]*)\|([^|]*)\|$", section(read(PAGES[0]), "## Packages"), re.MULTILINE
    )
    documented = {package: (set(inline_code(ours)), set(inline_code(libraries))) for package, ours, libraries in rows}
    assert documented == {package: tuple(allowed) for package, allowed in IMPORTS.items()}


def test_diagram_shows_only_existing_tables() -> None:
    names = re.findall(r'class="name"[^>]*>(\w+)<', read("docs/pictures/tables.svg"))
    assert names
    assert set(names) <= set(TABLES)
