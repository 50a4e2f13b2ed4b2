"""Every diagnostic there is: its slug, how grave it is, and its one sentence."""

from enum import Enum
from typing import NamedTuple


class Code(Enum):
    """A kind of diagnostic; the member's value is (slug, severity, sentence)."""

    MALFORMED_LINE = (
        "malformed-line",
        "warning",
        "A line, or the rest of one, is no JSON object; its bytes are in the archive.",
    )
    TWO_OBJECTS = (
        "two-objects-on-a-line",
        "info",
        "A newline was lost: the line holds several objects, and all of them were taken.",
    )
    TORN_TAIL = (
        "torn-tail",
        "info",
        "The file ends in the middle of an object; the next run looks again.",
    )
    LENIENT_LINE = (
        "lenient-line",
        "info",
        "The object is not strict JSON and was read leniently; the detail says what is odd.",
    )
    NUL_CHARACTER = (
        "nul-character",
        "info",
        "A text holds U+0000, at which some SQL clients cut it off.",
    )
    CRLF = (
        "crlf",
        "info",
        "The file has Windows line ends; the first such line is named.",
    )
    EMPTY_SOURCE = (
        "empty-source",
        "info",
        "The transcript has no bytes yet.",
    )
    UNKNOWN_TYPE = (
        "unknown-type",
        "info",
        "A type of line this version does not know; it was kept, and stands in the drift report.",
    )
    SOURCE_REWRITTEN = (
        "source-rewritten",
        "info",
        "The transcript was changed other than by appending; earlier content is in the archive.",
    )
    SOURCE_MISSING = (
        "source-missing",
        "info",
        "The file is gone; the archive has the only copy.",
    )
    REDACTED = (
        "redacted",
        "info",
        "The transcript held objects of something forgotten; the archive has blanks in their place.",
    )
    UNREADABLE = (
        "unreadable",
        "warning",
        "A file or folder could not be read; what the index knew of it stays.",
    )
    NOT_A_FILE = (
        "not-a-file",
        "info",
        "Something is named like a transcript but is no regular file.",
    )
    SYMLINK_LOOP = (
        "symlink-loop",
        "info",
        "A link leads back to a folder above it and was not followed.",
    )
    ODD_NAME = (
        "odd-name",
        "info",
        "A file name is no UTF-8; the odd bytes stand as escapes in its path.",
    )

    ORPHAN_PARENT = (
        "orphan-parent",
        "info",
        "The entry names a parent that no transcript holds; it is a root until the parent is seen.",
    )
    CYCLE_CUT = (
        "cycle-cut",
        "warning",
        "Parents led in a circle; the link of the earliest entry in it was cut.",
    )
    LOOP_CUT = (
        "loop-cut",
        "warning",
        "Lines hang on one another in a circle; the earliest of them is a root.",
    )
    UNEXPECTED_ROOT = (
        "unexpected-root",
        "warning",
        "A thread has a further beginning that nothing explains; what stood before it may be lost.",
    )
    UNLINKED_AGENT = (
        "unlinked-agent",
        "info",
        "Nothing says which call spawned this subagent; its line is a root.",
    )
    PROMPT_INLINED = (
        "prompt-inlined",
        "info",
        "A typed prompt that nothing follows stands on the line beside the conversation that went on.",
    )
    PROMPT_SET_ASIDE = (
        "prompt-set-aside",
        "info",
        "A typed prompt is the copy of another and on no line.",
    )
    CLOCK_SKEW = (
        "clock-skew",
        "info",
        "The entry is stamped before its parent.",
    )

    DUPLICATE_DIFFERS = (
        "duplicate-uuid-differs",
        "warning",
        "Copies of one entry differ in the keys named; info if only in where or by whom they were written.",
    )
    EXTRA_RESULT = (
        "extra-result",
        "info",
        "A call was answered before; the detail names it, and this result is in no pair.",
    )
    ORPHAN_RESULT = (
        "orphan-result",
        "info",
        "A result answers a call that no transcript of the session holds; the detail names it.",
    )
    MISSING_MODEL = (
        "missing-model",
        "info",
        "Responses were recorded without a model, so that they have no cost; the first of a session is named.",
    )
    UNKNOWN_MODEL = (
        "unknown-model",
        "warning",
        "No list price is known for a model, so that its responses have no cost; the first of a session is named.",
    )

    @property
    def slug(self) -> str:
        """The name that `v1_diagnostics.kind` shows."""
        return self.value[0]

    @property
    def severity(self) -> str:
        """`info`, `warning` or `error`."""
        return self.value[1]

    @property
    def sentence(self) -> str:
        """What the kind means, for the README."""
        return self.value[2]


class Diagnostic(NamedTuple):
    """One thing worth telling about a place in a source, or about a place that is no source."""

    code: Code
    detail: str | None = None
    path: str | None = None
    line_no: int | None = None
    offset: int | None = None
    session_id: str | None = None
