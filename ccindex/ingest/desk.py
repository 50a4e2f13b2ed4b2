"""Where what is found in one source is written into the index, whether it was read here or by another process."""

from collections.abc import Iterator

from ccindex.ingest.intake import Drift
from ccindex.ingest.run import Run
from ccindex.ingest.worker import Message
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Draft
from ccindex.model.recorded import Unknown
from ccindex.model.sources import Watermark
from ccindex.store.archive import Packed


class Desk:
    """Takes the notes of one generation of one source, in the transaction of its run."""

    def __init__(self, run: Run, source: int, generation: int) -> None:
        self._run = run
        self._source = source
        self._generation = generation
        self._numbered: list[int] = []

    def keep(self, start: int, block: bytes) -> None:
        """Archive bytes."""
        self._run.read(len(block))
        self._run.archive.put(self._source, self._generation, start, block)
        self._run.changed = True

    def keep_packed(self, start: int, packed: Packed) -> None:
        """Archive bytes that were packed elsewhere."""
        self._run.read(packed.length)
        with self._run.phases.timed("write"):
            self._run.archive.put_packed((self._source, self._generation), start, packed)
        self._run.changed = True

    def take(self, messages: Iterator[Message]) -> Watermark:
        """Take all that a worker sends of the source, up to how far it came."""
        for name, values in messages:
            if name == "record":
                self.record(Draft._make(*values))
            elif name == "keep":
                self.keep_packed(values[0], Packed._make(values[1:]))
            elif name == "tell":
                self.tell(Diagnostic(Code[values[0]], *values[1:]))
            elif name == "clear":
                self.clear(Code[values[0]])
            elif name == "count_unknown":
                self.count_unknown({Unknown._make(what): seen for what, seen in values[0]})
            elif name == "restamp":
                self.restamp(*values)
            elif name == "reclaim":
                self.reclaim(*values)
            else:
                self._run.phases.add(values[1])
                return Watermark(*values[0])
        raise AssertionError("a worker's last word is how far it came")

    def record(self, draft: Draft) -> None:
        """Write objects."""
        self._run.ledger.record(self._source, self._generation, draft, self._numbered)

    def tell(self, found: Diagnostic) -> None:
        """Write a diagnostic."""
        self._run.ledger.tell(self._source, self._generation, found)

    def clear(self, code: Code) -> None:
        """Take back what was told of the source."""
        self._run.ledger.clear_diagnostic(self._source, code)

    def count_unknown(self, found: Drift) -> None:
        """Add to the drift report."""
        self._run.ledger.count_unknown(self._source, self._generation, found)

    def restamp(self, before: int, at: int) -> None:
        """Lend an instant to the objects before an offset."""
        self._run.ledger.restamp(self._source, self._generation, before, at)

    def reclaim(self, before: int, session_id: str) -> None:
        """Lend a session to the objects before an offset."""
        self._run.ledger.reclaim(self._source, self._generation, before, session_id)
