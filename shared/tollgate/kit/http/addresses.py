"""The addresses that we may connect to when a customer or provider names them. Pure but for the resolver.

Source: docs/architecture.md#security.

A host name is resolved once, and all its addresses must be allowed. The connection is made to the checked
address, so a name that changes in between gains nothing.
"""

import ipaddress
import queue
import socket
import threading
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL_LENGTH = 2048
RESOLVE_TIMEOUT_S = 5.0
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# All of IPv6 that is given out so far (RFC 4291, 2.4); `is_global` also lets much of the rest through.
_UNICAST = ipaddress.IPv6Network("2000::/3")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class ForbiddenAddressError(Exception):
    """We do not connect to this URL. The message gives the reason and may be shown to a customer."""


class UnresolvedError(Exception):
    """The host name has no address now."""


class AddressGuard:
    """Allows only public addresses; on one machine also the developer's own (never on AWS).

    `allow_loopback` allows all of this machine. `also` allows the hosts and ports of some URLs, such as our
    storage.
    """

    def __init__(self, *, allow_loopback: bool = False, also: Sequence[str] = ()) -> None:
        self._allow_loopback = allow_loopback
        self._also = frozenset(_host_and_port(urlsplit(url)) for url in also)

    def check_url(self, url: str) -> tuple[str, int]:
        """Check everything that needs no resolving; return host and port.

        Raises `ForbiddenAddressError` for another scheme, credentials in the URL, no host, a bad port, or a
        literal address that is not allowed.
        """
        if len(url) > MAX_URL_LENGTH:
            raise ForbiddenAddressError(f"is longer than {MAX_URL_LENGTH} characters")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
            # A name with an empty or a too long label never resolves.
            (host or "").encode("idna")
        except ValueError as exc:
            raise ForbiddenAddressError("has no valid host and port") from exc
        # The parser drops some control characters silently, and then we would call a URL that we did not
        # check.
        unprintable = any(c.isspace() or not c.isprintable() for c in url)
        if parts.scheme not in _DEFAULT_PORTS or not host or port == 0 or unprintable:
            raise ForbiddenAddressError("must be an absolute http:// or https:// URL")
        if parts.username is not None or parts.password is not None:
            raise ForbiddenAddressError("must not carry a user name or password")
        found = _host_and_port(parts)
        literal = _literal(host)
        if literal is not None and found not in self._also:
            self._check(literal)
        return found

    def resolve(self, host: str, port: int, timeout_s: float = RESOLVE_TIMEOUT_S) -> list[str]:
        """Return the addresses of `host`, all of them allowed.

        Raises `ForbiddenAddressError` if an address is not allowed, and `UnresolvedError` if there is none.
        """
        addresses = _lookup(host, port, timeout_s)
        if (host, port) not in self._also:
            for address in addresses:
                self._check(ipaddress.ip_address(address))
        return addresses

    def _check(self, address: IpAddress) -> None:
        actual = _unwrapped(address)
        if actual.is_loopback and self._allow_loopback:
            return
        # is_global leaves out private, loopback, link-local (with the metadata service), shared and
        # reserved ranges; multicast it lets through.
        given_out = isinstance(actual, ipaddress.IPv4Address) or actual in _UNICAST
        if not (given_out and actual.is_global) or actual.is_multicast:
            raise ForbiddenAddressError("must point to a public address")


def _host_and_port(parts: SplitResult) -> tuple[str, int]:
    return parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme]


def _literal(host: str) -> IpAddress | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _unwrapped(address: IpAddress) -> IpAddress:
    """Return the IPv4 address inside an IPv6 address, if there is one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _lookup(host: str, port: int, timeout_s: float) -> list[str]:
    """Resolve with a bound on the time: `getaddrinfo` itself knows none."""
    answer: queue.Queue[list[str] | OSError | UnicodeError] = queue.Queue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except (OSError, UnicodeError) as exc:
            answer.put(exc)

    threading.Thread(target=ask, daemon=True).start()
    try:
        result = answer.get(timeout=timeout_s)
    except queue.Empty as exc:
        raise UnresolvedError(f"{host} did not resolve in {timeout_s:g} s") from exc
    if isinstance(result, Exception):
        raise UnresolvedError(f"{host} does not resolve") from result
    if not result:
        raise UnresolvedError(f"{host} has no address")
    return [address.partition("%")[0] for address in result]
