"""Declare tables by row types; markers in the annotations declare keys, references and permitted values.

    class FileTouch(NamedTuple):
        \"\"\"One row per file that a tool call names.\"\"\"

        idx: Annotated[int, Key()]
        path: Annotated[str, Key()]
        operation: Annotated[str, OneOf("read", "write", "edit", "notebook", "search")]

    Table("file_touches", EntryKey, FileTouch, indexes=(Index("path"),), has_rowid=False)

A string among the annotations is the column's comment. A column can be NULL only if its type allows None.
"""

from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, get_args, get_origin


@dataclass(frozen=True, slots=True)
class Key:
    """A column of the primary key; `table`: the table that its id refers to, if any."""

    table: str = ""


@dataclass(frozen=True, slots=True)
class Ref:
    """The id of a row of another table."""

    table: str


class OneOf:
    """A text from a fixed set."""

    def __init__(self, *values: str) -> None:
        self.values = values


class Unique:
    """A value that is unique in the table."""


class Index:
    """An index on some columns, for all rows or for the rows that match a condition."""

    def __init__(self, *columns: str, name: str = "", is_unique: bool = False, where: str = "") -> None:
        self.columns = columns
        self.name = name or "_".join(columns)
        self.is_unique = is_unique
        self.where = where


class Table:
    """A table whose columns are the fields of its row types, in order.

    A table has several row types so that the parser can build rows without the columns that only the writer knows.
    `has_id`: the first column is an `id` that SQLite assigns; it is not part of a row.
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
        """The column names of a row, in order."""
        return tuple(name for part in self.parts for name in part.__annotations__)

    @cached_property
    def required(self) -> frozenset[str]:
        """The columns that are never NULL."""
        hints = ((name, hint) for part in self.parts for name, hint in part.__annotations__.items())
        return frozenset(name for name, hint in hints if not _allows_none(hint))

    @property
    def sentence(self) -> str:
        """The description of a row: the docstring of the row type that starts with "One row per"."""
        return next(doc for part in self.parts if (doc := part.__doc__ or "").startswith("One row per")).split("\n")[0]


def _allows_none(hint: Any) -> bool:
    choices = get_args(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
    return NoneType in choices
