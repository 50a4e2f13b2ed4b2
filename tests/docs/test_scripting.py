"""Tests that JSON documents have the keys that docs/scripting.md lists."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import code_blocks, read, section
from tests.making.command_tree import LEAVES
from tests.making.folders import ROOT, SAMPLE
from tests.making.indexes import ask, index

DOCUMENTS = section(read("docs/scripting.md"), "## JSON documents")
DOCUMENTED = re.findall(r"^### (.+)$", DOCUMENTS, re.MULTILINE)
ARGUMENTS = {
    "paths": ["--session", "51ea"],
    "show": ["0c46"],
    "explain": ["2cb4"],
    "graph": ["tree", "51ea"],
    "search": ["quince"],
    "export": ["--session", "51ea", "--out", "pages"],
    "restore": ["--out", "restored"],
    "sql": ["select 1"],
    "forget": ["--session", "51ea", "--dry-run"],
}


@pytest.fixture(scope="module")
def sample_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the sample and an index of it, x.db."""
    folder = tmp_path_factory.mktemp("scripting")
    index(folder / "x.db", Path(shutil.copytree(SAMPLE, folder / "sample")))
    return folder


def test_every_command_has_a_documented_json_shape() -> None:
    assert sorted(DOCUMENTED) == sorted(" ".join(words) for words in LEAVES)


@pytest.mark.parametrize("command", DOCUMENTED)
def test_document_has_the_listed_keys(command: str, sample_copy: Path) -> None:
    [block] = code_blocks(section(DOCUMENTS, f"### {command}"), "jsonc")
    without_comments = re.sub(r"//.*", "", block)
    listed = set(re.findall(r'"(\w+)"', without_comments))
    for view in re.findall(r"columns of (\w+)", without_comments):
        listed |= {column[1] for column in ask(sample_copy / "x.db", f"pragma table_info({view})")}
    arguments = ["sample"] if command == "ingest" else ARGUMENTS.get(command, [])
    process = subprocess.run(
        [sys.executable, "-m", "ccindex", *command.split(), *arguments, "--json", "--db", "x.db"],
        cwd=sample_copy,
        env={"PYTHONPATH": str(ROOT), "HOME": str(sample_copy)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert keys(json.loads(process.stdout)) == listed


def keys(document: dict[str, Any]) -> set[str]:
    """Return the keys of a document and of the objects that it contains directly or in a list."""
    inner = [item for value in document.values() for item in (value if isinstance(value, list) else [value])]
    return set(document).union(*(item for item in inner if isinstance(item, dict)))
