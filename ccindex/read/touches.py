"""Which files a call names, and what it does with them."""

from collections.abc import Iterator
from typing import Any

from ccindex.model.facts import Touch

from .values import string

_FILE, _ANY = ("file_path",), ("file_path", "abs_path", "path")
# tool: the operation, and the keys of its input that may name a file, of which the first that does counts
_TOOLS = {
    "Read": ("read", _FILE),
    "Write": ("write", _FILE),
    "Edit": ("edit", _FILE),
    "MultiEdit": ("edit", _FILE),
    "NotebookRead": ("notebook", ("notebook_path",)),
    "NotebookEdit": ("notebook", ("notebook_path",)),
    "Grep": ("search", ("path",)),
    "Glob": ("search", ("path",)),
    "LS": ("search", ("path",)),
    # editors that are hosts of Claude Code (Agent Client Protocol); older ones write the names in lower case
    "mcp__acp__Read": ("read", _ANY),
    "mcp__acp__Write": ("write", _ANY),
    "mcp__acp__Edit": ("edit", _ANY),
    "mcp__acp__MultiEdit": ("edit", _ANY),
    "mcp__acp__read": ("read", _ANY),
    "mcp__acp__write": ("write", _ANY),
    "mcp__acp__edit": ("edit", _ANY),
    # the file system server of the Model Context Protocol
    "mcp__filesystem__read_file": ("read", _ANY),
    "mcp__filesystem__read_text_file": ("read", _ANY),
    "mcp__filesystem__read_media_file": ("read", _ANY),
    "mcp__filesystem__get_file_info": ("read", _ANY),
    "mcp__filesystem__write_file": ("write", _ANY),
    "mcp__filesystem__create_directory": ("write", _ANY),
    "mcp__filesystem__edit_file": ("edit", _ANY),
    "mcp__filesystem__list_directory": ("search", _ANY),
    "mcp__filesystem__list_directory_with_sizes": ("search", _ANY),
    "mcp__filesystem__directory_tree": ("search", _ANY),
    "mcp__filesystem__search_files": ("search", _ANY),
}
# tools that name several files: the operation, and the keys, each of a path or of a list of them
_OF_SEVERAL = {
    "mcp__filesystem__read_multiple_files": ("read", ("paths",)),
    "mcp__filesystem__move_file": ("write", ("source", "destination")),
}


def touches_of(idx: int, tool: str | None, asked: Any) -> tuple[Touch, ...]:
    """The files that a call's input names, each once, if it is a tool for files."""
    if tool is None or type(asked) is not dict:
        return ()
    if tool in _TOOLS:
        operation, keys = _TOOLS[tool]
        path = next(filter(None, (string(asked.get(key)) for key in keys)), None)
        return () if path is None else (Touch(idx, path, operation),)
    if tool in _OF_SEVERAL:
        operation, keys = _OF_SEVERAL[tool]
        return tuple(Touch(idx, path, operation) for path in dict.fromkeys(_paths(asked, keys)))
    return ()


def _paths(asked: dict[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        value = asked.get(key)
        for item in value if type(value) is list else (value,):
            path = string(item)
            if path is not None:
                yield path
