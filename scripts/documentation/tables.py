"""Generate the list of tables in docs/architecture.md from the row types in ccindex/model."""

from ccindex.model.tables import DERIVED_TABLES, RECORDED_TABLES, SOURCE_TABLES
from documentation.markdown import table

_ARCHIVE = ("sources", "generations", "chunks", "extents", "redactions")

# Headings of the list, with the explanation and the tables of each group
GROUPS = {
    "Archive": (
        "The indexed files and their bytes.",
        tuple(item for item in SOURCE_TABLES if item.name in _ARCHIVE),
    ),
    "Recorded": (
        "The content of the files. `ccindex db rebuild` rebuilds these rows from the archive.",
        RECORDED_TABLES,
    ),
    "Derived": (
        "Computed from recorded rows: first the graph, one family at a time, then facts and totals.",
        DERIVED_TABLES,
    ),
    "Bookkeeping": (
        "State of the index itself.",
        tuple(item for item in SOURCE_TABLES if item.name not in _ARCHIVE),
    ),
}


def tables_list() -> str:
    """Return one Markdown table per group, with one row per table of an index."""
    return "\n".join(
        f"### {name}\n\n{explanation}\n\n"
        + table(["table", "rows"], ((f"`{item.name}`", item.sentence) for item in items))
        for name, (explanation, items) in GROUPS.items()
    )
