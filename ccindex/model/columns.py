"""How a table is declared: row types give its columns, markers in their annotations give keys, references and values.

    class FileTouch(NamedTuple):
        \"\"\"One row per file that a tool call names.\"\"\"

        idx: Annotated[int, Key()]
        path: Annotated[str, Key()]
        operation: Annotated[str, OneOf("read", "write", "edit", "notebook", "search")]

    Table("file_touches", EntryKey, FileTouch, indexes=(Index("path"),), has_rowid=False)

A text among the annotations is the comment of the column. A column is NULL only if its type allows None.
"""

from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, get_args, get_origin


@dataclass(frozen=True, slots=True)
class Key:
    """A column of the primary key; `table`: whose id it is."""

    table: str = ""


@dataclass(frozen=True, slots=True)
class Ref:
    """The id of a row of another table."""

    table: str


class OneOf:
    """A text out of a fixed set."""

    def __init__(self, *values: str) -> None:
        self.values = values


class Unique:
    """A value that no two rows share."""


class Index:
    """An index on some columns, for all rows or for those that fulfil a condition."""

    def __init__(self, *columns: str, name: str = "", is_unique: bool = False, where: str = "") -> None:
        self.columns = columns
        self.name = name or "_".join(columns)
        self.is_unique = is_unique
        self.where = where


class Table:
    """A table whose columns are those of its row types, one after the other.

    The parts of a table let the parser build rows without the columns that only the writer knows. `has_id`: SQLite
    numbers the rows in a column `id` before the others, which is not part of a row.
    """

    def __init__(
        self,
        name: str,
        *parts: type,
        indexes: tuple[Index, ...] = (),
        checks: tuple[str, ...] = (),
        has_id: bool = False,
        has_rowid: bool = True,
    ) -> None:
        self.name = name
        self.parts = parts
        self.indexes = indexes
        self.checks = checks
        self.has_id = has_id
        self.has_rowid = has_rowid

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of a row, in order."""
        return tuple(name for part in self.parts for name in part.__annotations__)

    @cached_property
    def required(self) -> frozenset[str]:
        """The columns that are never NULL."""
        hints = ((name, hint) for part in self.parts for name, hint in part.__annotations__.items())
        return frozenset(name for name, hint in hints if not _allows_none(hint))

    @property
    def sentence(self) -> str:
        """Say what a row is: the docstring of the part that does."""
        return next(doc for part in self.parts if (doc := part.__doc__ or "").startswith("One row per")).split("\n")[0]


def _allows_none(hint: Any) -> bool:
    choices = get_args(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
    return NoneType in choices
