"""Check the imports of ccindex and its tests, the length of modules, and which package writes rows."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.making.folders import ROOT
from tests.making.import_table import IMPORTS

PACKAGE = ROOT / "ccindex"
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_LINES = 350
# These modules are slow to import, so read-only commands and ordinary ingest runs must not load them. ONLY_IN maps a
# library to the modules that may import it. ONLY_LATE lists modules that may be imported only inside functions.
ONLY_IN = {"alembic": ("store.migrate",), "sqlalchemy": ("store.migrate",)}
ONLY_LATE = ("ccindex.store.migrate", "genai_prices")


def test_every_import_is_in_the_import_table() -> None:
    problems = [problem for path in MODULES for problem in forbidden_imports(path)]
    assert not problems, "\n".join(problems)


def forbidden_imports(path: Path) -> Iterator[str]:
    """Describe the imports of a module that are not allowed."""
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    package = module.partition(".")[0]
    if package in ("__init__", "__main__"):
        return
    if package not in IMPORTS:
        yield f"{package}: not in the import table"
        return
    ours, libraries = IMPORTS[package]
    for name, is_late in imported_modules(path):
        top, _, inner = name.partition(".")
        if top == "ccindex":
            is_allowed = inner == "__version__" or is_below(inner, *ours, package)
        else:
            is_allowed = top in sys.stdlib_module_names or top in libraries
        if not is_allowed:
            yield f"{module}: {name} is not in the import table"
        if top in ONLY_IN and not is_below(module, *ONLY_IN[top]):
            yield f"{module}: only {' and '.join(ONLY_IN[top])} may import {top}"
        if not is_late and is_below(name, *ONLY_LATE) and not is_below(module, "store.migrate", "store.schema"):
            yield f"{module}: {name} may be imported only inside a function"


def is_below(name: str, *modules: str) -> bool:
    """Whether a dotted name is one of the given modules or is inside one of them."""
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def imported_modules(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield every module that a file imports, and whether the import is inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    in_functions = {node for outer in ast.walk(tree) if isinstance(outer, ast.FunctionDef) for node in ast.walk(outer)}
    parts = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, node in in_functions) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = parts[: len(parts) - node.level + 1] if node.level else ()
            module = ".".join([*package, *filter(None, [node.module])])
            # `from ccindex.query import ids` imports a module, `from ccindex.query.ids import Target` does not
            for name in node.names:
                yield f"{module}.{name.name}" if module.count(".") < 2 else module, node in in_functions


def test_no_module_is_too_long() -> None:
    lengths = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_no_short_module_is_used_by_only_one_other_module() -> None:
    """A module with fewer than 40 lines that only one other module uses belongs in that module."""
    importers: defaultdict[str, set[Path]] = defaultdict(set)
    for path in MODULES:
        for name, _ in imported_modules(path):
            importers[name].add(path)
    short = [path for path in MODULES if path.name != "__init__.py" and len(path.read_text("utf-8").splitlines()) < 40]
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in short}
    assert [name for name in names if len(importers[name]) == 1] == []


_WRITES = re.compile(r"\s*(insert (or \w+ )?into|replace into|update \w+ set|delete from) ")


def test_only_the_store_package_writes_rows() -> None:
    files = {
        path for path in (ROOT / "sql").rglob("*.sql") if any(map(_WRITES.match, path.read_text("utf-8").splitlines()))
    }
    writing = {path.relative_to(ROOT / "sql").with_suffix("").as_posix() for path in files} - {"schema"}
    assert writing
    problems = [
        (path.relative_to(ROOT).as_posix(), text)
        for path in MODULES
        if path.parent.name != "store"
        for text in texts_in(path)
        if _WRITES.match(text) or text in writing
    ]
    assert problems == []


def texts_in(path: Path) -> Iterator[str]:
    """Yield every string constant in a file, including the constant parts of f-strings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_module_imports_a_test_module() -> None:
    imports = {path: {name for name, _ in imported_modules(path)} for path in (ROOT / "tests").rglob("*.py")}
    assert [(path.name, name) for path, names in imports.items() for name in names if ".test_" in name] == []


_INDEPENDENT = ("conformance", "files", "folders", "large_cases", "transcripts")


def test_reference_implementation_does_not_import_the_package() -> None:
    own = ("tests.reference", *(f"tests.making.{name}" for name in _INDEPENDENT))
    paths = [*(ROOT / "tests" / "reference").glob("*.py"), *(ROOT / f"{name.replace('.', '/')}.py" for name in own[1:])]
    imports = {path: {name for name, _ in imported_modules(path)} for path in paths}
    assert [
        (path.name, name)
        for path, names in imports.items()
        for name in names
        if is_below(name, "ccindex") or (is_below(name, "tests") and not is_below(name, *own))
    ] == []
