"""Generate docs/examples.md, the example queries by subject, from the files in sql/examples."""

from typing import NamedTuple

from ccindex.store.sql_files import load, names
from documentation.markdown import GENERATED_NOTE, code_block, link, table, wrap

INTRODUCTION = """\
# Example queries

{note}

These queries are installed with ccindex. They run unchanged on any index and use only the [views](views.md). Each
returns at most 20 rows. Columns whose names end in `usd` are [estimates](concepts.md#responses-and-costs).

```sh
ccindex sql --examples                         # list the examples
ccindex sql --example cost_per_month           # run one
ccindex sql --example cost_per_month --csv
```

To write your own query, start from one of the statements on this page. `ccindex sql` accepts a statement or a file, and
the statements also run in other clients:

```sh
ccindex sql "select project, count(*) as entries from v1_entries group by project"
ccindex sql "select title from v1_sessions where first_timestamp >= :day" -p day=2026-04-01
ccindex sql sql/examples/cost_per_month.sql    # any file whose name ends in .sql
sqlite3 -readonly -box "$(ccindex db path)" < sql/examples/cost_per_month.sql
```

`ccindex sql` opens the index read-only. It stops a query after 60 seconds (`--timeout`) and shows at most 500 rows in a
table (`--limit`). `-p NAME=VALUE` sets `:NAME` in the query; a value that looks like a number is passed as a number.

"""

# The headings of the page, in order. The header of every file in sql/examples contains one of them.
GROUPS = ("Prompts and todos", "Cost and usage", "Tools and files", "Branches and sessions", "The index")


class Example(NamedTuple):
    """An example query: name, first sentence, group, further notes and the statement without its header."""

    name: str
    sentence: str
    group: str
    notes: str
    statement: str


def examples_page() -> str:
    """Return the page: a table of all examples, then every example below the heading of its group."""
    examples = [load_example(name) for name in names("examples")]
    groups = [*GROUPS, *sorted({example.group for example in examples} - set(GROUPS))]
    by_group = {group: [example for example in examples if example.group == group] for group in groups}
    rows = ((link(example.name), example.sentence) for members in by_group.values() for example in members)
    parts = [INTRODUCTION.format(note=GENERATED_NOTE), table(["example", "result"], rows)]
    for group, members in by_group.items():
        if members:
            parts += [f"\n## {group}\n", *map(_section, members)]
    return "".join(parts)


def load_example(name: str) -> Example:
    """Return the example with the given name in sql/examples."""
    lines = load(f"examples/{name}").splitlines()
    start = next(number for number, line in enumerate(lines) if not line.startswith("--"))
    sentence, group, *notes = (line.removeprefix("--").strip() for line in lines[:start])
    return Example(name, sentence, group.removeprefix("group: "), " ".join(notes), "\n".join(lines[start:]))


def _section(example: Example) -> str:
    text = wrap(f"{example.sentence} {example.notes}".rstrip())
    return f"\n### {example.name}\n\n{text}\n\n{code_block(example.statement, 'sql')}"
