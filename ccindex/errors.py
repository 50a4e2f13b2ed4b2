"""Errors that a user can fix; most messages are one sentence that ends with the next step."""

import shlex
from collections.abc import Sequence


class CcindexError(Exception):
    """Base class for all errors that a user can fix."""


class NoIndex(CcindexError):
    """There is no database at the given path yet."""

    def __init__(self, path: object) -> None:
        super().__init__(f"no index at {str(path)!r}; create it with: ccindex ingest --db {shlex.quote(str(path))}")


class NotAnIndex(CcindexError):
    """The file exists but is not a ccindex index; it is not modified."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} is not a ccindex index; choose another file with --db")


class IndexOutdated(CcindexError):
    """The index was created by an older version of ccindex."""

    def __init__(self, path: object, schema: str) -> None:
        super().__init__(f"{str(path)!r} has schema {schema}, which is outdated; run: ccindex db upgrade")


class IndexTooNew(CcindexError):
    """The index was created by a newer version of ccindex."""

    def __init__(self, path: object, schema: str) -> None:
        super().__init__(
            f"{str(path)!r} has schema {schema}, which is too new for this version of ccindex; update ccindex"
        )


class IndexUnusable(CcindexError):
    """SQLite or the file system reported an error about the index."""

    def __init__(self, path: object, reason: object, step: str) -> None:
        super().__init__(f"cannot use {str(path)!r}: {reason}; {step}")


class IndexDamaged(IndexUnusable):
    """The index is damaged: SQLite cannot read the file, or its content is inconsistent."""


class WorkerLost(CcindexError):
    """A worker process ended before it finished its work."""

    def __init__(self, code: int) -> None:
        super().__init__(
            f"a worker process ended with exit code {code}; no data was lost; run the command again, "
            "with --jobs 0 if the error recurs"
        )


class IndexBusy(CcindexError):
    """Another ccindex process is writing to the index."""

    def __init__(self, path: object) -> None:
        super().__init__(f"another ccindex process is writing to {str(path)!r}; try again when it has finished")


class BadDatabaseName(CcindexError):
    """The value of --db is not the path of a SQLite file."""

    def __init__(self, name: str) -> None:
        super().__init__(f"--db (or CCINDEX_DB) must be a file path or a sqlite:/// URL, not {name!r}")


class NoHomeFolder(CcindexError):
    """The user's home folder is unknown."""

    def __init__(self) -> None:
        super().__init__("the home folder is unknown; set HOME, or specify --db and the paths to index")


class NoSuchPath(CcindexError):
    """The path does not exist, and the index has no sources under it."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} does not exist, and the index has no files under it; check the path")


class NoSuchSource(CcindexError):
    """The index has no source with the given path."""

    def __init__(self, name: str) -> None:
        step = 'list all files with: ccindex sql "select path from v1_sources"'
        super().__init__(f"no file {name!r} in this index; {step}")


class NoSuchGeneration(CcindexError):
    """No generation of the source, or of any source, has the given number."""

    def __init__(self, path: str | None, generation: int, last: int) -> None:
        subject = "no file in this index has" if path is None else f"{path!r} does not have"
        super().__init__(f"{subject} generation {generation}; the latest is {last}")


class WouldOverwrite(CcindexError):
    """The target file exists with different content."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} already exists with different content; choose another --out or add --force")


class OutsideFolder(CcindexError):
    """A file would be restored to a location outside the target folder."""

    def __init__(self, path: str, out: object) -> None:
        super().__init__(f"{path!r} would be written outside {str(out)!r}, so it was skipped")


class NotRestored(CcindexError):
    """Some files could not be restored."""

    def __init__(self, problems: Sequence[CcindexError]) -> None:
        files = "one file was" if len(problems) == 1 else f"{len(problems):,} files were"
        reasons = "\n  ".join(map(str, problems))
        super().__init__(f"{files} not restored:\n  {reasons}")


class CannotWrite(CcindexError):
    """A file or folder cannot be written."""

    def __init__(
        self, path: object, reason: object, step: str = "check the path, its permissions and the free disk space"
    ) -> None:
        super().__init__(f"cannot write {str(path)!r}: {reason}; {step}")


class ArchiveDamaged(CcindexError):
    """The archived bytes are no longer the bytes that were stored."""

    def __init__(self, path: str, start: int, reason: object) -> None:
        super().__init__(f"the archived copy of {path!r} is damaged at byte {start}: {reason}; run: ccindex doctor")


class BadQuery(CcindexError):
    """SQLite cannot run the query."""

    def __init__(self, reason: object, step: str) -> None:
        super().__init__(f"cannot run the query: {str(reason).rstrip('.')}; {step}")


class QueryTooSlow(CcindexError):
    """The query exceeded its time limit."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the query was stopped after {seconds:g} s; --timeout 0 removes the time limit")


class ResultTooLarge(CcindexError):
    """The result of a query is larger than the limit."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"the result is larger than {max_bytes >> 20:,} MB; use --limit to get fewer rows, or --csv")


class CannotRead(CcindexError):
    """A file given on the command line cannot be read."""

    def __init__(self, path: object, reason: object) -> None:
        super().__init__(f"cannot read {str(path)!r}: {reason}; specify a readable UTF-8 text file")


class NoSuchId(CcindexError):
    """No session, line, entry or path has an id with the given prefix."""

    def __init__(self, kinds: str, prefix: str) -> None:
        super().__init__(
            f"no {kinds} in this index has an id starting with {prefix!r}; "
            "check the id, or run ccindex ingest if it is new"
        )


class NoSuchProject(CcindexError):
    """No project has exactly the given name."""

    def __init__(self, name: str, similar: Sequence[str]) -> None:
        all_names = 'list all with: ccindex sql "select project from v1_projects"'
        hint = f"similar names: {', '.join(similar)}" if similar else all_names
        super().__init__(f"no project in this index is called {name!r}; {hint}")


class NoSuchTombstone(CcindexError):
    """The given prefix matches no tombstone, or more than one."""

    def __init__(self, kind: str, prefix: str) -> None:
        super().__init__(
            f"{prefix!r} does not match exactly one forgotten {kind}; list all with: ccindex forget --list"
        )


class GhostEntry(CcindexError):
    """The entry is a ghost: other entries refer to it, but no transcript contains it."""

    def __init__(self, uuid: str, children: int) -> None:
        entries = "one entry refers" if children == 1 else f"{children:,} entries refer"
        super().__init__(
            f"no indexed transcript contains {uuid!r}; {entries} to it (see v1_edges where state = 'ghost')"
        )


class AmbiguousPrefix(CcindexError):
    """Several ids have the given prefix."""

    def __init__(self, kinds: str, prefix: str, matches: Sequence[str], *, more: bool) -> None:
        listed = "\n  ".join(matches) + ("\n  …" if more else "")
        super().__init__(f"several {kinds} have ids starting with {prefix!r}; specify one of them:\n  {listed}")


class CheckFailed(CcindexError):
    """One or more `ccindex doctor` checks failed."""

    def __init__(self, names: list[str]) -> None:
        is_archive = any(name == "integrity" or name.startswith("archive") for name in names)
        step = "restore a backup" if is_archive else "run: ccindex db rebuild"
        super().__init__(f"failed checks: {', '.join(names)}; {step}")
