"""Networks that keys are bound to, and whose word there is for a caller's address."""

import json
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.accounts.networks import contains, gateway_address, is_inside, network_of

ADDRESSES = st.ip_addresses(v=4)


class TestNetworkOf:
    @pytest.mark.parametrize(
        ("text", "read"),
        [
            ("203.0.113.0/24", "203.0.113.0/24"),
            ("203.0.113.7", "203.0.113.7/32"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("2001:DB8:0:0::1", "2001:db8::1/128"),
        ],
    )
    def test_cidr_of_either_family_or_one_address(self, text: str, read: str) -> None:
        assert str(network_of(text)) == read

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "not an IPv4 or IPv6"),
            ("203.0.113", "not an IPv4 or IPv6"),
            ("203.0.113.0/33", "not an IPv4 or IPv6"),
            ("203.0.113.0/-1", "prefix length"),
            ("203.0.113.0/", "prefix length"),
            ("10.0.0.0/255.0.0.0", "prefix length"),
            ("10.0.0.0/٨", "prefix length"),
            ("010.0.0.0/8", "not an IPv4 or IPv6"),
            ("203.0.113.7/24", "203.0.113.0/24"),
            ("2001:db8::1/32", "2001:db8::/32"),
            ("fe80::1%eth0", "zone"),
            ("::ffff:203.0.113.0/120", "as IPv4"),
            ("example.com", "not an IPv4 or IPv6"),
            (" 203.0.113.7", "not an IPv4 or IPv6"),
        ],
    )
    def test_anything_else_is_refused_with_a_reason(self, text: str, why: str) -> None:
        with pytest.raises(ValueError, match=why):
            network_of(text)


class TestContains:
    @given(ADDRESSES, st.integers(0, 32), ADDRESSES)
    def test_it_is_the_comparison_of_the_first_bits(
        self, base: IPv4Address, bits: int, address: IPv4Address
    ) -> None:
        first = int(base) >> (32 - bits) << (32 - bits)
        network = network_of(f"{IPv4Address(first)}/{bits}")
        assert contains([network], str(address)) is (int(address) >> (32 - bits) == first >> (32 - bits))
        assert contains([network], f"::ffff:{address}") is contains([network], str(address))

    @pytest.mark.parametrize("address", [None, "", "unknown", "203.0.113.7:443", "203.0.113.7, 10.0.0.1"])
    def test_an_address_that_cannot_be_read_is_nowhere(self, address: str | None) -> None:
        assert not contains([network_of("0.0.0.0/0"), network_of("::/0")], address)


class TestIsInside:
    @pytest.mark.parametrize(
        ("network", "inside"),
        [
            ("10.1.0.0/16", True),
            ("10.0.0.0/8", True),
            ("0.0.0.0/0", False),
            ("11.0.0.0/8", False),
            ("2001:db8:1::/48", True),
            ("2001::/16", False),
        ],
    )
    def test_all_of_it_is_in_one_of_the_others(self, network: str, inside: bool) -> None:
        others = [network_of("10.0.0.0/8"), network_of("2001:db8::/32")]
        assert is_inside(network_of(network), others) is inside


class TestGatewayAddress:
    def test_it_is_the_one_that_the_gateway_saw(self) -> None:
        context = json.dumps({"requestId": "1", "identity": {"sourceIp": "203.0.113.7", "user": None}})
        assert gateway_address(context) == "203.0.113.7"

    @pytest.mark.parametrize(
        "context",
        [
            None,
            "",
            "{",
            "[]",
            "7",
            "{}",
            '{"identity": null}',
            '{"identity": {}}',
            '{"identity": {"sourceIp": 7}}',
        ],
    )
    def test_without_one_there_is_none(self, context: str | None) -> None:
        assert gateway_address(context) is None
