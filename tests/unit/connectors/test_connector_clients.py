"""Clients: what may be registered, and where their answers may go."""

import json
from secrets import token_urlsafe
from typing import Any

import httpx
import pytest

from tests.support.clock import ManualClock
from tollgate.connectors.clients import REGISTRATION_MS, Registry, is_redirect_uri, shown_host
from tollgate.connectors.documents import CACHE_MS, MAX_DOCUMENT_BYTES, Documents, client_of
from tollgate.connectors.errors import OAuthError, UntrustedRequestError
from tollgate.kit.http.addresses import AddressGuard, ForbiddenAddressError
from tollgate.kit.http.outbound import Outbound, OutboundAnswer

NOW_MS = 1_700_000_000_000
CLAUDE = "https://claude.ai/api/mcp/auth_callback"
ADDRESS = "https://app.example.com/client.json"


def registered(*uris: str, **body: Any) -> dict[str, Any]:
    return Registry("a secret").register({"redirect_uris": list(uris), **body}, NOW_MS)


class TestRegistration:
    def test_the_id_holds_the_client(self) -> None:
        made = registered(CLAUDE, client_name=" Claude ")
        client = Registry("a secret").find(made["client_id"], NOW_MS)
        assert (client.name, client.redirect_uris, client.host) == ("Claude", (CLAUDE,), None)
        # A client that asked for a secret learns that it has none.
        assert made["token_endpoint_auth_method"] == "none"
        assert "client_secret" not in made

    def test_without_a_name_it_is_called_after_its_address(self) -> None:
        assert registered(CLAUDE)["client_name"] == "claude.ai"

    def test_it_ends(self) -> None:
        made = registered(CLAUDE)
        assert Registry("a secret").find(made["client_id"], NOW_MS + REGISTRATION_MS - 1_000)
        with pytest.raises(UntrustedRequestError):
            Registry("a secret").find(made["client_id"], NOW_MS + REGISTRATION_MS)

    @pytest.mark.parametrize("change", ["x", "", "a.b", "ä", "." * 3_000])
    def test_another_id_is_unknown(self, change: str) -> None:
        made = registered(CLAUDE)["client_id"]
        for client_id in (change, made + change if change else made[:-1], made.replace(".", f"{change}.", 1)):
            if client_id != made:
                with pytest.raises(UntrustedRequestError):
                    Registry("a secret").find(client_id, NOW_MS)
        with pytest.raises(UntrustedRequestError):
            Registry("another secret").find(made, NOW_MS)

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ({}, "invalid_redirect_uri"),
            ({"redirect_uris": []}, "invalid_redirect_uri"),
            ({"redirect_uris": CLAUDE}, "invalid_redirect_uri"),
            ({"redirect_uris": [1]}, "invalid_redirect_uri"),
            ({"redirect_uris": [CLAUDE] * 11}, "invalid_redirect_uri"),
            ({"redirect_uris": [f"{CLAUDE}/{token_urlsafe(250)}" for _ in range(9)]}, "invalid_redirect_uri"),
            ({"redirect_uris": [CLAUDE], "client_name": "x" * 61}, "invalid_client_metadata"),
            # A text that is shown from right to left.
            ({"redirect_uris": [CLAUDE], "client_name": "\u202egro.live"}, "invalid_client_metadata"),
            ({"redirect_uris": [CLAUDE], "client_name": ["Claude"]}, "invalid_client_metadata"),
            ({"redirect_uris": [CLAUDE], "grant_types": ["implicit"]}, "invalid_client_metadata"),
        ],
    )
    def test_a_wrong_description_is_refused(self, body: dict[str, Any], code: str) -> None:
        with pytest.raises(OAuthError) as refused:
            Registry("a secret").register(body, NOW_MS)
        assert refused.value.code == code
        assert refused.value.status == 400


