"""An index to what asking it costs, from disk and from memory."""

from collections import Counter
from pathlib import Path

from .ingests import largest
from .places import Place
from .process import best, evict
from .results import Command, Index


def commands(place: Place, repeat: int, *, word: str) -> dict[str, Command]:
    """Run every command that people wait for; of the largest session where one is asked for."""
    session = largest(place).stem
    wanted = {
        "sessions": ["sessions"],
        "stats": ["stats"],
        "stats --by day": ["stats", "--by", "day"],
        "paths": ["paths", "--session", session],
        "search": ["search", word],
        "show": ["show", session],
        "tree": ["tree", "--session", session],
    }
    return {name: _measured(place, words, repeat) for name, words in wanted.items()}


def index(place: Place) -> Index:
    """Return what the index takes on disk; tables are left out where SQLite cannot tell them."""
    [[archived, packed]] = place.ask("select sum(raw_size), sum(length(data)) from chunks")
    return Index(place.db.stat().st_size, _tables(place), archived or 0, packed or 0)


def _tables(place: Place) -> dict[str, int]:
    """Return the bytes of each table with its indexes, the largest first."""
    if ("ENABLE_DBSTAT_VTAB",) not in place.ask("pragma compile_options"):
        return {}
    virtual = [name for (name,) in place.ask("select name from sqlite_schema where sql like 'create virtual %'")]
    sizes: Counter[str] = Counter()
    for name, size in place.ask(
        "select coalesce(owner.tbl_name, stat.name), stat.pgsize from dbstat as stat "
        "left join sqlite_schema as owner on owner.name = stat.name where aggregate = true"
    ):
        # a table of search keeps its rows in others, named after it
        sizes[next((owner for owner in virtual if name.startswith(f"{owner}_")), name)] += size
    return dict(sizes.most_common())


def _measured(place: Place, words: list[str], repeat: int) -> Command:
    cold, warm = [], []
    for _ in range(repeat):
        evict(place.db, Path(f"{place.db}-wal"))
        cold.append(place.ccindex(*words).cost)
        warm.append(place.ccindex(*words).cost)
    return Command(" ".join(["ccindex", *words]), best(cold), best(warm))
