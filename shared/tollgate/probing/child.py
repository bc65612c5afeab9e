"""What a process that parses strangers' files has in common, whichever library it parses with.

The input is hostile, so such a process knows no secret, is given little memory and time, can open nothing,
and can be killed (`tracks.py` does it). It asks for bytes on its output, a JSON line each,
`["read", offset, length]`, and gets them on its input: four bytes of length, then as many bytes. Its last
line is `["found", {…}]` or `["none", reason]`. `["unsealed", reason]` comes first where the system has no
filter of calls for it.
"""

import json
import resource
import struct
import sys
from typing import Any

from tollgate.probing.seccomp import seal

MAX_MEMORY_BYTES = 256 * 1024 * 1024
# For a process whose parent is gone; a living parent is less patient.
MAX_CPU_S = 15
_LIMITS = {
    resource.RLIMIT_DATA: MAX_MEMORY_BYTES,
    resource.RLIMIT_CPU: MAX_CPU_S,
    resource.RLIMIT_NOFILE: 0,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_NPROC: 0,
    resource.RLIMIT_CORE: 0,
}


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
    """Drop what the process could do harm with; nothing can be opened, imported or started from here on.

    The limits stand alone where the filter cannot be set: no descriptors, no bytes into files, no processes
    (root, which no function is, may still start some).
    """
    for limit, most in _LIMITS.items():
        resource.setrlimit(limit, (most, most))
    refused = seal()
    if refused is not None:
        say("unsealed", refused)
