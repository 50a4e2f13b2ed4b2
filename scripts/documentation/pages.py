"""Map every generated file to its generator, and compare or write the files."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ccindex.store.migrate import schema
from documentation.commands import commands_page
from documentation.diagnostics import diagnostics_table
from documentation.examples import examples_page
from documentation.messages import messages_table
from documentation.tables import tables_list
from documentation.views import views_page

Generator = Callable[[], str]

# Files that are generated entirely. The schema comes first because views_page creates an index from it.
FILES: dict[str, Generator] = {
    "sql/schema.sql": schema,
    "docs/commands.md": commands_page,
    "docs/views.md": views_page,
    "docs/examples.md": examples_page,
}
# Files that are written by hand except for the parts between `<!-- generated: NAME -->` and `<!-- end -->`
PARTS: dict[str, dict[str, Generator]] = {
    "docs/architecture.md": {"tables": tables_list},
    "docs/troubleshooting.md": {"messages": messages_table, "diagnostics": diagnostics_table},
}

_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def stale_files(root: Path) -> list[str]:
    """Return the names of generated files under `root` that differ from what would be generated."""
    return [name for name, old, new in _generate(root) if new != old]


def write_files(root: Path) -> list[str]:
    """Write all generated files under `root`; return the names of the files that changed."""
    changed = []
    for name, old, new in _generate(root):
        if new != old:
            (root / name).write_text(new, encoding="utf-8")
            changed.append(name)
    return changed


def _generate(root: Path) -> Iterator[tuple[str, str | None, str]]:
    """Yield (name, current text, new text) for every generated file. The current text of a missing file is None."""
    for name, generate in FILES.items():
        path = root / name
        yield name, path.read_text(encoding="utf-8") if path.exists() else None, generate()
    for name, parts in PARTS.items():
        text = (root / name).read_text(encoding="utf-8")
        yield name, text, _replace_parts(name, text, parts)


def _replace_parts(name: str, text: str, parts: dict[str, Generator]) -> str:
    """Return the text with every generated part replaced. Each part must occur exactly once."""
    found = [match[2] for match in _PART.finditer(text)]
    if sorted(found) != sorted(parts):
        raise ValueError(f"{name} has the generated parts {found}, expected {list(parts)}")
    return _PART.sub(lambda match: f"{match[1]}\n{parts[match[2]]()}\n{match[3]}", text)