class TestAddresses:
    @pytest.mark.parametrize(
        "uri",
        [
            CLAUDE,
            "http://localhost:3000/callback",
            "http://127.0.0.1/",
            "http://[::1]:8/x",
            "https://a.b/?x=1",
        ],
    )
    def test_may_receive_a_code(self, uri: str) -> None:
        assert is_redirect_uri(uri)

    @pytest.mark.parametrize(
        "uri",
        [
            "http://claude.ai/callback",
            "http://localhost.evil.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "//claude.ai/callback",
            "https://",
            "https://claude.ai@evil.example/",
            "https://claude.ai\\@evil.example/",
            "https://claude.ai/#part",
            "https://claude.ai/a b",
            "https://claude.ai/\r\nx: y",
            "https://cl\u0430ude.ai/",
            "https://claude.ai:99999/",
            "https://[::2]/",
            "https://%63laude.ai/",
            "https://claude.ai/" + "x" * 400,
        ],
    )
    def test_may_not(self, uri: str) -> None:
        assert not is_redirect_uri(uri)

    @pytest.mark.parametrize(
        ("known", "sent", "is_theirs"),
        [
            (CLAUDE, CLAUDE, True),
            (CLAUDE, None, True),
            (CLAUDE, f"{CLAUDE}/", False),
            (CLAUDE, f"{CLAUDE}?next=https://evil.example", False),
            (CLAUDE, "https://claude.ai/api", False),
            (CLAUDE, "https://CLAUDE.ai/api/mcp/auth_callback", False),
            ("https://a.example:1/", "https://a.example:2/", False),
            # A program takes any free port (RFC 8252, section 7.3).
            ("http://127.0.0.1/x", "http://127.0.0.1:5123/x", True),
            ("http://localhost:1/x", "http://localhost:2/x", True),
            ("http://localhost:1/x", "http://127.0.0.1:1/x", False),
            ("http://localhost:1/x", "http://localhost:1/y", False),
            ("http://localhost:1/x", "http://localhost:1@evil.example/x", False),
        ],
    )
    def test_only_the_clients_own_are_answered(self, known: str, sent: str | None, is_theirs: bool) -> None:
        client = Registry("a secret").find(registered(known)["client_id"], NOW_MS)
        if is_theirs:
            assert client.redirect_uri(sent) == (sent or known)
        else:
            with pytest.raises(UntrustedRequestError):
                client.redirect_uri(sent)

    def test_of_several_one_must_be_named(self) -> None:
        made = registered(CLAUDE, "https://claude.com/callback")
        with pytest.raises(UntrustedRequestError):
            Registry("a secret").find(made["client_id"], NOW_MS).redirect_uri(None)

    def test_a_port_is_shown(self) -> None:
        assert shown_host("http://localhost:3000/callback") == "localhost:3000"


class Fetcher:
    """Plays the guarded client: one answer, or an error."""

    def __init__(self, answer: OutboundAnswer | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def get(self, url: str, *_: object) -> OutboundAnswer:
        self.asked.append(url)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def document(**changed: Any) -> bytes:
    found = {"client_id": ADDRESS, "client_name": "App", "redirect_uris": [CLAUDE], **changed}
    return json.dumps({name: value for name, value in found.items() if value is not None}).encode()


class TestDocuments:
    def test_describe_a_client_for_five_minutes(self) -> None:
        clock, fetcher = ManualClock(), Fetcher(OutboundAnswer(200, document()))
        documents = Documents(fetcher, clock)  # type: ignore[arg-type]
        for wait_ms, times in ((0, 1), (CACHE_MS - 1, 1), (1, 2)):
            clock.advance_ms(wait_ms)
            client = documents.find(ADDRESS)
            assert (client.name, client.redirect_uris, client.host) == ("App", (CLAUDE,), "app.example.com")
            assert len(fetcher.asked) == times

    @pytest.mark.parametrize(
        "answer",
        [
            OutboundAnswer(302, document()),
            OutboundAnswer(404, document()),
            OutboundAnswer(200, document() + b" " * MAX_DOCUMENT_BYTES),
            httpx.ConnectError("refused"),
            ForbiddenAddressError("is private"),
        ],
    )
    def test_that_cannot_be_fetched_describe_nobody(self, answer: OutboundAnswer | Exception) -> None:
        with pytest.raises(UntrustedRequestError):
            Documents(Fetcher(answer), ManualClock()).find(ADDRESS)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "found",
        [
            b"",
            b"[]",
            b"[" * 9_000,
            document(client_id=f"{ADDRESS}x"),
            document(client_id=None),
            document(redirect_uris=None),
            document(redirect_uris=["http://evil.example/"]),
            document(token_endpoint_auth_method="client_secret_post"),
            document(token_endpoint_auth_method="private_key_jwt"),
        ],
    )
    def test_of_another_client_describe_nobody(self, found: bytes) -> None:
        with pytest.raises(UntrustedRequestError):
            client_of(ADDRESS, found)

    @pytest.mark.parametrize(
        "address",
        [
            "https://app.example.com",
            "https://app.example.com/",
            "https://app.example.com/a/../b",
            "https://user@app.example.com/a",
            "https://app.example.com/a#b",
            # The addresses of AWS's own data, and of this machine.
            "https://169.254.169.254/latest/meta-data",
            "https://127.0.0.1/client.json",
            "https://[::1]/client.json",
        ],
    )
    def test_are_only_fetched_from_public_addresses(self, address: str) -> None:
        documents = Documents(Outbound(AddressGuard()), ManualClock())
        with pytest.raises(UntrustedRequestError):
            documents.find(address)
