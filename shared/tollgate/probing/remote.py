"""A customer's file, read by HTTP range requests, in blocks, and only as far as necessary.

From a server without ranges, the file is read from its start, within the same bounds.
"""

import base64
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

import httpx

from tollgate.kit.http.addresses import ForbiddenAddressError
from tollgate.kit.http.outbound import MAX_REDIRECTS, Outbound
from tollgate.kit.numbers import digits
from tollgate.probing.facts import ProbeCode, ProbeError


@dataclass(frozen=True, slots=True)
class Bounds:
    """How a file is read: the bytes of a block, each of which is one request, and the number of blocks."""

    block_bytes: int
    max_blocks: int

    @property
    def max_bytes(self) -> int:
        """Return the most bytes of a file that are read."""
        return self.block_bytes * self.max_blocks


# Enough for any header.
HEADER_BOUNDS = Bounds(block_bytes=64 * 1024, max_blocks=16)
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")

# As many digits as `_CONTENT_RANGE` takes.
MAX_SIZE = 10**18 - 1

_HTTP_OK = 200
_HTTP_PARTIAL = 206
_HTTP_RANGE_NOT_SATISFIABLE = 416


class Blocks(Protocol):
    """A file of `size` bytes, in blocks; the last block may be shorter."""

    size: int

    def block(self, index: int) -> bytes:
        """Return a block inside the file."""


