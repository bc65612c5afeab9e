"""Authorization requests: what a client must send, and what it learns."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.datastructures import QueryParams

from tollgate.accounts.scopes import Scope
from tollgate.connectors.clients import Client
from tollgate.connectors.errors import OAuthError, UntrustedRequestError
from tollgate.connectors.requests import AuthorizationRequest, is_proof, read_request

BASE = "https://tollgate.example"
BACK = "https://claude.ai/callback"
# The example of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
FIELDS = {
    "client_id": "claude",
    "redirect_uri": BACK,
    "response_type": "code",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
    "state": "a state & more",
    "scope": "media",
    "resource": f"{BASE}/mcp",
}


def read(*more: tuple[str, str], back: str = BACK, **changed: Any) -> AuthorizationRequest:
    fields = {name: value for name, value in {**FIELDS, **changed}.items() if value is not None}
    client = Client("claude", "Claude", (back,))
    return read_request(QueryParams([*fields.items(), *more]), lambda _: client, BASE, f"{BASE}/mcp")


class TestARequest:
    def test_is_answered_with_its_state_and_our_name(self) -> None:
        asked = read()
        assert (asked.problem, asked.scopes, asked.challenge) == (None, frozenset({Scope.MEDIA}), CHALLENGE)
        assert dict(parse_qsl(urlsplit(asked.accepted("a code")).query)) == {
            "code": "a code",
            "state": "a state & more",
            "iss": BASE,
        }

    def test_an_address_keeps_its_query(self) -> None:
        asked = read(back=f"{BACK}?app=1", redirect_uri=f"{BACK}?app=1", state=None)
        assert asked.accepted("c") == f"{BACK}?app=1&code=c&iss=https%3A%2F%2Ftollgate.example"

    @pytest.mark.parametrize(
        ("changed", "code"),
        [
            ({"response_type": "token"}, "unsupported_response_type"),
            ({"response_type": None}, "unsupported_response_type"),
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"code_challenge_method": None}, "invalid_request"),
            ({"code_challenge": None}, "invalid_request"),
            ({"code_challenge": VERIFIER[:-1]}, "invalid_request"),
            ({"code_challenge": f"{CHALLENGE}\n"}, "invalid_request"),
            ({"resource": "https://other.example/mcp"}, "invalid_target"),
            ({"resource": f"{BASE}/api"}, "invalid_target"),
            ({"scope": "media account"}, "invalid_scope"),
            ({"scope": "media  text"}, "invalid_scope"),
        ],
    )
    def test_with_a_fault_tells_the_client(self, changed: dict[str, Any], code: str) -> None:
        asked = read(**changed)
        assert asked.problem is not None
        told = dict(parse_qsl(urlsplit(asked.refused(asked.problem)).query))
        assert (told["error"], told["state"], told["iss"]) == (code, "a state & more", BASE)
        assert "code" not in told

    @pytest.mark.parametrize("resource", [None, f"{BASE}/mcp/", "HTTPS://Tollgate.example/mcp"])
    def test_may_name_the_server_in_other_ways(self, resource: str | None) -> None:
        assert read(resource=resource).problem is None

    def test_without_a_scope_asks_for_all_that_a_connector_may(self) -> None:
        assert read(scope=None).scopes == {Scope.MEDIA, Scope.TEXT}

    @pytest.mark.parametrize("name", FIELDS)
    def test_says_everything_once(self, name: str) -> None:
        with pytest.raises(UntrustedRequestError):
            read((name, FIELDS[name]))

    def test_of_a_foreign_address_goes_nowhere(self) -> None:
        with pytest.raises(UntrustedRequestError):
            read(redirect_uri="https://evil.example/callback")

    def test_has_a_short_state(self) -> None:
        with pytest.raises(UntrustedRequestError):
            read(state="x" * 1_001)

    def test_declined_is_access_denied(self) -> None:
        assert "error=access_denied" in read().refused()


class TestProof:
    @pytest.mark.parametrize(
        ("verifier", "is_good"),
        [(VERIFIER, True), (VERIFIER[:-1], False), (CHALLENGE, False), ("", False), (f"{VERIFIER}\n", False)],
    )
    def test_is_the_verifier_of_the_challenge(self, verifier: str, is_good: bool) -> None:
        assert is_proof(verifier, CHALLENGE) is is_good

    def test_a_short_verifier_is_none(self) -> None:
        # SHA-256 of "x" in base64url.
        assert not is_proof("x", "LXEWQrcmsEQBYnyp--6wy9chTD7GQPMTbAiWHF5IaSE")


def test_a_client_that_is_unknown_registers_again() -> None:
    assert OAuthError("invalid_client", "").status == 401
