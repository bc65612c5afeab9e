"""Starts the process that parses a customer's file, serves it bytes, and ends it; `read_tracks` uses it."""

import json
import os
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from tollgate.kit.observability import logger
from tollgate.probing.facts import ProbeCode, ProbeError

MAX_LINE_BYTES = 4096
_DEMUXER = "tollgate.probing.demuxer"


class UnreadableMediaError(Exception):
    """The file cannot be read as the type of its first bytes."""


class ParserFaultError(Exception):
    """The process failed before it read the file: a fault of Tollgate."""


class Source(Protocol):
    """A file of `size` bytes that is read in parts. `read_at` raises `ProbeError`."""

    size: int

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset`, fewer at the end of the file."""


@dataclass(frozen=True, slots=True)
class Tracks:
    """The content of a container: `kind` is `video`, or `audio` if there is no video.

    Width and height are `None` for audio, and for videos that only a decoder can measure (MPEG-4 part 2).
    """

    kind: str
    duration_ms: int | None
    width: int | None
    height: int | None


def read_tracks(container: str, source: Source, timeout_s: float) -> Tracks:
    """Read the header of an `mp4`, `mov`, `m4a`, `webm`, `mp3`, `wav`, `flac` or `ogg`, in at most
    `timeout_s` seconds.

    Raises `UnreadableMediaError`, also if the process dies because of the file; `ProbeError` from `source` or
    after the timeout; and `ParserFaultError`.
    """
    return Tracks(**run_parser(_DEMUXER, container, source, timeout_s))


def run_parser(
    module: str, container: str, source: Source, timeout_s: float, max_line_bytes: int = MAX_LINE_BYTES
) -> dict[str, Any]:
    """Return the result of the process of `module` for `source`; raises the errors of `read_tracks`.

    Its output lines have at most `max_line_bytes` bytes.
    """
    deadline = time.monotonic() + timeout_s
    answer = None
    # A write to a process that ended raises `BrokenPipeError`.
    with suppress(BrokenPipeError), _start(module, container, source.size) as child:
        timer = threading.Timer(max(0, timeout_s), child.kill)
        timer.start()
        try:
            answer = _serve(child, source, max_line_bytes)
        finally:
            timer.cancel()
            child.kill()
    if answer is not None:
        return answer
    if time.monotonic() >= deadline:
        raise ProbeError(ProbeCode.TOO_SLOW, "The file's header could not be parsed in time.")
    raise UnreadableMediaError


def _start(module: str, container: str, size: int) -> "subprocess.Popen[bytes]":
    # Only the paths of Python's libraries and Tollgate's packages; none of Lambda's credentials.
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    if "LD_LIBRARY_PATH" in os.environ:
        environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return subprocess.Popen(
        [sys.executable, "-m", module, container, str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def _serve(child: "subprocess.Popen[bytes]", source: Source, max_line_bytes: int) -> dict[str, Any] | None:
    """Answer the child's reads; return its result, or `None` if it finds nothing or dies."""
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes
    line = child.stdout.readline(max_line_bytes)
    if not line and child.wait() > 0:  # not killed
        raise ParserFaultError(f"the parser ended with {child.returncode}")
    while line:
        word, *rest = json.loads(line)
        if word == "found":
            return dict(rest[0])
        if word == "none":
            return None
        if word == "unsealed":
            _warn_once(*rest)
            line = child.stdout.readline(max_line_bytes)
            continue
        found = source.read_at(*rest)
        child.stdin.write(struct.pack(">I", len(found)) + found)
        child.stdin.flush()
        line = child.stdout.readline(max_line_bytes)
    return None


@cache
def _warn_once(reason: str) -> None:
    """Log that only the limits of `child.py` protect the process; once for each reason in this process."""
    logger.warning("probe_media.unsealed", reason=reason)
