"""Who may import whom: the rooms and what each of them may know."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "ccindex"
LARGEST = 350

# room: our rooms it may import, others' packages it may import
ROOMS: dict[str, tuple[set[str], set[str]]] = {
    "model": (set(), set()),
    "read": ({"model", "chunks"}, {"orjson"}),
    "graph": ({"model"}, set()),
    "facts": ({"graph", "model"}, {"genai_prices"}),
    "secrets": (set(), set()),
    "store": ({"model", "errors", "files", "chunks"}, {"alembic", "platformdirs", "sqlalchemy", "xxhash"}),
    "ingest": ({"model", "errors", "chunks", "read", "store", "derive"}, set()),
    "derive": ({"model", "read", "graph", "facts", "store"}, set()),
    "maintain": ({"model", "errors", "files", "ingest", "derive", "store"}, set()),
    "query": ({"model", "errors", "files", "chunks", "graph", "facts", "read", "store", "secrets"}, set()),
    "render": ({"model", "query", "secrets"}, {"rich"}),
    "cli": (
        {"errors", "facts", "files", "ingest", "maintain", "model", "query", "read", "render", "secrets", "store"},
        {"orjson", "rich", "typer"},
    ),
}
HEAVY = {"alembic", "sqlalchemy"}
SLOW = {"genai_prices"}  # to load, so that only what needs it at that moment does
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Give every module that a file imports, and whether it does so only inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node) for function in ast.walk(tree) if isinstance(function, ast.FunctionDef) for node in ast.walk(function)
    }
    room = path.parent.relative_to(PACKAGE.parent).as_posix().replace("/", ".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, id(node) in inside) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (f"{room}.{node.module}" if node.level else str(node.module)), id(node) in inside


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    ours, others = ROOMS[room]
    for name, _ in imports(path):
        top, _, rest = name.partition(".")
        if top == "ccindex":
            assert rest.split(".")[0] in ours | {room, ""}, name
        else:
            third_party = {
                "alembic",
                "click",
                "genai_prices",
                "hypothesis",
                "orjson",
                "platformdirs",
                "rich",
                "sqlalchemy",
            }
            assert top not in third_party | {"typer", "xxhash", "zstandard"} or top in others, name


def test_sqlalchemy_stays_off_the_paths_of_readers_and_plain_runs() -> None:
    for path in MODULES:
        if path.parent.name == "schema" or path.name == "migrate.py":
            continue
        for name, is_inside in imports(path):
            assert name.split(".")[0] not in HEAVY, path
            assert is_inside or name.split(".")[0] not in SLOW, path
            assert is_inside or not name.endswith((".migrate", ".schema")), path


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_opens_with_its_sentence_and_holds_one_idea(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= LARGEST
