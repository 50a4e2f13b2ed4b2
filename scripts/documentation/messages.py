"""Generate the table of error messages in docs/troubleshooting.md from the errors themselves."""

from ccindex.errors import (
    ArchiveDamaged,
    CcindexError,
    IndexBusy,
    IndexOutdated,
    IndexTooNew,
    IndexUnusable,
    NoIndex,
    NoSuchPath,
    NotAnIndex,
    QueryTooSlow,
    WorkerLost,
    WouldOverwrite,
)
from documentation.markdown import table

_PATH = "PATH"
_STEP = ""  # a message ends with the next step, after a semicolon; the table has a longer explanation instead

ADVICE: dict[CcindexError, str] = {
    NoIndex(_PATH): "Run `ccindex ingest` to create the index. If you have one, check `--db` and `CCINDEX_DB`.",
    NotAnIndex(_PATH): "The file is something else, and ccindex did not change it. Choose another file with `--db`.",
    IndexOutdated(_PATH, "0001"): (
        "An older version of ccindex created the index. Run `ccindex db upgrade` or `ccindex ingest`."
    ),
    IndexTooNew(_PATH, "0099"): (
        "A newer version of ccindex created the index. Update ccindex; the index is not changed."
    ),
    IndexBusy(_PATH): (
        "Another run is writing. `ingest` prints this message and exits with 0, because that run does the work. "
        "Run other commands again later."
    ),
    IndexUnusable(_PATH, "database is locked", _STEP): (
        "Another program has kept the index locked for half a minute. End its transaction or close the program."
    ),
    IndexUnusable(_PATH, "database or disk is full", _STEP): (
        "Free some disk space and run the command again. `db vacuum` and `db rebuild` need about as much free space as "
        "the index has."
    ),
    IndexUnusable(_PATH, "Permission denied", _STEP): (
        "Reading needs permission for the file; writing also needs permission for its folder. The same applies to "
        "`Read-only file system`."
    ),
    IndexUnusable(_PATH, "database disk image is malformed", _STEP): (
        "The file is damaged. Restore a [backup](tasks.md#back-up-the-index) and delete the `-wal` file, or move both "
        "files away and run `ccindex ingest`, which indexes the transcripts that still exist."
    ),
    ArchiveDamaged(_PATH, 4096, "…"): (
        "Part of the archive is damaged. `ccindex doctor` lists the damaged files. Restore a backup."
    ),
    WorkerLost(-9): (
        "A worker process was killed, perhaps because memory or disk space ran out. Run the command again; with "
        "`--jobs 0` it uses no worker processes."
    ),
    NoSuchPath(_PATH): "Check the spelling. No file below this path was ever indexed.",
    WouldOverwrite(_PATH): (
        "`restore` does not replace a file that has other content. Choose another `--out`, or use `--force`."
    ),
    QueryTooSlow(60): "Use a faster query, or a larger `--timeout`. `--timeout 0` removes the limit.",
}


def messages_table() -> str:
    """Return a table of error messages and what to do about each."""
    return table(["message", "what to do"], ((f"`{_symptom(error)}`", advice) for error, advice in ADVICE.items()))


def _symptom(error: CcindexError) -> str:
    return str(error).partition(";")[0].rstrip()
