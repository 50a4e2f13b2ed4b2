"""`soak rules` finds differences from the reference implementation and reduces the projects that differ."""

from pathlib import Path

from tests.making.files import write, write_all
from tests.making.graph_outcome import differences_from_reference
from tests.making.indexes import index
from tests.making.transcripts import line

from .rules import compare, project, smallest


def test_simple_conversation_has_no_differences() -> None:
    lines = [line("u1"), line("u2", parent="u1"), line("u3", parent="u2")]
    assert compare({"s1.jsonl": "".join(f"{text}\n" for text in lines).encode()}) == {}


def test_entry_missing_from_the_index_is_a_difference(tmp_path: Path) -> None:
    root, db = tmp_path.resolve() / "p", tmp_path / "x.db"
    path = write(root / "s1.jsonl", line("u1"))
    index(db, root)
    write(path, line("u1"), line("u2", parent="u1"))
    assert differences_from_reference(db, root)["dag_lines"] == [{"s1": ["u1"]}, {"s1": ["u1", "u2"]}]


def test_project_is_reduced_to_the_lines_that_fail() -> None:
    files = {"s1.jsonl": b"".join(b"line %d\n" % number for number in range(40)), "s2.jsonl": b"more\nand more\n"}

    def fails(fewer: dict[str, bytes]) -> bool:
        return b"line 7\n" in fewer.get("s1.jsonl", b"") and b"and more\n" in fewer.get("s2.jsonl", b"")

    assert smallest(files, fails) == {"s1.jsonl": b"line 7\n", "s2.jsonl": b"and more\n"}


def test_seed_determines_the_project(tmp_path: Path) -> None:
    assert project(3) == project(3)
    assert project(3) != project(4)
    write_all(tmp_path, project(3))


def test_index_agrees_with_the_reference_on_random_projects() -> None:
    assert {seed: difference for seed in range(1, 41) if (difference := compare(project(seed)))} == {}
