"""Generate the table of error messages in docs/troubleshooting.md from the error classes."""

from ccindex.errors import (
    AmbiguousPrefix,
    ArchiveDamaged,
    BadDatabaseName,
    BadQuery,
    CannotRead,
    CannotWrite,
    CcindexError,
    CheckFailed,
    GhostEntry,
    IndexBusy,
    IndexOutdated,
    IndexTooNew,
    IndexUnusable,
    NoHomeFolder,
    NoIndex,
    NoSuchGeneration,
    NoSuchId,
    NoSuchPath,
    NoSuchProject,
    NoSuchSource,
    NoSuchTombstone,
    NotAnIndex,
    NotRestored,
    OutsideFolder,
    QueryTooSlow,
    ResultTooLarge,
    WorkerLost,
    WouldOverwrite,
)
from documentation.markdown import table

_PATH = "PATH"
_ID = "51ea"
_STEP = ""  # a message ends with the next step, after a semicolon; the table has a longer explanation instead

ADVICE: dict[CcindexError, str] = {
    NoIndex(_PATH): "Run `ccindex ingest` to create the index. If you have one, check `--db` and `CCINDEX_DB`.",
    BadDatabaseName("TEXT"): "`--db` and `CCINDEX_DB` accept only the path of a local file or its `sqlite:///` URL.",
    NoHomeFolder(): (
        "ccindex looks for your transcripts and its index in the home folder. Set `HOME`, or specify `--db` and the "
        "paths to index."
    ),
    NotAnIndex(_PATH): "The file is not an index, and ccindex did not change it. Choose another file with `--db`.",
    IndexOutdated(_PATH, "0001"): (
        "An older version of ccindex created the index. Run `ccindex db upgrade` or `ccindex ingest`."
    ),
    IndexTooNew(_PATH, "0099"): (
        "A newer version of ccindex created the index. Update ccindex. The index was not changed."
    ),
    IndexBusy(_PATH): (
        "Another run is writing. `ingest` prints this message and exits with 0, because the other run does the "
        "work. Run any other command again later."
    ),
    IndexUnusable(_PATH, "database is locked", _STEP): (
        "Another program has kept the index locked for half a minute. End its transaction or close the program."
    ),
    IndexUnusable(_PATH, "disk I/O error", _STEP): (
        "The disk or a network share failed. Check it and run the command again."
    ),
    IndexUnusable(_PATH, "database or disk is full", _STEP): (
        "Free some disk space and run the command again. `db vacuum` and `db rebuild` need about as much free "
        "space as the index itself takes up."
    ),
    IndexUnusable(_PATH, "Permission denied", _STEP): (
        "Reading requires permission to access the file; writing also requires permission to write to its folder. "
        "If the message is `Read-only file system`, remount the file system read-write."
    ),
    IndexUnusable(_PATH, "database disk image is malformed", _STEP): (
        "The file is damaged. Restore a [backup](tasks.md#back-up-the-index) and delete the `-wal` file, or move both "
        "files out of the way and run `ccindex ingest`, which indexes the transcripts that still exist."
    ),
    ArchiveDamaged(_PATH, 4096, "…"): (
        "Part of the archive is damaged. `ccindex doctor` lists the damaged files. Restore a "
        "[backup](tasks.md#back-up-the-index). If you do not have one, see [failed checks](#failed-checks)."
    ),
    CheckFailed(["NAME"]): "`doctor` found a problem. See [failed checks](#failed-checks).",
    WorkerLost(-9): (
        "A worker process was killed, perhaps because memory or disk space ran out. Run the command again. With "
        "`--jobs 0`, `ingest` does not use worker processes."
    ),
    NoSuchPath(_PATH): "Check the spelling. No file in this folder has ever been indexed.",
    NoSuchId("session", _ID): (
        "Check the id. Ids are case-sensitive. A new session appears in the index after the next `ccindex ingest`. A "
        "forgotten session is not in the index: see `ccindex forget --list`."
    ),
    AmbiguousPrefix("sessions", _ID, [""], more=False): "Use one of the ids listed, or a longer prefix.",
    GhostEntry("UUID", 1): (
        "The entry is known only as the recorded parent of another entry; no indexed file contains it. Its file may "
        "have been deleted before the first `ingest`."
    ),
    NoSuchProject("NAME", []): "`forget` needs the full name of a project, or the path of its folder.",
    NoSuchTombstone("session", _ID): (
        "`--allow` works only for forgotten sessions and projects. `ccindex forget --list` lists them."
    ),
    NoSuchSource(_PATH): "`restore` needs the path that the file had when it was indexed, or a folder above it.",
    NoSuchGeneration(_PATH, 7, 1): "The file was not rewritten that many times. Choose a lower number.",
    WouldOverwrite(_PATH): (
        "`restore` does not replace a file that has different content. Choose another `--out`, or use `--force`."
    ),
    OutsideFolder(_PATH, "DIR"): (
        "The recorded path, or a symbolic link in the folder, points outside the folder. Choose an empty folder. If "
        "the message still appears, another program has probably modified the index."
    ),
    NotRestored([NoSuchPath(_PATH)]): (
        "The other files were restored. The lines below the message give the reason for each file that was not."
    ),
    CannotWrite(_PATH, "File exists"): (
        "A file with the same name as the output folder exists, or you do not have permission to write to that folder. "
        "Choose another `--out`."
    ),
    CannotRead(_PATH, "No such file or directory"): (
        "A query that ends in `.sql` is read as the path of a file. Check the path."
    ),
    BadQuery('near "selec": syntax error', _STEP): (
        "The message contains SQLite's error. The query must be a single statement that only reads the index. "
        "`ccindex sql --schema` lists the views and their columns."
    ),
    QueryTooSlow(60): "Use a faster query or a larger `--timeout`. `--timeout 0` removes the limit.",
    ResultTooLarge(256 << 20): (
        "Tables and JSON are built in memory. `--csv` prints rows one at a time and has no limit."
    ),
}


def messages_table() -> str:
    """Return a table of error messages and what to do about each."""
    return table(["message", "what to do"], ((f"`{_symptom(error)}`", advice) for error, advice in ADVICE.items()))


def _symptom(error: CcindexError) -> str:
    return str(error).splitlines()[0].partition(";")[0].rstrip(" :")
