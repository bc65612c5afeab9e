"""Starts the process that parses a stranger's file, serves it bytes, and ends it; reads tracks with one."""

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


class NoTracksError(Exception):
    """The file cannot be read as what it begins like."""


class DemuxerFaultError(Exception):
    """The process did not get as far as looking at the file: a fault of ours."""


class Source(Protocol):
    """A file of `size` bytes that is read where something is needed. `read_at` raises `ProbeError`."""

    size: int

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset`, fewer at the end of the file."""


@dataclass(frozen=True, slots=True)
class Tracks:
    """What a container holds: `kind` is `video`, or `audio` where there is no video.

    Width and height are `None` for audio, and where only a decoder could tell them (MPEG-4 part 2).
    """

    kind: str
    duration_ms: int | None
    width: int | None
    height: int | None


def read_tracks(container: str, source: Source, timeout_s: float) -> Tracks:
    """Read the header of an `mp4`, `mov`, `m4a`, `webm`, `mp3` or `wav`, in at most `timeout_s` seconds.

    Raises `NoTracksError`, also when the process dies of the file; `ProbeError`, that of `source` or that
    there was no time; and `DemuxerFaultError`.
    """
    return Tracks(**asked(_DEMUXER, container, source, timeout_s))


def asked(
    module: str, container: str, source: Source, timeout_s: float, max_line_bytes: int = MAX_LINE_BYTES
) -> dict[str, Any]:
    """Return what the process of `module` finds in `source`; raises what `read_tracks` does.

    No line of it is longer than `max_line_bytes`.
    """
    deadline = time.monotonic() + timeout_s
    answer = None
    # A process that is gone is noticed when it is written to.
    with suppress(BrokenPipeError), _started(module, container, source.size) as child:
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
        raise ProbeError(ProbeCode.TOO_SLOW, "The file's header cannot be understood in time.")
    raise NoTracksError


def _started(module: str, container: str, size: int) -> "subprocess.Popen[bytes]":
    # Where to find Python's own libraries and our packages; none of Lambda's credentials.
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
    """Read what the child asks for; return its answer, `None` when it finds nothing or dies."""
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes
    line = child.stdout.readline(max_line_bytes)
    if not line and child.wait() > 0:  # not killed
        raise DemuxerFaultError(f"the parser ended with {child.returncode}")
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
    """Say that the limits of `child.py` hold the process alone; of each reason, once in a process's life."""
    logger.warning("probe_media.unsealed", reason=reason)
