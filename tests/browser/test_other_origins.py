"""A page of somebody else's site uses the API in a real browser, which asks first and hides what it may."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.support.http_server import Reply, http_server

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

CALL = """async ({url, method, headers, body}) => {
    try {
        const answer = await fetch(url, {method, headers, body: body && JSON.stringify(body)});
        return {
            status: answer.status,
            body: await answer.text(),
            requestId: answer.headers.get("x-request-id"),
            cost: answer.headers.get("x-tollgate-cost-micro-usd"),
        };
    } catch (error) {
        return {refused: String(error)};
    }
}"""
CHAT = {"model": "test-chat", "messages": [{"role": "user", "content": "Say hello"}]}
IMAGE = {"model": "test-image", "input": {"prompt": "a lighthouse at dusk", "size": "16:9"}}


@pytest.fixture
def elsewhere(chromium: Browser) -> Iterator[Page]:
    """Return an empty page of another origin."""
    with http_server(lambda _: Reply(headers={"content-type": "text/html"})) as url:
        context = chromium.new_context()
        opened = context.new_page()
        opened.goto(url)
        yield opened
        context.close()


def call(page: Page, service: dict[str, Any], path: str, body: Any = None, **headers: str) -> dict[str, Any]:
    """Ask the API from within the page."""
    own = {"authorization": f"Bearer {service['apiKey']}", "content-type": "application/json", **headers}
    method = "GET" if body is None else "POST"
    url = service["baseUrl"] + path
    found: dict[str, Any] = page.evaluate(CALL, {"url": url, "method": method, "headers": own, "body": body})
    return found


class TestAPageOfAnotherOrigin:
    def test_it_chats_and_reads_what_that_cost(self, elsewhere: Page, service: dict[str, Any]) -> None:
        # Headers as the SDKs send them in a browser.
        names = {"x-stainless-lang": "js", "x-stainless-runtime": "browser:chrome"}
        said = call(elsewhere, service, "/api/v1/chat/completions", CHAT, **names)
        assert said["status"] == 200
        assert said["requestId"].startswith("req_")
        assert said["cost"].isdigit()

    def test_it_streams(self, elsewhere: Page, service: dict[str, Any]) -> None:
        said = call(elsewhere, service, "/api/v1/chat/completions", {**CHAT, "stream": True})
        assert said["status"] == 200
        assert said["body"].endswith("data: [DONE]\n\n")

    def test_it_spends_with_the_token_of_an_end_customer(
        self, elsewhere: Page, service: dict[str, Any]
    ) -> None:
        own = {"authorization": f"Bearer {service['apiKey']}"}
        with httpx.Client(base_url=f"{service['baseUrl']}/api/v1", headers=own) as http:
            child = http.post("/subaccounts", json={"name": "Acme"}).json()["data"]["id"]
            body = {"maxCostCents": 5, "expiresInS": 600, "models": ["test-chat"]}
            made = http.post("/tokens", json=body, headers={"x-tollgate-account": child}).json()["data"]
        session = {**service, "apiKey": made["token"]}
        said = call(elsewhere, session, "/api/v1/chat/completions", CHAT)
        assert (said["status"], said["cost"]) == (200, "0")
        # It reads its own requests, and no other model answers it.
        found = call(elsewhere, session, f"/api/v1/requests/{said['requestId']}")
        assert (found["status"], made["id"] in found["body"]) == (200, True)
        other = call(elsewhere, session, "/api/v1/chat/completions", {**CHAT, "model": "gpt-5.4-mini"})
        assert other["status"] == 403
        assert call(elsewhere, session, "/api/v1/keys", {"name": "mine"})["status"] == 403

    def test_it_creates_and_polls(self, elsewhere: Page, service: dict[str, Any]) -> None:
        made = call(elsewhere, service, "/api/v1/generation/create", IMAGE, **{"idempotency-key": "order-1"})
        assert made["status"] == 200
        task_id = elsewhere.evaluate("text => JSON.parse(text).data.taskId", made["body"])
        polled = call(elsewhere, service, f"/api/v1/task/status/{task_id}?wait=20")
        assert (polled["status"], "finished" in polled["body"]) == (200, True)

    def test_it_reads_errors(self, elsewhere: Page, service: dict[str, Any]) -> None:
        stranger = {**service, "apiKey": "tg_live_nobody"}
        refused = [
            call(elsewhere, stranger, "/api/v1/user/me"),
            call(elsewhere, stranger, "/api/v1/chat/completions", CHAT),
            call(elsewhere, stranger, "/api/v1/task/status/task_1"),
            call(elsewhere, service, "/api/v1/generation/create", {"model": "nothing", "input": {}}),
        ]
        assert [each["status"] for each in refused] == [401, 401, 401, 400]
        assert all("message" in each["body"] for each in refused)

    def test_it_cannot_touch_the_dashboard(self, elsewhere: Page, service: dict[str, Any]) -> None:
        assert "refused" in call(elsewhere, service, "/dashboard")
        assert "refused" in call(elsewhere, service, "/dashboard/keys", {"name": "mine"})
