"""Branches of a retry are labelled differently from branches of a rewind."""

import json
from pathlib import Path

import pytest

from ccindex.graph.ladder import RUNG_NUMBERS
from tests.making.files import write
from tests.making.in_process import output_of
from tests.making.indexes import ask, index
from tests.making.transcripts import assistant, text_block, user


@pytest.fixture
def retried(db: Path, project: Path) -> Path:
    """Return an index with a prompt that was answered twice. Both conversations continue."""
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, text_block("first answer"), parent="u1"),
        user("u2", 2, "thanks", parent="a1"),
        assistant("a2", 3, text_block("you are welcome"), parent="u2"),
        assistant("b1", 4, text_block("second answer"), parent="u1"),
        user("u3", 5, "good", parent="b1"),
        assistant("b2", 6, text_block("glad to help"), parent="u3"),
    )
    index(db, project)
    return db


@pytest.fixture
def rewound(db: Path, project: Path) -> Path:
    """Return an index in which a person went back after an answer and asked something else."""
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, text_block("done"), parent="u1"),
        user("u2", 2, "and then", parent="a1"),
        assistant("a2", 3, text_block("that"), parent="u2"),
        user("u3", 4, "or rather", parent="a1"),
        assistant("a3", 5, text_block("this"), parent="u3"),
    )
    index(db, project)
    return db


def pages(db: Path, folder: Path) -> dict[str, str]:
    """Return the output of every command that shows branches."""
    for form in ("markdown", "dot", "tree"):
        output_of(db, "export", "--session", "s1", "--format", form, "--out", str(folder / form))
    exported = {
        form: "\n".join(path.read_text(encoding="utf-8") for path in sorted((folder / form).iterdir()))
        for form in ("markdown", "dot", "tree")
    }
    return exported | {"show": output_of(db, "show", "s1"), "explain": output_of(db, "explain", ask(db, _FORK)[0][0])}


_FORK = "select uuid from v1_forks where verdict in ('rewind', 'retry')"


def test_branches_of_a_retry_are_labelled_answered_again(retried: Path, tmp_path: Path) -> None:
    assert ask(retried, "select verdict from v1_forks") == [("retry",)]
    assert ask(retried, "select distinct kind from v1_junctions") == [("retry",)]
    outputs = pages(retried, tmp_path)
    for name, page in outputs.items():
        assert "answered again" in page.lower(), name
        assert "rewound" not in page, name
        assert name == "explain" or "branch" not in page.lower(), name
    assert "Answered again • a1 • first answer (3 entries, abandoned)" in outputs["show"]
    assert "== Answered again • b1 • second answer" in outputs["show"]
    document = json.loads(output_of(retried, "explain", "u1", "--json"))
    assert [ruling["verdict"] for ruling in document["rulings"]] == ["retry"]


def test_branches_of_a_rewind_are_not_labelled_answered_again(rewound: Path, tmp_path: Path) -> None:
    outputs = pages(rewound, tmp_path)
    for name, page in outputs.items():
        assert "answered again" not in page.lower(), name
    assert f"rung {RUNG_NUMBERS['rewind']} (rewound)" in outputs["explain"]
    assert "Branch • u2 • and then (2 entries, abandoned)" in outputs["show"]
