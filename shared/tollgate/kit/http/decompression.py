"""Unpacks a body in gzip or deflate as it comes, within bounds. Pure.

The client asks for no compression; this is for servers that compress all the same. Source: RFC 9110
(8.4.1) and RFC 1952.
"""

import zlib

# Most bytes that one piece of a packed body may unpack to. A piece is at most 256 KiB.
MAX_UNPACKED_BYTES = 16 * 2**20
# A gzip body may have several members (RFC 1952, 2.2). Each costs a copy of the bytes after it.
MAX_MEMBERS = 64

_CODINGS = frozenset((b"gzip", b"x-gzip", b"deflate"))
# Bits of a window for zlib: it looks for a gzip header or its own.
_ANY_HEADER = zlib.MAX_WBITS | 32


class UnpackingError(ValueError):
    """A body is packed in a way that is not known, is damaged, or unpacks to too much."""


class Unpacker:
    """Unpacks one body."""

    __slots__ = ("_members", "_zlib", "is_whole")

    def __init__(self, codings: list[bytes]) -> None:
        """Initialise.

        `codings` are in lower case. Raises `UnpackingError` unless it is a single known coding.
        """
        if len(codings) != 1 or codings[0] not in _CODINGS:
            raise UnpackingError(f"unknown content-encoding {b', '.join(codings)[:80]!r}")
        self._zlib = zlib.decompressobj(_ANY_HEADER)
        self._members = 1
        # An empty body is whole, such as the response to HEAD.
        self.is_whole = True

    def feed(self, piece: bytes) -> bytes:
        """Return the unpacked bytes of `piece`. Raises `UnpackingError`."""
        found = b""
        while piece:
            if self._zlib.eof:
                self._begin_member()
            self.is_whole = False
            try:
                found += self._zlib.decompress(piece, MAX_UNPACKED_BYTES - len(found) + 1)
            except zlib.error as exc:
                if found:
                    # Return the whole part first. The next piece or the end raises the error again.
                    return found
                raise UnpackingError(str(exc)) from exc
            if len(found) > MAX_UNPACKED_BYTES:
                raise UnpackingError("too much")
            piece = self._zlib.unused_data
            self.is_whole = self._zlib.eof
        return found

    def _begin_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise UnpackingError("too many members")
        self._zlib = zlib.decompressobj(_ANY_HEADER)
