"""Read the output of programs that run in a pseudo-terminal."""

import os


def read_to_end(reader: int) -> bytes:
    """Read from a pseudo-terminal until its other end is closed; close this end and return the output."""
    output = b""
    try:
        while data := os.read(reader, 65_536):
            output += data
    except OSError:  # Linux raises this when the other end is closed
        pass
    finally:
        os.close(reader)
    return output
