"""The base of every process that parses customers' files, for all parsing libraries.

The input is hostile. So such a process has no secrets and little memory and time, cannot open anything, and
can be killed (by `tracks.py`). It requests bytes on its output, with a JSON line each,
`["read", offset, length]`, and receives them on its input: four bytes of length, then the data. Its last
line is `["found", {…}]` or `["none", reason]`. If the system has no filter of system calls for it,
`["unsealed", reason]` comes first.
"""

import io
import json
import resource
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tollgate.probing.seccomp import install_filter

BUFFER_BYTES = 32 * 1024
ReadAt = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a process. `cpu_s` matters if its parent died; a living parent ends it earlier."""

    memory_bytes: int
    cpu_s: int


# For reading headers; decoding needs more.
HEADER_LIMITS = Limits(memory_bytes=256 * 1024 * 1024, cpu_s=15)
_ZERO_LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC, resource.RLIMIT_CORE)


def read_from_parent(offset: int, length: int) -> bytes:
    """Return bytes of the file, which the parent reads."""
    send_to_parent("read", offset, length)
    (given,) = struct.unpack(">I", sys.stdin.buffer.read(4))
    return sys.stdin.buffer.read(given)


def send_to_parent(*message: Any) -> None:
    """Write one line for the parent."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def apply_limits(limits: Limits = HEADER_LIMITS) -> None:
    """Drop all dangerous abilities; afterwards nothing can be opened, imported or started.

    If the filter cannot be set, only the resource limits protect: no new descriptors, no bytes into files, no
    new processes (root may still start some, but no function runs as root).
    """
    most_of = {resource.RLIMIT_DATA: limits.memory_bytes, resource.RLIMIT_CPU: limits.cpu_s}
    for limit, most in (most_of | dict.fromkeys(_ZERO_LIMITS, 0)).items():
        resource.setrlimit(limit, (most, most))
    refused = install_filter()
    if refused is not None:
        send_to_parent("unsealed", refused)


class RangedFile(io.RawIOBase):
    """The file object for the libraries: `size` bytes, read through `read_at`."""

    def __init__(self, size: int, read_at: ReadAt) -> None:
        super().__init__()
        self._size = size
        self._read_at = read_at
        self._offset = 0

    def seekable(self) -> bool:
        """Return True: it can be read at any offset."""
        return True

    def readable(self) -> bool:
        """Return True: it can be read."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move like `io.RawIOBase.seek`; return the new offset."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset}.get(whence, self._size)
        self._offset = max(0, base + offset)
        return self._offset

    def tell(self) -> int:
        """Return the offset in the file."""
        return self._offset

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into `buffer`; return their number."""
        wanted = min(len(buffer), self._size - self._offset)
        found = self._read_at(self._offset, wanted) if wanted > 0 else b""
        buffer[: len(found)] = found
        self._offset += len(found)
        return len(found)


def buffered(file: RangedFile) -> io.BufferedReader:
    """Return `file` with a buffer, for libraries that read byte by byte."""
    return io.BufferedReader(file, BUFFER_BYTES)
