"""The lists to which the rows of a batch's entries are added."""

from typing import NamedTuple

from ccindex.model.events import Row


class EntryRows(NamedTuple):
    """The content of entries, by table, and their search texts. Every row starts with the number of its entry."""

    messages: list[Row]
    iterations: list[Row]
    blocks: list[Row]
    tool_uses: list[Row]
    tool_results: list[Row]
    agent_mentions: list[Row]
    file_touches: list[Row]
    task_notices: list[Row]
    tool_outcomes: list[Row]
    search_texts: list[Row]


def no_rows() -> EntryRows:
    """Return empty lists."""
    return EntryRows(*([] for _ in EntryRows._fields))
