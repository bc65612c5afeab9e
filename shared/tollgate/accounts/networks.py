"""The networks from which a key may be used: CIDR, and the caller's address from the gateway. Pure.

`X-Forwarded-For` is never read, because callers can write anything into it.
"""

import json
from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from tollgate.kit.numbers import digits

Network = IPv4Network | IPv6Network

IPV6_BITS = 128

_IPV4_IN_IPV6 = IPv6Network("::ffff:0:0/96")


def network_of(text: str) -> Network:
    """Return the network in `text`; a single address is a network of one address.

    Raises `ValueError` with the problem: host bits set, a netmask, a zone, or IPv4 written as IPv6.
    """
    address, slash, prefix = text.partition("/")
    if slash and digits(prefix, 0, IPV6_BITS) is None:
        raise ValueError("needs a prefix length, such as /24")
    if "%" in address:
        raise ValueError("has a zone, which is valid only on your machine")
    try:
        network = ip_network(f"{address}/{prefix}" if slash else address, strict=False)
    except ValueError as exc:
        raise ValueError("is not an IPv4 or IPv6 network") from exc
    if isinstance(network, IPv6Network) and network.subnet_of(_IPV4_IN_IPV6):
        raise ValueError("is an IPv4 address in IPv6 format; write it as IPv4")
    if ip_address(address) != network.network_address:
        raise ValueError(f"has bits set after the prefix; write {network}")
    return network


def contains(networks: Collection[Network], address: str | None) -> bool:
    """Return whether a caller's address is in any of the networks; an unreadable address is in none."""
    try:
        found = ip_address(address or "")
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in network for network in networks)


def is_inside(network: Network, others: Collection[Network]) -> bool:
    """Return whether any other network contains all of this network."""
    if isinstance(network, IPv4Network):
        return any(isinstance(other, IPv4Network) and network.subnet_of(other) for other in others)
    return any(isinstance(other, IPv6Network) and network.subnet_of(other) for other in others)


def gateway_address(request_context: str | None) -> str | None:
    """Return the caller's address from API Gateway's request context, as JSON; `None` if it has none.

    The Lambda Web Adapter sets the header `x-amzn-request-context`, and replaces a client's value.
    """
    try:
        found = json.loads(request_context or "")["identity"]["sourceIp"]
    except (ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None
