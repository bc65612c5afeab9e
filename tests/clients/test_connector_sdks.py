"""Connectors: the official MCP clients sign in by the server's address only, spend, and refresh.

The person's browser is played with the pages' own forms.
"""

import json
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx
import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl

from local.template import ROOT
from tests.support.node_project import installed

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

PROJECT = Path(ROOT) / "tests/clients/connector"
BACK = "http://localhost:3999/callback"
RUN_TIMEOUT_S = 60
IMAGE = {"model": "z-image", "input": {"prompt": "a lighthouse", "size": "16:9"}}


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


class Person:
    """A person with a browser, who is not signed in."""

    def __init__(self, base_url: str, email: str) -> None:
        self.base_url, self.email = base_url, email
        self.http = httpx.Client(follow_redirects=True, timeout=RUN_TIMEOUT_S)

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def connect(self, url: str, **choices: Any) -> str:
        """Open a client's address, sign in, agree with these choices; return where that leads."""
        page = self.http.get(url)
        assert page.url.path == "/dashboard/sign-in"
        moved = self._sent("/sign-in/development/email", {"email": self.email}, page)
        page = self.http.get(self.base_url + moved)
        fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text)
        chosen = {"permission": ["media", "text"], "cap": "1.00", "per": "day", "days": "7", **choices}
        hidden = {name: unescape(value) for name, value in fields}
        return self._sent("/connect", {**hidden, **chosen, "decision": "connect"}, page)

    def keys_page(self) -> str:
        """Return the page of the account's keys."""
        return self.http.get(f"{self.base_url}/dashboard/keys").text

    def _sent(self, path: str, fields: dict[str, Any], page: httpx.Response) -> str:
        found = re.search(r"hx-headers='([^']+)'", page.text)
        assert found is not None, page.text
        headers = {"origin": self.base_url, "hx-request": "true", **json.loads(unescape(found[1]))}
        answer = self.http.post(f"{self.base_url}/dashboard{path}", data=fields, headers=headers)
        assert answer.status_code == 200, answer.text
        return str(answer.headers["hx-redirect"])


class Kept:
    """What an agent keeps between its runs."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def test_the_documents_are_what_the_specification_has(service: dict[str, Any]) -> None:
    base = service["baseUrl"]
    challenge = httpx.post(f"{base}/mcp").headers["www-authenticate"]
    named = re.search(r'resource_metadata="([^"]+)"', challenge)
    assert named is not None
    documents = [httpx.get(named[1]), httpx.get(f"{base}/.well-known/oauth-protected-resource")]
    for document in documents:
        found = ProtectedResourceMetadata.model_validate(document.json())
        assert (str(found.resource), [str(one) for one in found.authorization_servers]) == (
            f"{base}/mcp",
            [base],
        )
        assert document.headers["access-control-allow-origin"] == "*"
    server = OAuthMetadata.model_validate(httpx.get(f"{base}/.well-known/oauth-authorization-server").json())
    assert str(server.issuer) == base
    assert server.code_challenge_methods_supported == ["S256"]
    assert server.authorization_response_iss_parameter_supported is True
    assert server.client_id_metadata_document_supported is True
    assert server.token_endpoint_auth_methods_supported == ["none"]


def test_the_python_client_signs_in_spends_and_refreshes(service: dict[str, Any]) -> None:
    base, kept, opened = service["baseUrl"], Kept(), list[str]()

    person = Person(base, "python@example.com")

    async def open_page(url: str) -> None:
        opened.append(person.connect(url))

    async def callback() -> AuthorizationCodeResult:
        query = {name: values[0] for name, values in parse_qs(urlsplit(opened[0]).query).items()}
        return AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])

    client = OAuthClientMetadata(client_name="Chat product", redirect_uris=[AnyUrl(BACK)])
    auth = OAuthClientProvider(f"{base}/mcp", client, kept, open_page, callback)

    async def talk() -> None:
        async with (
            httpx2.AsyncClient(auth=auth, timeout=RUN_TIMEOUT_S) as http,
            streamable_http_client(f"{base}/mcp", http_client=http) as (read, write),
            ClientSession(read, write) as agent,
        ):
            await agent.initialize()
            assert json.loads((await agent.call_tool("generate", IMAGE)).content[0].text)["cost"] == "$0.01"  # type: ignore[union-attr]
            first = kept.tokens
            # As after an hour.
            auth.context.token_expiry_time = 1
            assert json.loads((await agent.call_tool("generate", IMAGE)).content[0].text)["cost"] == "$0.01"  # type: ignore[union-attr]
            assert first is not None
            assert kept.tokens is not None
            assert kept.tokens.refresh_token != first.refresh_token
            assert kept.tokens.access_token != first.access_token

    with person:
        anyio.run(talk)
        assert len(opened) == 1
        # Both images count for one key, with the limit that the person chose.
        assert "$0.02 of $1.00 per day" in person.keys_page()


@pytest.mark.parametrize("generation", ["client", "sdk"])
def test_the_typescript_clients_sign_in_spend_and_refresh(service: dict[str, Any], generation: str) -> None:
    command = ["node", "connect.mjs", generation, f"{service['baseUrl']}/mcp"]
    pipe = subprocess.PIPE
    with (
        Person(service["baseUrl"], f"{generation}@example.com") as person,
        subprocess.Popen(
            command, cwd=installed(PROJECT), stdin=pipe, stdout=pipe, stderr=pipe, text=True
        ) as running,
    ):
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        back = person.connect(address) if address else ""
        out, err = running.communicate(f"{back}\n", RUN_TIMEOUT_S)
        assert running.returncode == 0, err[-2000:]
        came = json.loads(out)
        assert [task["cost"] for task in came["tasks"]] == ["$0.01", "$0.01"]
        assert (came["isRefreshed"], came["scope"]) == (True, "media text")
        assert "$0.02 of $1.00 per day" in person.keys_page()
