"""The other end of a worker: a process that reads new files and sends what it finds, never touching the index."""

import errno
import gc
import os
import queue
import sys
import threading
import traceback
from dataclasses import astuple
from typing import Any, BinaryIO

from ccindex.ingest.intake import Drift, Intake
from ccindex.ingest.processes import send
from ccindex.ingest.reading import Reading, Unreadable, open_file
from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.events import Draft, Phases
from ccindex.model.sources import Place, Role, Watermark
from ccindex.read.discovery import state_of
from ccindex.store.archive import compressor, digest_of, signed_hash

_AHEAD = 8  # messages that wait for the other side, lest a worker stand still while another is listened to

# how the messages of a file end
READ, CLOSED, FAILED = "read", "closed", "failed"

Message = tuple[str, tuple[Any, ...]]


class Outbox:
    """Notes to be sent: those of a block together."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._messages: list[Message] = []
        self._compressor = compressor()
        self._waiting: queue.Queue[list[Message] | None] = queue.Queue(_AHEAD)
        self._sender = threading.Thread(target=self._send)
        self._sender.start()

    def keep(self, start: int, block: bytes) -> None:
        """Send what is to be archived, packed, and all that was noted before."""
        self.send()
        self._add("keep", start, len(block), digest_of(block), self._compressor.compress(block))

    def record(self, draft: Draft) -> None:
        """Note objects."""
        self._add("record", tuple(draft))

    def tell(self, found: Diagnostic) -> None:
        """Note a diagnostic."""
        self._add("tell", found.code.name, *found[1:])

    def clear(self, code: Code) -> None:
        """Note that something told is no longer so."""
        self._add("clear", code.name)

    def count_unknown(self, found: Drift) -> None:
        """Note what this version does not know."""
        self._add("count_unknown", [(tuple(what), seen) for what, seen in found.items()])

    def restamp(self, before: int, at: int) -> None:
        """Note an instant lent."""
        self._add("restamp", before, at)

    def reclaim(self, before: int, session_id: str) -> None:
        """Note a session lent."""
        self._add("reclaim", before, session_id)

    def say(self, name: str, *values: Any) -> None:
        """Tell the other side of the reading itself, and send all there is."""
        self._add(name, *values)
        self.send()

    def send(self) -> None:
        """Let the notes go."""
        if self._messages:
            self._waiting.put(self._messages)
            self._messages = []

    def close(self) -> None:
        """Wait until everything is sent."""
        self._waiting.put(None)
        self._sender.join()

    def _add(self, name: str, *values: Any) -> None:
        self._messages.append((name, values))

    def _send(self) -> None:
        try:
            for messages in iter(self._waiting.get, None):
                send(self._stream, messages)
                self._stream.flush()
        except BaseException:  # noqa: BLE001 - whatever it is, who waits for room in the queue would wait for ever
            os._exit(1)


def main(tasks: list[tuple[str, tuple[Any, ...]]]) -> None:
    """Read files, in order, and send what is in them to standard output."""
    gc.disable()  # much is made here, and nothing of it is in a cycle
    outbox = Outbox(sys.stdout.buffer)
    try:
        for real, place in tasks:
            _read(real, Place(Role(place[0]), *place[1:]), outbox)
    except Exception:  # noqa: BLE001 - a bug of ours, for the other side to tell
        outbox.say(FAILED, traceback.format_exc())
    outbox.close()


def _read(real: str, place: Place, outbox: Outbox) -> None:
    try:
        file = open_file(real)
    except Unreadable as error:
        outbox.say(CLOSED, error.error.errno or errno.EIO, str(error))
        return
    with file:
        state = state_of(os.fstat(file.fileno()))
        phases = Phases()
        intake = Intake(outbox, place, Watermark(), phases)
        reading = Reading(file, outbox, intake, range(state.size), phases)
        outbox.say("opened", astuple(state))
        try:
            for _ in reading.blocks():
                pass
        except Unreadable as error:
            outbox.tell(Diagnostic(Code.UNREADABLE, str(error)))
    intake.finish()
    mark = intake.pause(reading.archived)
    edges = signed_hash(reading.head), signed_hash(reading.tail)
    outbox.say(READ, (*astuple(mark)[:-2], *edges), phases.seconds())
