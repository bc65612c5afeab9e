"""A filter of system calls: after `install_filter`, a process can compute, use its open files, and exit.

No file, socket, process or program can be opened, created or started any more, by any code in the process.
The filter cannot be removed, and needs no privilege. Sources: seccomp(2), prctl(2), linux/filter.h,
linux/audit.h; the numbers of the calls are from asm/unistd.h.
"""

import ctypes
import errno
import os
import platform
import struct
from dataclasses import dataclass

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_KILL_PROCESS, _REFUSE, _ALLOW = 0x8000_0000, 0x0005_0000 | errno.EPERM, 0x7FFF_0000
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
# The offsets of the call's number and of its architecture in `struct seccomp_data`.
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET = 0, 4

# Each call's number on x86_64 and on aarch64.
_ALLOWED = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "exit": (60, 93),
    "sigaltstack": (131, 132),
    "futex": (202, 98),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "exit_group": (231, 94),
    "getrandom": (318, 278),
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """A processor, by its number in linux/audit.h and its column in the table above."""

    audit_number: int
    column: int


ARCHITECTURES = {"x86_64": Architecture(0xC000_003E, 0), "aarch64": Architecture(0xC000_00B7, 1)}


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install_filter() -> str | None:
    """Allow only the calls above in this process; return the reason if the system does not support it."""
    architecture = ARCHITECTURES.get(platform.machine())
    if platform.system() != "Linux" or architecture is None:
        return f"no filter for {platform.system()} on {platform.machine()}"
    instructions = program(architecture)
    filled = _Program(len(instructions) // 8, instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    # Without NO_NEW_PRIVS only root may set a filter; with it, no started program could gain privileges.
    for call in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(filled)),
    ):
        if libc.prctl(call[0], *(ctypes.c_ulong(each) for each in call[1:]), *[ctypes.c_ulong(0)] * 2) != 0:
            return f"prctl {call[0]}: {os.strerror(ctypes.get_errno())}"
    return None


def program(architecture: Architecture) -> bytes:
    """Return the filter in instructions of eight bytes: allowed calls pass, all others fail with EPERM.

    A call with another architecture's numbers (32 bit on x86_64) would be another call, so it kills the
    process.
    """
    numbers = [numbers[architecture.column] for numbers in _ALLOWED.values()]
    lines = [
        _line(_LOAD_WORD, _ARCHITECTURE_OFFSET),
        _line(_JUMP_IF_EQUAL, architecture.audit_number, if_true=1),
        _line(_RETURN, _KILL_PROCESS),
        _line(_LOAD_WORD, _NUMBER_OFFSET),
    ]
    for number in numbers:
        lines += [_line(_JUMP_IF_EQUAL, number, if_false=1), _line(_RETURN, _ALLOW)]
    return b"".join([*lines, _line(_RETURN, _REFUSE)])


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one `struct sock_filter`; a jump is the number of instructions to skip."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
