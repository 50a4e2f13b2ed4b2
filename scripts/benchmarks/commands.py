"""Measure commands that read an index, with cold and warm caches, and the size of the index."""

from collections import Counter
from pathlib import Path

from .homes import Home
from .ingests import largest_session
from .process import best, evict_from_cache
from .results import Command, Index


def measure_commands(home: Home, repeat: int, *, word: str) -> dict[str, Command]:
    """Measure common commands that read the index. Commands for a single session use the largest session."""
    session = largest_session(home).stem
    arguments = {
        "sessions": ["sessions"],
        "stats": ["stats"],
        "stats --by day": ["stats", "--by", "day"],
        "paths": ["paths", "--session", session],
        "search": ["search", word],
        "show": ["show", session],
        "tree": ["tree", "--session", session],
    }
    return {name: _measure_command(home, words, repeat) for name, words in arguments.items()}


def measure_index(home: Home) -> Index:
    """Return the size of the index on disk. Table sizes are empty if SQLite has no dbstat."""
    [[archived, packed]] = home.query("select sum(raw_size), sum(length(data)) from chunks")
    return Index(home.db.stat().st_size, _table_sizes(home), archived or 0, packed or 0)


def _table_sizes(home: Home) -> dict[str, int]:
    """Return the size of each table in bytes, including its indexes, largest first."""
    if ("ENABLE_DBSTAT_VTAB",) not in home.query("pragma compile_options"):
        return {}
    virtual = [name for (name,) in home.query("select name from sqlite_schema where sql like 'create virtual %'")]
    sizes: Counter[str] = Counter()
    for name, size in home.query(
        "select coalesce(owner.tbl_name, stat.name), stat.pgsize from dbstat as stat "
        "left join sqlite_schema as owner on owner.name = stat.name where aggregate = true"
    ):
        # FTS5 stores a virtual table in shadow tables whose names start with its name
        sizes[next((owner for owner in virtual if name.startswith(f"{owner}_")), name)] += size
    return dict(sizes.most_common())


def _measure_command(home: Home, arguments: list[str], repeat: int) -> Command:
    cold, warm = [], []
    for _ in range(repeat):
        evict_from_cache(home.db, Path(f"{home.db}-wal"))
        cold.append(home.ccindex(*arguments).cost)
        warm.append(home.ccindex(*arguments).cost)
    return Command(" ".join(["ccindex", *arguments]), best(cold), best(warm))
