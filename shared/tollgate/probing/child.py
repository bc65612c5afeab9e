"""What a process that parses strangers' files has in common, whichever library it parses with.

The input is hostile, so such a process knows no secret, is given little memory and time, can open nothing,
and can be killed (`tracks.py` does it). It asks for bytes on its output, a JSON line each,
`["read", offset, length]`, and gets them on its input: four bytes of length, then as many bytes. Its last
line is `["found", {…}]` or `["none", reason]`. `["unsealed", reason]` comes first where the system has no
filter of calls for it.
"""

import io
import json
import resource
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tollgate.probing.seccomp import seal

BUFFER_BYTES = 32 * 1024
ReadAt = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a process may take. `cpu_s` is for one whose parent is gone; a living one is less patient."""

    memory_bytes: int
    cpu_s: int


# For who reads headers; to decode takes more.
OF_HEADERS = Limits(memory_bytes=256 * 1024 * 1024, cpu_s=15)
_NOTHING = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC, resource.RLIMIT_CORE)


def ask(offset: int, length: int) -> bytes:
    """Return bytes of the file, from the parent."""
    say("read", offset, length)
    (given,) = struct.unpack(">I", sys.stdin.buffer.read(4))
    return sys.stdin.buffer.read(given)


def say(*message: Any) -> None:
    """Write one line for the parent."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def confine(limits: Limits = OF_HEADERS) -> None:
    """Drop what the process could do harm with; nothing can be opened, imported or started from here on.

    The limits stand alone where the filter cannot be set: no descriptors, no bytes into files, no processes
    (root, which no function is, may still start some).
    """
    most_of = {resource.RLIMIT_DATA: limits.memory_bytes, resource.RLIMIT_CPU: limits.cpu_s}
    for limit, most in (most_of | dict.fromkeys(_NOTHING, 0)).items():
        resource.setrlimit(limit, (most, most))
    refused = seal()
    if refused is not None:
        say("unsealed", refused)


class RangedFile(io.RawIOBase):
    """The file object that the libraries read: `size` bytes, by `read_at`."""

    def __init__(self, size: int, read_at: ReadAt) -> None:
        super().__init__()
        self._size = size
        self._read_at = read_at
        self._offset = 0

    def seekable(self) -> bool:
        """Say that it can be read anywhere."""
        return True

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move, as `io` does."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset}.get(whence, self._size)
        self._offset = max(0, base + offset)
        return self._offset

    def tell(self) -> int:
        """Return the place in the file."""
        return self._offset

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into `buffer`; return how many there are."""
        wanted = min(len(buffer), self._size - self._offset)
        found = self._read_at(self._offset, wanted) if wanted > 0 else b""
        buffer[: len(found)] = found
        self._offset += len(found)
        return len(found)


def buffered(file: RangedFile) -> io.BufferedReader:
    """Return `file` for libraries that read it byte by byte."""
    return io.BufferedReader(file, BUFFER_BYTES)
