"""Generate the table of diagnostics in docs/troubleshooting.md."""

from ccindex.model.diagnostics import Code
from documentation.markdown import table

_NOTHING = "Nothing."

ADVICE = {
    Code.CLOCK_SKEW: "Nothing. The order of entries does not depend on timestamps alone.",
    Code.CRLF: "Nothing. Another program may have converted the file.",
    Code.CYCLE_CUT: "Look at the entry with `ccindex explain`. The file was probably edited.",
    Code.DUPLICATE_DIFFERS: "Compare the copies: `ccindex explain UUID` lists them and shows which one is used.",
    Code.EMPTY_SOURCE: _NOTHING,
    Code.EXTRA_RESULT: _NOTHING,
    Code.LENIENT_LINE: _NOTHING,
    Code.LOOP_CUT: "Look at the sessions with `ccindex tree`. The files were probably edited.",
    Code.MALFORMED_LINE: "Look at the line in the file. Claude Code may have been killed while it was writing.",
    Code.MISSING_MODEL: _NOTHING,
    Code.NOT_A_FILE: "You can remove it or ignore it. ccindex does not read it.",
    Code.NUL_CHARACTER: "Nothing. `ccindex` itself shows the complete text.",
    Code.ODD_NAME: _NOTHING,
    Code.ORPHAN_PARENT: "If you have a backup of the missing transcript, index it: `ccindex ingest PATH`.",
    Code.ORPHAN_RESULT: "If you have a backup of the missing transcript, index it: `ccindex ingest PATH`.",
    Code.PROMPT_INLINED: _NOTHING,
    Code.PROMPT_SET_ASIDE: "Nothing. `ccindex explain UUID` shows the other prompt.",
    Code.REDACTED: _NOTHING,
    Code.SOURCE_MISSING: "Back up the index, or restore the file with `ccindex restore`.",
    Code.SOURCE_REWRITTEN: "Nothing. `ccindex restore --generation 1` restores the original content.",
    Code.SYMLINK_LOOP: _NOTHING,
    Code.TORN_TAIL: "Nothing. If the diagnostic persists, Claude Code was probably killed while writing.",
    Code.TWO_OBJECTS: _NOTHING,
    Code.UNEXPECTED_ROOT: "If you have a backup of the transcript, index it: `ccindex ingest PATH`.",
    Code.UNKNOWN_MODEL: "Update genai-prices and run `ccindex db reprice`.",
    Code.UNKNOWN_TYPE: "Update ccindex. See [unknown types](#unknown-types).",
    Code.UNLINKED_AGENT: "If you have a backup of the session's transcript, index it: `ccindex ingest PATH`.",
    Code.UNREADABLE: "Correct the permissions and run `ccindex ingest`.",
}


def diagnostics_table() -> str:
    """Return a table of all kinds of diagnostics and what to do about each, sorted by name."""
    codes = sorted(Code, key=lambda code: code.slug)
    return table(
        ["kind", "severity", "meaning", "what to do"],
        ((f"`{code.slug}`", code.severity, code.sentence, ADVICE[code]) for code in codes),
    )
