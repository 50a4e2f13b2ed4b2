"""Generate the table of diagnostics in docs/troubleshooting.md."""

from ccindex.model.diagnostics import Code
from documentation.markdown import table


def diagnostics_table() -> str:
    """Return a table of all kinds of diagnostics, by name."""
    codes = sorted(Code, key=lambda code: code.slug)
    return table(["kind", "severity", "meaning"], ((f"`{code.slug}`", code.severity, code.sentence) for code in codes))
