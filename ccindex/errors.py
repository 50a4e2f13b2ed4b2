"""What a user can put right, each as one sentence with the next step."""

import shlex
from collections.abc import Sequence


class CcindexError(Exception):
    """Something the user can put right."""


class NoIndex(CcindexError):
    """There is no database at that place yet."""

    def __init__(self, path: object) -> None:
        super().__init__(f"no index at {str(path)!r}; make one with: ccindex ingest --db {shlex.quote(str(path))}")


class NotAnIndex(CcindexError):
    """The file is something else, and is left as it is."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} is not a ccindex index; name another file with --db")


class IndexOutdated(CcindexError):
    """An older ccindex made the index."""

    def __init__(self, path: object, found: str) -> None:
        super().__init__(f"{str(path)!r} has schema {found}, which is older; run: ccindex db upgrade")


class IndexTooNew(CcindexError):
    """A newer ccindex made the index."""

    def __init__(self, path: object, found: str) -> None:
        super().__init__(f"{str(path)!r} has schema {found}, which is newer than this ccindex; update ccindex")


class IndexUnusable(CcindexError):
    """SQLite or the disk said no."""

    def __init__(self, path: object, why: object, step: str) -> None:
        super().__init__(f"cannot use {str(path)!r}: {why}; {step}")


class IndexDamaged(IndexUnusable):
    """What stands in the file is no database any more."""


class WorkerLost(CcindexError):
    """A process that did part of a run's work is no more."""

    def __init__(self, code: int) -> None:
        super().__init__(
            f"a process of this run ended with {code}; nothing was lost: run it again, "
            "if need be with --jobs 0, which does without further processes"
        )


class IndexBusy(CcindexError):
    """Another ccindex writes to the index right now."""

    def __init__(self, path: object) -> None:
        super().__init__(f"another ccindex is writing to {str(path)!r}; try again when it is done")


class BadDatabaseName(CcindexError):
    """--db names something that is no SQLite file."""

    def __init__(self, given: str) -> None:
        super().__init__(f"--db takes a path or a sqlite:/// address of a file, not {given!r}")


class NoHome(CcindexError):
    """Nothing says where the user's own folder is."""

    def __init__(self) -> None:
        super().__init__("there is no home folder to look in; set HOME, or give --db and the PATHs to index")


class NoSuchPath(CcindexError):
    """A PATH neither exists nor has sources in the index."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} does not exist and the index knows nothing below it")


class NoSuchSource(CcindexError):
    """No source of that name is in the archive."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"no source {wanted!r} in this index; v1_sources lists those there are")


class NoSuchGeneration(CcindexError):
    """The source has no generation of that number."""

    def __init__(self, path: str | None, wanted: int, last: int) -> None:
        which = "no file in this index has a" if path is None else f"{path!r} has no"
        super().__init__(f"{which} generation {wanted}; there are 1 to {last}")


class WouldOverwrite(CcindexError):
    """A file stands in the way with other bytes."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} exists with other content; choose another --out or add --force")


class LeadsOutside(CcindexError):
    """A file would be written where nobody asked for it."""

    def __init__(self, path: str, out: object) -> None:
        super().__init__(f"{path!r} would be written outside {str(out)!r}; it was left out")


class NotRestored(CcindexError):
    """Some files did not come back."""

    def __init__(self, problems: Sequence[CcindexError]) -> None:
        files = "one file was" if len(problems) == 1 else f"{len(problems):,} files were"
        told = "\n  ".join(map(str, problems))
        super().__init__(f"{files} not restored:\n  {told}")


class CannotWrite(CcindexError):
    """The place to write to said no."""

    def __init__(self, path: object, why: object) -> None:
        super().__init__(f"cannot write {str(path)!r}: {why}")


class ArchiveDamaged(CcindexError):
    """Archived bytes do not come back as they went in."""

    def __init__(self, path: str, start: int, why: object) -> None:
        super().__init__(f"the archive of {path!r} is damaged at byte {start}: {why}; run: ccindex doctor")


class BadQuery(CcindexError):
    """The SQL given cannot be run."""

    def __init__(self, why: object) -> None:
        super().__init__(f"cannot run that query: {why}")


class QueryTooSlow(CcindexError):
    """The time that a query was given is up."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the query was stopped after {seconds:g} seconds; --timeout 0 lets it run to its end")


class AnswerTooLarge(CcindexError):
    """The rows of a query do not fit into memory."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer takes more than {most >> 20:,} MB; take fewer rows with --limit, or --csv")


class CannotRead(CcindexError):
    """A file that was named cannot be read."""

    def __init__(self, path: object, why: object) -> None:
        super().__init__(f"cannot read {str(path)!r}: {why}")


class NothingNamed(CcindexError):
    """No session, line, entry or path begins like that."""

    def __init__(self, what: str, wanted: str) -> None:
        super().__init__(f"no {what} in this index begins with {wanted!r}")


class NoSuchProject(CcindexError):
    """No project has exactly that name."""

    def __init__(self, wanted: str, close: Sequence[str]) -> None:
        others = f"; there are: {', '.join(close)}" if close else "; v1_projects lists those there are"
        super().__init__(f"no project in this index is called {wanted!r}{others}")


class NotForgotten(CcindexError):
    """Nothing of that name was forgotten, or several things that begin so."""

    def __init__(self, kind: str, wanted: str) -> None:
        super().__init__(f"no single forgotten {kind} begins with {wanted!r}; see: ccindex forget --list")


class OnlyNamed(CcindexError):
    """The entry is a ghost."""

    def __init__(self, uuid: str, children: int) -> None:
        entries = "one entry names" if children == 1 else f"{children:,} entries name"
        super().__init__(f"no transcript holds {uuid!r} yet; {entries} it: see v1_edges where state = 'ghost'")


class AmbiguousPrefix(CcindexError):
    """Several ids begin like that."""

    def __init__(self, what: str, wanted: str, matches: Sequence[str], *, more: bool) -> None:
        listed = "\n  ".join(matches) + ("\n  …" if more else "")
        super().__init__(f"several {what} begin with {wanted!r}; name one of them:\n  {listed}")


class CheckFailed(CcindexError):
    """Doctor found something broken."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"broken: {', '.join(names)}")
