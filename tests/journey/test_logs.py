"""The logs of a whole service: one id through all that a request began, and nothing secret anywhere."""

import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local.machine.clients import Clients
from tests.support.customer import TIMEOUT_S, Customer, customer_of
from tests.support.local_service import running_service
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("local-service-logs")]

PROMPT = "a heron nobody else has thought of"
"""Stands in every prompt below, in good and in bad requests."""
WEBHOOK_QUERY = "hook-password-4711"
WRONG_KEY = "tg_live_01ARZ3NDEKTSV4RRFFQ69G5FAV_this-key-is-wrong"
FORGED_TOKEN = "task_01ARZ3NDEKTSV4RRFFQ69G5FAV.forged-callback-token"
PARTS = ("api", "worker")
"""The processes that run the functions."""
QUEUED = ("run_task.task_ended", "deliver_webhook.delivered")


@dataclass(frozen=True, slots=True)
class Journey:
    """What was done, and what was written meanwhile."""

    ordered: dict[str, str]
    """The `x-request-id` of each create, by its task."""
    chats: list[str]
    """The `x-request-id` of each text request."""
    log: str
    secrets: list[str]

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines that are JSON: those of the functions, all but uvicorn's."""
        return [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]

    def events(self) -> dict[str, set[str]]:
        """Return the messages of the lines, by correlation id."""
        found: dict[str, set[str]] = defaultdict(set)
        for line in self.lines():
            if "message" in line:
                found[line.get("correlation_id", "")].add(line["message"])
        return found


@pytest.fixture(scope="module")
def journey(tmp_path_factory: pytest.TempPathFactory) -> Journey:
    """Run a service, do one of everything, and read its logs."""
    folder = Path(tmp_path_factory.mktemp("logged"))
    with running_service(folder) as service:
        with customer_of(service["baseUrl"], service["apiKey"], service["webhookSecret"]) as customer:
            ordered = dict(_order(customer, f"{PROMPT} {words}") for words in ("", "[[fail]]", "[[reject]]"))
            chats = [_chat(customer, words, stream) for words in ("", "[[status 500]]") for stream in (0, 1)]
            _misuse(customer)
            callback_tokens = _callback_tokens(folder)
        log = _settled_log(folder, set(ordered.values()))
    secrets = [service["apiKey"], service["webhookSecret"].removeprefix("whsec_"), *callback_tokens]
    return Journey(ordered, chats, log, secrets)


class TestCorrelation:
    def test_the_id_of_a_create_is_on_every_line_that_it_led_to(self, journey: Journey) -> None:
        events = journey.events()
        for request_id in journey.ordered.values():
            assert {"task.created", "api.request", "dispatch_changes.sent", *QUEUED} <= events[request_id]

    def test_lines_of_the_queues_name_the_task_that_they_are_about(self, journey: Journey) -> None:
        lines = [line for line in journey.lines() if line.get("message") in QUEUED]
        assert len(lines) == 2 * len(journey.ordered)
        for line in lines:
            assert journey.ordered[line["task_id"]] == line["correlation_id"]

    def test_a_text_request_has_its_own(self, journey: Journey) -> None:
        answered, streamed, *failed = (journey.events()[request_id] for request_id in journey.chats)
        assert "text.answered" in answered
        assert "text.streamed" in streamed
        assert all("text.attempt_failed" in events for events in failed)


class TestWhatIsNeverLogged:
    @pytest.mark.parametrize("planted", [PROMPT, WEBHOOK_QUERY, WRONG_KEY, FORGED_TOKEN.split(".")[1]])
    def test_what_customers_and_strangers_sent(self, journey: Journey, planted: str) -> None:
        assert planted not in journey.log

    def test_keys_secrets_and_the_tokens_of_callbacks(self, journey: Journey) -> None:
        assert len(journey.secrets) >= 2 + len(journey.ordered)
        for secret in journey.secrets:
            assert secret not in journey.log


class TestMetrics:
    def test_ends_refunds_and_errors_are_counted(self, journey: Journey) -> None:
        counted: dict[str, float] = defaultdict(float)
        for line in journey.lines():
            for directive in line.get("_aws", {}).get("CloudWatchMetrics", []):
                assert directive["Namespace"] == "Tollgate"
                for metric in directive["Metrics"]:
                    counted[metric["Name"]] += sum(line[metric["Name"]])
        assert counted["TasksFinished"] == 1
        assert counted["TasksFailed"] == 2
        assert counted["Refunds"] == 2
        assert counted["RefundedMicroUsd"] == 2 * 10_000
        # Both routes of the model failed; a refusal for the content is no error of the provider.
        assert counted["TasksGivenUp"] == 1
        assert counted["ProviderErrors"] >= 2
        assert counted["WebhooksDelivered"] == 3


def _order(customer: Customer, prompt: str) -> tuple[str, str]:
    """Order an image and wait for its webhook; give task and request id."""
    body = {
        "model": PAID_IMAGE,
        "input": {"prompt": prompt, "size": "1:1"},
        "webhook": f"{customer.receiver}?password={WEBHOOK_QUERY}",
    }
    answer = customer.http.post("/api/v1/generation/create", json=body).raise_for_status()
    task_id = answer.json()["data"]["taskId"]
    customer.webhook_of(task_id)
    return task_id, answer.headers["x-request-id"]


def _chat(customer: Customer, words: str, stream: int) -> str:
    """Ask a text model; give the request's id."""
    messages = [{"role": "user", "content": f"{PROMPT} {words}"}]
    body = {"model": "gpt-5.4-mini", "messages": messages, "stream": bool(stream)}
    return customer.http.post("/api/v1/chat/completions", json=body).headers["x-request-id"]


def _misuse(customer: Customer) -> None:
    """Send what must be refused, with something to give away in each."""
    text = {"model": PROMPT, "messages": [{"role": "user", "content": PROMPT}]}
    media = {"model": PAID_IMAGE, "input": {"prompt": PROMPT, "size": PROMPT, PROMPT: 1}}
    assert customer.http.post("/api/v1/chat/completions", json=text).status_code == 400
    assert customer.http.post("/api/v1/messages", content=PROMPT).status_code == 400
    assert customer.http.post("/api/v1/generation/create", json=media).status_code == 400
    assert customer.http.post("/api/v1/generation/create", content=PROMPT).status_code == 400
    assert customer.http.post(f"/api/v1/callbacks/fal/{FORGED_TOKEN}").status_code == 200
    assert customer.http.get(f"/api/v1/{WRONG_KEY}").status_code == 404
    wrong = {"authorization": f"Bearer {WRONG_KEY}"}
    for path in ("/api/v1/user/me", "/api/v1/models"):
        assert customer.http.get(path, headers=wrong).status_code == 401


def _callback_tokens(folder: Path) -> list[str]:
    """Return the secrets in the addresses that providers were to call."""
    environment: dict[str, str] = json.loads((folder / "environment.json").read_text())
    rows = Clients.at(environment["AWS_ENDPOINT_URL"]).dynamodb.scan(TableName=environment["TASKS_TABLE"])
    attempts = [attempt["M"] for row in rows["Items"] for attempt in row["attempts"]["L"]]
    return [attempt["callback_token"]["S"] for attempt in attempts]


def _settled_log(folder: Path, request_ids: set[str]) -> str:
    """Return the logs of the functions, once they have the last lines of these requests."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        log = "".join((folder / "logs" / f"{part}.log").read_text() for part in PARTS)
        done = sum('"message":"deliver_webhook.delivered"' in line for line in log.splitlines())
        if done == len(request_ids):
            return log
        assert time.monotonic() < end, log
        time.sleep(0.05)
