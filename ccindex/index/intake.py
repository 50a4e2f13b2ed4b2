"""One source's new bytes into the index: archived as they are, and as the objects they hold."""

from collections.abc import Iterator
from typing import Any

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.facts import Parsed, Unknown
from ccindex.model.sources import Place, Watermark
from ccindex.read.lines import LineReader, Piece
from ccindex.read.parse import parse
from ccindex.store.changes import Taken

from .ledger import Ledger

_FLUSH_BYTES = 4 << 20
_FLUSH_OBJECTS = 5_000
_SHOWN = 200


class Intake:
    """Reads one generation of one transcript from where it was left; the ledger keeps what it finds."""

    def __init__(self, ledger: Ledger, source: int, generation: int, *, place: Place, mark: Watermark) -> None:
        self._ledger = ledger
        self._source = source
        self._generation = generation
        self._place = place
        self._reader = LineReader(mark.offset, mark.line_no, mark.line_objects)
        self._malformed = mark.malformed
        self._saw_crlf = mark.saw_crlf
        self._is_torn = mark.is_torn
        self._last_at = mark.last_at
        self._last_session = mark.last_session
        self._taken: list[Taken] = []
        self._bytes = 0
        self._unknown: dict[Unknown, tuple[int, int, int]] = {}

    def feed(self, block: bytes) -> None:
        """Take what a further block completes."""
        self._take(self._reader.feed(block))
        if self._reader.crlf_line is not None and not self._saw_crlf:
            # of no session: the line is known, but not what stood before it
            found = Diagnostic(Code.CRLF, line_no=self._reader.crlf_line, session_id=self._place.session_hint)
            self._ledger.tell(self._source, self._generation, found)
            self._saw_crlf = True

    def finish(self) -> None:
        """Take what is whole of the last line, and say so if the rest is torn."""
        self._take(self._reader.finish())
        if self._is_torn:
            self._ledger.clear_diagnostic(self._source, Code.TORN_TAIL)
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
        for piece in pieces:
            if piece.value is None:
                self._refuse(piece)
            else:
                self._object(piece, piece.value)
            self._bytes += len(piece.raw)
            if self._bytes >= _FLUSH_BYTES or len(self._taken) >= _FLUSH_OBJECTS:
                self._flush()

    def _refuse(self, piece: Piece) -> None:
        shown = piece.raw[:_SHOWN].decode("utf-8", "replace")
        self._tell(Code.MALFORMED_LINE, shown, piece.line_no, piece.offset)
        self._malformed += 1
        self._ledger.tally.malformed_lines += 1

    def _object(self, piece: Piece, value: dict[str, Any]) -> None:
        parsed = parse(value)
        at, session_id = self._claims(piece, parsed)
        if piece.why is not None:
            self._tell(Code.LENIENT_LINE, piece.why, piece.line_no, piece.offset)
        if piece.ordinal == 2:
            self._tell(Code.TWO_OBJECTS, None, piece.line_no, piece.offset)
        if b"\\u0000" in piece.raw or b"\0" in piece.raw:
            self._tell(Code.NUL_CHARACTER, None, piece.line_no, piece.offset)
        for item in parsed.unknown:
            count, line_no, offset = self._unknown.get(item, (0, piece.line_no, piece.offset))
            self._unknown[item] = (count + 1, line_no, offset)
        self._taken.append(
            Taken(
                self._source,
                self._generation,
                piece.line_no,
                piece.offset,
                piece.raw,
                parsed,
                session_id,
                at,
            )
        )

    def _claims(self, piece: Piece, parsed: Parsed) -> tuple[int, str]:
        """Give the object's instant and session: its own, else those of its nearest neighbour in the file."""
        hint, where = self._place.session_hint, (self._source, self._generation, piece.offset)
        if parsed.at is not None:
            if self._last_at is None:
                self._flush()
                self._ledger.restamp(*where, parsed.at)
            self._last_at = parsed.at
        if parsed.session_id is not None:
            if self._last_session is None and hint is None:
                self._flush()
                self._ledger.reclaim(*where, parsed.session_id)
            self._last_session = parsed.session_id
        session_id = parsed.session_id or hint or self._last_session or self._place.stem
        return self._last_at or 0, session_id

    def _flush(self) -> None:
        if not self._taken:
            return
        self._ledger.record(self._taken)
        self._ledger.count_unknown(self._source, self._generation, self._unknown)
        self._taken, self._bytes, self._unknown = [], 0, {}

    def _tell(self, code: Code, detail: str | None, line_no: int, offset: int | None) -> None:
        session_id = self._place.session_hint or self._last_session
        found = Diagnostic(code, detail, line_no=line_no, offset=offset, session_id=session_id)
        self._ledger.tell(self._source, self._generation, found)
