"""The import table: the packages and libraries that each ccindex package may import."""

from typing import NamedTuple


class Allowed(NamedTuple):
    """The imports that a package is allowed in addition to itself and the standard library.

    `ours`: ccindex packages, modules ("read.text_tags") and top-level modules ("errors").
    `libraries`: third-party packages, by import name.
    """

    ours: set[str]
    libraries: set[str]


# The import table. The keys are ccindex packages and top-level modules.
IMPORTS: dict[str, Allowed] = {
    "chunks": Allowed(set(), {"xxhash", "zstandard"}),
    "errors": Allowed(set(), set()),
    "files": Allowed({"errors"}, set()),
    "model": Allowed(set(), set()),
    "read": Allowed({"chunks", "model"}, {"orjson"}),
    "graph": Allowed({"model"}, set()),
    "facts": Allowed({"model", "graph"}, {"genai_prices"}),
    "secrets": Allowed(set(), set()),
    "store": Allowed({"chunks", "errors", "files", "model"}, {"alembic", "platformdirs", "sqlalchemy", "xxhash"}),
    "derive": Allowed({"errors", "model", "read", "graph", "facts", "store"}, set()),
    "ingest": Allowed({"chunks", "errors", "files", "model", "read", "store", "derive"}, set()),
    "maintain": Allowed({"errors", "files", "model", "store", "derive", "ingest"}, set()),
    "query": Allowed(
        {"chunks", "errors", "files", "model", "graph", "facts", "secrets", "store"}
        | {"read.discovery", "read.search_text", "read.text_tags"},
        set(),
    ),
    "render": Allowed({"model", "query", "read.text_tags", "secrets"}, {"rich"}),
    "cli": Allowed(
        {"errors", "files", "model", "store", "ingest", "maintain", "query", "render", "secrets"}
        | {"read.discovery", "read.text_tags"},
        {"orjson", "rich", "typer"},
    ),
}
