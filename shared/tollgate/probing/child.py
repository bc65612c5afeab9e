"""What a process that parses strangers' files has in common, whichever library it parses with.

The input is hostile, so such a process knows no secret, is given little memory and time, can open nothing,
and can be killed (`tracks.py` does it). It asks for bytes on its output, a JSON line each,
`["read", offset, length]`, and gets them on its input: four bytes of length, then as many bytes. Its last
line is `["found", {…}]` or `["none", reason]`.
"""

import json
import resource
import struct
import sys
from typing import Any

MAX_MEMORY_BYTES = 256 * 1024 * 1024
MAX_CPU_S = 15
"""For a process whose parent is gone; a living parent is less patient."""


def ask(offset: int, length: int) -> bytes:
    """Return bytes of the file, from the parent."""
    say("read", offset, length)
    (given,) = struct.unpack(">I", sys.stdin.buffer.read(4))
    return sys.stdin.buffer.read(given)


def say(*message: Any) -> None:
    """Write one line for the parent."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def confine() -> None:
    """Drop what the process could do harm with; nothing can be opened, or imported, from here on."""
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
