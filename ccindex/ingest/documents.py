"""Sidecars and workflow run files: one JSON document each, of which the latest whole one counts."""

from ccindex.ingest.run import Run
from ccindex.read.json_lines import objects_in
from ccindex.read.json_values import dumps, string, trimmed
from ccindex.store.rows import insert_into

_LARGEST = 64 << 20  # a document beyond this is archived but not read


def keep_document(run: Run, source: int, generation: int) -> None:
    """Show what the latest generation that holds a whole object says."""
    for number in range(generation, 0, -1):
        if sum(extent.length for extent in run.archive.extents(source, number)) > _LARGEST:
            continue
        whole = objects_in(b"".join(run.archive.blocks(source, number)))
        if whole:
            value = whole[-1]
            row = (
                source,
                string(value.get("agentType")),
                string(value.get("description")),
                string(value.get("toolUseId")),
                dumps(trimmed(value, longest=None)),
                string(value.get("name")),
            )
            # not in one statement: at such of several steps FTS5 writes out what it has gathered
            run.connection.execute("delete from sidecars where source = ?", (source,))
            run.connection.execute(insert_into("sidecars"), row)
            run.recorder.changes.sidecars.add(source)
            return
