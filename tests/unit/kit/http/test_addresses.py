"""Where we may connect when somebody else names the address."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.resolver import resolving
from tollgate.kit.http.addresses import MAX_URL_LENGTH, AddressGuard, ForbiddenAddressError, UnresolvedError

GUARD = AddressGuard()
OPEN = AddressGuard(allow_loopback=True)

LOOPBACK = [
    "127.0.0.1",
    "127.1.2.3",
    "127.255.255.254",
    "::1",
    "::ffff:127.0.0.1",
    "2002:7f00:1::",
    "64:ff9b::7f00:1",
]
"""The last three carry 127.0.0.1 inside: IPv4-mapped, 6to4 and NAT64."""

FORBIDDEN = [
    *LOOPBACK,
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.255",
    "0.0.0.0",  # noqa: S104 - named so that it is refused
    "0.1.2.3",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "ff0e::1",
    "2001:db8::1",
    "2001::1",
    "100::1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "::10.0.0.1",
    "::ffff:0:127.0.0.1",
    "2002:a00:1::",
    "2002:a9fe:a9fe::",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::10.0.0.1",
    "4000::1",
]
PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "2002:808:808::",
    "64:ff9b::8.8.8.8",
]


def bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


class TestLiteralAddresses:
    @pytest.mark.parametrize("address", FORBIDDEN)
    def test_one_that_is_not_public_is_refused_without_resolving(self, address: str) -> None:
        with pytest.raises(ForbiddenAddressError, match="public address"):
            GUARD.check_url(f"https://{bracketed(address)}:8443/hook")

    @pytest.mark.parametrize("address", PUBLIC)
    def test_a_public_one_passes(self, address: str) -> None:
        assert GUARD.check_url(f"https://{bracketed(address)}/hook") == (address, 443)

    @pytest.mark.parametrize("address", LOOPBACK)
    def test_where_loopback_is_open_it_passes(self, address: str) -> None:
        assert OPEN.check_url(f"http://{bracketed(address)}:9000/") == (address, 9000)

    @pytest.mark.parametrize("address", [address for address in FORBIDDEN if address not in LOOPBACK])
    def test_where_loopback_is_open_nothing_else_is(self, address: str) -> None:
        with pytest.raises(ForbiddenAddressError):
            OPEN.check_url(f"http://{bracketed(address)}/")

    def test_a_zone_does_not_help_a_link_local_address(self) -> None:
        with pytest.raises(ForbiddenAddressError):
            GUARD.check_url("http://[fe80::1%25eth0]/")


class TestUrl:
    @pytest.mark.parametrize(
        ("url", "host", "port"),
        [
            ("https://example.com/hook?x=1#y", "example.com", 443),
            ("http://example.com", "example.com", 80),
            ("HTTPS://Example.COM:8443/", "example.com", 8443),
            ("https://bücher.example/", "bücher.example", 443),
            ("https://example.com./", "example.com.", 443),
            (f"https://{'x' * 63}.example.com/", f"{'x' * 63}.example.com", 443),
        ],
    )
    def test_host_and_port_are_read(self, url: str, host: str, port: int) -> None:
        assert GUARD.check_url(url) == (host, port)

    @pytest.mark.parametrize(
        "url",
        [
            "",
            "example.com/hook",
            "//example.com/hook",
            "/hook",
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "data:text/plain,x",
            "javascript:alert(1)",
            "http:example.com",
            "http://",
            "https:///hook",
            "http://:80/",
            "http://exam ple.com/",
            "http://example.com/a b",
            " https://example.com/",
            "https://example.com/\n",
            "https://exa\tmple.com/",
            "https://example.com/\x00",
            "\x01https://example.com/",
            "https://example.com/\x7f",
            "http://[::1",
            "http://[not-an-address]/",
            "http://example.com:port/",
            "http://example.com:65536/",
            "http://example.com:-1/",
            "http://example.com:0/",
            "https://hooks..example.com/",
            "https://.example.com/",
            f"https://{'x' * 64}.example.com/",
            f"https://{'ü' * 64}.example.com/",
        ],
    )
    def test_what_is_no_absolute_http_url_is_refused(self, url: str) -> None:
        with pytest.raises(ForbiddenAddressError):
            GUARD.check_url(url)

    @pytest.mark.parametrize(
        "url",
        [
            "https://user:password@example.com/",
            "https://user@example.com/",
            "https://:password@example.com/",
            "https://@example.com/",
            "http://example.com\\@127.0.0.1/",
        ],
    )
    def test_credentials_are_refused(self, url: str) -> None:
        with pytest.raises(ForbiddenAddressError, match="user name or password"):
            GUARD.check_url(url)

    def test_the_length_is_bounded(self) -> None:
        url = "https://example.com/".ljust(MAX_URL_LENGTH, "x")
        assert GUARD.check_url(url) == ("example.com", 443)
        with pytest.raises(ForbiddenAddressError, match=str(MAX_URL_LENGTH)):
            GUARD.check_url(url + "x")

    @given(st.text(max_size=60), st.sampled_from(["", "http://", "https://", "http://["]))
    def test_any_text_is_read_or_refused(self, text: str, start: str) -> None:
        try:
            host, port = GUARD.check_url(start + text)
        except ForbiddenAddressError:
            return
        assert host
        assert 1 <= port <= 65_535


class TestResolve:
    def test_every_address_of_a_host_is_given_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        resolving(monkeypatch, {"example.com": [["93.184.216.34", "2606:4700::1111", "93.184.216.34"]]})
        assert GUARD.resolve("example.com", 443) == ["93.184.216.34", "2606:4700::1111"]

    @pytest.mark.parametrize("address", FORBIDDEN)
    def test_a_name_for_an_address_that_is_not_public_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, address: str
    ) -> None:
        resolving(monkeypatch, {"inside.test": [[address]]})
        with pytest.raises(ForbiddenAddressError, match="public address"):
            GUARD.resolve("inside.test", 443)

    @pytest.mark.parametrize("spelling", ["0x7f.1", "2130706433", "127.1", "0177.0.0.1", "0x7f000001"])
    def test_a_number_that_resolvers_read_as_loopback_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, spelling: str
    ) -> None:
        resolving(monkeypatch, {spelling: [["127.0.0.1"]]})
        host, port = GUARD.check_url(f"http://{spelling}/")
        with pytest.raises(ForbiddenAddressError):
            GUARD.resolve(host, port)

    @pytest.mark.parametrize(
        "addresses", [["93.184.216.34", "10.0.0.1"], ["::1", "93.184.216.34"], ["8.8.8.8", "2002:7f00:1::"]]
    )
    def test_one_bad_address_among_good_ones_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
    ) -> None:
        resolving(monkeypatch, {"mixed.test": [addresses]})
        with pytest.raises(ForbiddenAddressError):
            GUARD.resolve("mixed.test", 443)

    def test_loopback_by_name_is_for_a_developer_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        resolving(monkeypatch, {"localhost": [["127.0.0.1", "::1"]]})
        assert OPEN.resolve("localhost", 9000) == ["127.0.0.1", "::1"]
        with pytest.raises(ForbiddenAddressError):
            GUARD.resolve("localhost", 9000)

    def test_a_link_local_answer_with_a_zone_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        resolving(monkeypatch, {"near.test": [["fe80::1%eth0"]]})
        with pytest.raises(ForbiddenAddressError):
            GUARD.resolve("near.test", 80)

    @pytest.mark.parametrize("host", ["unknown.test", "."])
    def test_a_name_without_an_address_is_unresolved(
        self, monkeypatch: pytest.MonkeyPatch, host: str
    ) -> None:
        resolving(monkeypatch, {})
        with pytest.raises(UnresolvedError):
            GUARD.resolve(host, 443)

    def test_an_empty_answer_is_unresolved(self, monkeypatch: pytest.MonkeyPatch) -> None:
        resolving(monkeypatch, {"empty.test": [[]]})
        with pytest.raises(UnresolvedError):
            GUARD.resolve("empty.test", 443)

    @pytest.mark.parametrize("host", ["x" * 64 + ".test", "a..test", ".test"])
    def test_a_name_that_cannot_be_asked_for_is_unresolved(self, host: str) -> None:
        with pytest.raises(UnresolvedError):
            GUARD.resolve(host, 443)

    def test_a_name_server_that_does_not_answer_is_waited_for_only_so_long(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        released = threading.Event()
        monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: released.wait(30) and [])
        try:
            with pytest.raises(UnresolvedError, match=r"slow\.test"):
                GUARD.resolve("slow.test", 443, timeout_s=0.01)
        finally:
            released.set()
