"""Every kind of diagnostic, with its slug, severity and description."""

from enum import Enum
from typing import NamedTuple


class Code(Enum):
    """A kind of diagnostic; the member's value is (slug, severity, sentence) (rule: diagnostics)."""

    MALFORMED_LINE = (
        "malformed-line",
        "warning",
        "A line, or the rest of a line, is not a JSON object. Its bytes are in the archive.",
    )
    TWO_OBJECTS = (
        "two-objects-on-a-line",
        "info",
        "A line contains several JSON objects because a newline is missing. All of them were indexed.",
    )
    TORN_TAIL = (
        "torn-tail",
        "info",
        "The file ends in the middle of an object. The next run reads it again.",
    )
    LENIENT_LINE = (
        "lenient-line",
        "info",
        "The object is not strict JSON and was parsed leniently. The detail describes the deviation.",
    )
    NUL_CHARACTER = (
        "nul-character",
        "info",
        "A string contains U+0000. Some SQL clients truncate it there.",
    )
    CRLF = (
        "crlf",
        "info",
        "The file has Windows line endings. The line number is that of the first one.",
    )
    EMPTY_SOURCE = (
        "empty-source",
        "info",
        "The transcript is empty.",
    )
    UNKNOWN_TYPE = (
        "unknown-type",
        "info",
        "This version does not recognise the object's type. The object was indexed; v1_drift lists its type.",
    )
    SOURCE_REWRITTEN = (
        "source-rewritten",
        "info",
        "The transcript was rewritten, not just appended to. The earlier content is in the archive.",
    )
    SOURCE_MISSING = (
        "source-missing",
        "info",
        "The file no longer exists. The archive may have the only copy.",
    )
    REDACTED = (
        "redacted",
        "info",
        "The transcript contained forgotten objects. They are blanked out in the archive.",
    )
    UNREADABLE = (
        "unreadable",
        "warning",
        "A file or folder could not be read. Its indexed content is unchanged.",
    )
    NOT_A_FILE = (
        "not-a-file",
        "info",
        "The path has the name of a transcript but is not a regular file.",
    )
    SYMLINK_LOOP = (
        "symlink-loop",
        "info",
        "A symbolic link points to one of its own parent folders and was not followed.",
    )
    ODD_NAME = (
        "odd-name",
        "info",
        "A file name is not valid UTF-8. The invalid bytes are shown as escape sequences in its path.",
    )

    ORPHAN_PARENT = (
        "orphan-parent",
        "info",
        "The entry refers to a parent that no transcript contains. The entry is a root until the parent is found.",
    )
    CYCLE_CUT = (
        "cycle-cut",
        "warning",
        "Parent links form a cycle. The parent link of the earliest entry in the cycle was cut.",
    )
    LOOP_CUT = (
        "loop-cut",
        "warning",
        "Lines are attached to each other in a cycle. The earliest line in the cycle became a root.",
    )
    UNEXPECTED_ROOT = (
        "unexpected-root",
        "warning",
        "A thread has an additional root. Entries before it may be missing, or the first prompt was replaced.",
    )
    UNLINKED_AGENT = (
        "unlinked-agent",
        "info",
        "The call that spawned this subagent is unknown. Its line is a root.",
    )
    PROMPT_INLINED = (
        "prompt-inlined",
        "info",
        "A typed prompt was not answered. It is on the same line as the conversation, which continued without it.",
    )
    PROMPT_SET_ASIDE = (
        "prompt-set-aside",
        "info",
        "A typed prompt is a copy of another prompt and is not on any line.",
    )
    CLOCK_SKEW = (
        "clock-skew",
        "info",
        "The entry has an earlier timestamp than its parent.",
    )

    DUPLICATE_DIFFERS = (
        "duplicate-uuid-differs",
        "warning",
        "Copies of one entry differ; the detail lists the keys. The severity is info if only metadata differs.",
    )
    EXTRA_RESULT = (
        "extra-result",
        "info",
        "The call is already paired with another result, so this one is not paired. The detail is the call id.",
    )
    ORPHAN_RESULT = (
        "orphan-result",
        "info",
        "No transcript of the session contains the call for this result. The detail is the call id.",
    )
    MISSING_MODEL = (
        "missing-model",
        "info",
        "Responses without a model have no cost. Reported once per session, for the first such response.",
    )
    UNKNOWN_MODEL = (
        "unknown-model",
        "warning",
        "A model has no known list price, so its responses have no cost. Reported once per session and model.",
    )

    @property
    def slug(self) -> str:
        """The name shown in `v1_diagnostics.kind`."""
        return self.value[0]

    @property
    def severity(self) -> str:
        """The default severity: `info` or `warning`."""
        return self.value[1]

    @property
    def sentence(self) -> str:
        """The meaning of the kind, for the documentation."""
        return self.value[2]


class Diagnostic(NamedTuple):
    """A diagnostic about a source, with the position in it if there is one, or about a path that is not a source."""

    code: Code
    detail: str | None = None
    path: str | None = None
    line_no: int | None = None
    offset: int | None = None
    session_id: str | None = None
