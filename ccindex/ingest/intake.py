"""One source's new bytes to drafts of rows, and to what there is to tell of them; it needs no index for that."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Protocol

from ccindex.ingest.drafting import Drafting
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Draft, Phases
from ccindex.model.recorded import Parsed, Unknown
from ccindex.model.sources import Place, Watermark
from ccindex.read.entry_parser import parse
from ccindex.read.json_lines import LineReader, Piece

_FLUSH_BYTES = 4 << 20
_FLUSH_OBJECTS = 5_000
_AT_ONCE = 100
_SHOWN = 200

Drift = Mapping[Unknown, tuple[int, int, int]]


class Notes(Protocol):
    """Who takes down what an intake finds: the index itself, or a messenger to it."""

    def keep(self, start: int, block: bytes) -> None:
        """Take bytes for the archive."""

    def record(self, draft: Draft) -> None:
        """Take objects."""

    def tell(self, found: Diagnostic) -> None:
        """Take a diagnostic."""

    def clear(self, code: Code) -> None:
        """Take back what was told of the source."""

    def count_unknown(self, found: Drift) -> None:
        """Take what this version does not know."""

    def restamp(self, before: int, at: int) -> None:
        """Lend an instant to the objects before an offset."""

    def reclaim(self, before: int, session_id: str) -> None:
        """Lend a session to the objects before an offset."""


class Intake:
    """Reads one generation of one transcript from where it was left."""

    def __init__(self, notes: Notes, place: Place, mark: Watermark, phases: Phases) -> None:
        self._notes = notes
        self._phases = phases
        self._place = place
        self._reader = LineReader(mark.offset, mark.line_no, mark.line_objects)
        self._malformed = mark.malformed
        self._saw_crlf = mark.saw_crlf
        self._is_torn = mark.is_torn
        self._last_at = mark.last_at
        self._last_session = mark.last_session
        self._drafting = Drafting()
        self._bytes = 0
        self._unknown: dict[Unknown, tuple[int, int, int]] = {}
        # whether objects of the source are out of our hands
        self._has_given = mark.offset > 0

    @property
    def malformed(self) -> int:
        """How many lines were none."""
        return self._malformed

    def feed(self, block: bytes) -> None:
        """Take what a further block completes."""
        self._take(self._reader.feed(block))
        if self._reader.crlf_line is not None and not self._saw_crlf:
            # of no session: the line is known, but not what stood before it
            found = Diagnostic(Code.CRLF, line_no=self._reader.crlf_line, session_id=self._place.session_hint)
            self._notes.tell(found)
            self._saw_crlf = True

    def finish(self) -> None:
        """Take what is whole of the last line, and say so if the rest is torn."""
        self._take(self._reader.finish())
        if self._is_torn:
            self._notes.clear(Code.TORN_TAIL)
        self._is_torn = self._reader.is_torn
        if self._is_torn:
            self._tell(Code.TORN_TAIL, None, self._reader.line_no, self._reader.offset)

    def pause(self, archived: int) -> Watermark:
        """Write down all that is whole, newline or not, and return where to go on from."""
        self._take(self._reader.finish())
        self._flush()
        return Watermark(
            archived=archived,
            offset=self._reader.offset,
            line_no=self._reader.line_no,
            line_objects=self._reader.line_objects,
            malformed=self._malformed,
            saw_crlf=self._saw_crlf,
            is_torn=self._is_torn,
            last_at=self._last_at,
            last_session=self._last_session,
        )

    def _take(self, pieces: Iterator[Piece]) -> None:
        while True:
            with self._phases.timed("decode"):
                some = list(islice(pieces, _AT_ONCE))
            if not some:
                return
            with self._phases.timed("project"):
                self._project(some)
            if self._bytes >= _FLUSH_BYTES or len(self._drafting) >= _FLUSH_OBJECTS:
                self._flush()

    def _project(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if piece.value is None:
                self._refuse(piece)
            else:
                self._object(piece, piece.value)
            self._bytes += len(piece.raw)

    def _refuse(self, piece: Piece) -> None:
        shown = piece.raw[:_SHOWN].decode("utf-8", "replace")
        self._tell(Code.MALFORMED_LINE, shown, piece.line_no, piece.offset)
        self._malformed += 1

    def _object(self, piece: Piece, value: dict[str, Any]) -> None:
        parsed, raw = parse(value), piece.raw
        at, session_id = self._claims(piece.offset, parsed)
        if piece.why is not None:
            self._tell(Code.LENIENT_LINE, piece.why, piece.line_no, piece.offset)
        if piece.ordinal == 2:
            self._tell(Code.TWO_OBJECTS, None, piece.line_no, piece.offset)
        if b"\\u0000" in raw or b"\0" in raw:
            self._tell(Code.NUL_CHARACTER, None, piece.line_no, piece.offset)
        for item in parsed.unknown:
            count, line_no, offset = self._unknown.get(item, (0, piece.line_no, piece.offset))
            self._unknown[item] = (count + 1, line_no, offset)
        self._drafting.add((piece.line_no, piece.offset), raw, parsed, session_id, at)

    def _claims(self, offset: int, parsed: Parsed) -> tuple[int, str]:
        """Give the object's instant and session: its own, else those of its nearest neighbour in the file."""
        hint = self._place.session_hint
        if parsed.at is not None:
            if self._last_at is None:
                self._drafting.lend(at=parsed.at)
                if self._has_given:
                    self._notes.restamp(offset, parsed.at)
            self._last_at = parsed.at
        if parsed.session_id is not None:
            if self._last_session is None and hint is None:
                self._drafting.lend(session_id=parsed.session_id)
                if self._has_given:
                    self._notes.reclaim(offset, parsed.session_id)
            self._last_session = parsed.session_id
        session_id = parsed.session_id or hint or self._last_session or self._place.stem
        return self._last_at or 0, session_id

    def _flush(self) -> None:
        if not len(self._drafting):
            return
        self._notes.record(self._drafting.take())
        if self._unknown:
            self._notes.count_unknown(self._unknown)
        self._bytes, self._unknown, self._has_given = 0, {}, True

    def _tell(self, code: Code, detail: str | None, line_no: int, offset: int | None) -> None:
        session_id = self._place.session_hint or self._last_session
        self._notes.tell(Diagnostic(code, detail, line_no=line_no, offset=offset, session_id=session_id))