class RemoteFile:
    """A file of `size` bytes at a URL."""

    def __init__(self, blocks: Blocks, block_bytes: int) -> None:
        self.size = blocks.size
        self._blocks = blocks
        self._block_bytes = block_bytes

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset`, fewer at the end of the file. Raises `ProbeError`."""
        end = min(offset + length, self.size)
        if offset >= end:
            return b""
        first, last = offset // self._block_bytes, (end - 1) // self._block_bytes
        with _named_errors():
            found = b"".join(self._blocks.block(index) for index in range(first, last + 1))
        start = offset - first * self._block_bytes
        return found[start : start + end - offset]


@contextmanager
def remote_file(
    outbound: Outbound, url: str, timeout_s: float, bounds: Bounds = HEADER_BOUNDS
) -> Iterator[RemoteFile]:
    """Open `url`; opening and reading together take at most `timeout_s` seconds.

    Raises `ProbeError`, also during reads.
    """
    if url.startswith("data:"):
        data = base64.b64decode(url.partition(",")[2])
        yield RemoteFile(_InMemoryBlocks(data, bounds), bounds.block_bytes)
        return
    with ExitStack() as ends:
        with _named_errors():
            client = ends.enter_context(outbound.session(url, timeout_s))
            response = ends.enter_context(client.stream("GET", url, headers=_range(0, bounds)))
            blocks = _blocks(client, response, bounds)
        yield RemoteFile(blocks, bounds.block_bytes)


def _blocks(client: httpx.Client, response: httpx.Response, bounds: Bounds) -> Blocks:
    """Return a reader that fits the first response."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ProbeError(
            ProbeCode.COMPRESSED, "The server compresses the file. It must send the file uncompressed."
        )
    if response.status_code == _HTTP_PARTIAL:
        return _RangeBlocks(client, response, bounds)
    # A server without ranges sends the whole file: read only the start, then close the connection.
    if response.status_code == _HTTP_OK:
        return _StreamBlocks(response, bounds)
    if response.status_code == _HTTP_RANGE_NOT_SATISFIABLE:
        raise _empty()  # not even the first byte exists
    raise ProbeError(ProbeCode.REFUSED, f"The URL returned HTTP {response.status_code}.")


class _InMemoryBlocks:
    """A file from a data URI in the request."""

    def __init__(self, data: bytes, bounds: Bounds) -> None:
        self.size = len(data)
        self._data = data
        self._block_bytes = bounds.block_bytes

    def block(self, index: int) -> bytes:
        return self._data[index * self._block_bytes : (index + 1) * self._block_bytes]


class _RangeBlocks:
    """One range request for each block. Later requests use the URL that the first was redirected to."""

    def __init__(self, client: httpx.Client, first: httpx.Response, bounds: Bounds) -> None:
        self._client = client
        self._bounds = bounds
        self._url = first.url
        self.size = _span(first).total
        self._found = {0: self._body(first, 0)}

    def block(self, index: int) -> bytes:
        if index not in self._found:
            # The number of blocks is bounded, so a file cannot make its parser download all of it.
            if len(self._found) == self._bounds.max_blocks:
                most = self._bounds.max_bytes
                message = f"The file's header needs more than {most} bytes."
                raise ProbeError(ProbeCode.HEADER_TOO_LARGE, message)
            with self._client.stream("GET", self._url, headers=_range(index, self._bounds)) as response:
                self._found[index] = self._body(response, index)
        return self._found[index]

    def _body(self, response: httpx.Response, index: int) -> bytes:
        start = index * self._bounds.block_bytes
        wanted = _Span(start, min(start + self._bounds.block_bytes, self.size) - 1, self.size)
        if response.status_code != _HTTP_PARTIAL or _span(response) != wanted:
            raise _bad_range()
        length = wanted.end + 1 - start
        found = bytearray()
        # Read one byte more than expected, to check that the body has the announced length.
        _extend(found, response.iter_raw(), length + 1)
        if len(found) != length:
            raise _bad_range()
        return bytes(found)


class _StreamBlocks:
    """One response with the whole file, read only as far as necessary."""

    def __init__(self, response: httpx.Response, bounds: Bounds) -> None:
        self._bounds = bounds
        self._parts = response.iter_raw()
        self._found = bytearray()
        declared = response.headers.get("content-length")
        size = self._count() if declared is None else digits(declared, 0, MAX_SIZE)
        if size is None:
            raise _bad_length()
        self.size = size
        if self.size == 0:
            raise _empty()

    def block(self, index: int) -> bytes:
        start = index * self._bounds.block_bytes
        end = min(start + self._bounds.block_bytes, self.size)
        if end > self._bounds.max_bytes:
            raise _no_ranges(self._bounds)
        _extend(self._found, self._parts, end)
        return bytes(self._found[start:end])

    def _count(self) -> int:
        """Return the size of a file without a content length, which needs a read to its end."""
        _extend(self._found, self._parts, self._bounds.max_bytes + 1)
        if len(self._found) > self._bounds.max_bytes:
            raise _no_ranges(self._bounds)
        return len(self._found)


@dataclass(frozen=True, slots=True)
class _Span:
    """The part of the file in a response: its first and last byte, and the size of the whole file."""

    start: int
    end: int
    total: int


def _span(response: httpx.Response) -> _Span:
    found = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    if found is None:
        raise _bad_range()
    return _Span(*(int(number) for number in found.groups()))


def _range(index: int, bounds: Bounds) -> dict[str, str]:
    start = index * bounds.block_bytes
    return {"range": f"bytes={start}-{start + bounds.block_bytes - 1}"}


def _extend(found: bytearray, parts: Iterator[bytes], length: int) -> None:
    """Read until `found` has at least `length` bytes or the body ends."""
    while len(found) < length:
        part = next(parts, None)
        if part is None:
            return
        found += part


def _bad_range() -> ProbeError:
    message = "The server's responses to range requests are inconsistent."
    return ProbeError(ProbeCode.BAD_RANGE, message)


def _bad_length() -> ProbeError:
    return ProbeError(ProbeCode.BAD_RANGE, "The server's Content-Length is invalid.")


def _no_ranges(bounds: Bounds) -> ProbeError:
    most = bounds.max_bytes
    message = (
        "The server does not support range requests (HTTP 206), "
        f"and the first {most} bytes of the file are not enough."
    )
    return ProbeError(ProbeCode.NO_RANGES, message)


def _empty() -> ProbeError:
    return ProbeError(ProbeCode.EMPTY, "The file is empty.")


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except ForbiddenAddressError as exc:
        raise ProbeError(ProbeCode.FORBIDDEN_URL, f"The URL {exc}.") from exc
    except httpx.InvalidURL as exc:
        raise ProbeError(
            ProbeCode.FORBIDDEN_URL, "The URL, or a URL that it redirects to, is invalid."
        ) from exc
    except httpx.TooManyRedirects as exc:
        message = f"The URL redirects more than {MAX_REDIRECTS} times."
        raise ProbeError(ProbeCode.REFUSED, message) from exc
    except httpx.TimeoutException as exc:
        raise ProbeError(ProbeCode.TOO_SLOW, "The file's header did not arrive in time.") from exc
    except httpx.TransportError as exc:
        message = "The server cannot be reached, or closed the connection."
        raise ProbeError(ProbeCode.UNREACHABLE, message) from exc
