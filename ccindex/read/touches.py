"""Which file a call names, and what it does with it."""

from typing import Any

from ccindex.model.facts import Touch

from .values import string

# tool: the operation, and the key of its input that names the file
_TOOLS = {
    "Read": ("read", "file_path"),
    "Write": ("write", "file_path"),
    "Edit": ("edit", "file_path"),
    "MultiEdit": ("edit", "file_path"),
    "NotebookRead": ("notebook", "notebook_path"),
    "NotebookEdit": ("notebook", "notebook_path"),
    "Grep": ("search", "path"),
    "Glob": ("search", "path"),
    "LS": ("search", "path"),
}


def touch_of(idx: int, tool: str | None, asked: Any) -> Touch | None:
    """The file that a call's input names, if it is a tool for files and names one."""
    if tool not in _TOOLS or not isinstance(asked, dict):
        return None
    operation, key = _TOOLS[tool]
    path = string(asked.get(key))
    return None if path is None else Touch(idx, operation, path)
