"""Generated requests, good and bad, against the service: every answer is one that the document has.

Seeded, so that a run says the same as the one before. `ROUTE=/api/v1/budgets` runs only the routes that
contain this text.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from local.machine.service import PROVIDERS
from tests.conftest import Aws
from tests.support.laws import examples
from tests.support.resolver import resolving
from tests.support.samples import FILE, finished_task
from tests.support.tasks import create_task
from tests.support.text_app import TextClient
from tests.unit.artifacts.test_store import png
from tollgate.accounts.scopes import Scope
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts.uploads import JSONL
from tollgate.catalog.loader import Catalog, read_yaml
from tollgate.composition import api as api_parts
from tollgate.composition import creates, parts
from tollgate.composition import run_batch as run_batch_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition.catalog import provider_names
from tollgate.kit.clock import MS_PER_DAY, utc_month
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.attribution import NONE
from tollgate.ledger.callers import Caller
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import Hold, hold_path
from tollgate.probing.facts import ProbeCode, ProbeError
from tollgate.providers.runtime.registry import MappingNames
from tollgate.reference import HERE, document
from tollgate.workflows import rules

ROUTE = os.environ.get("ROUTE", "")
OPERATIONS: dict[str, dict[str, Any]] = {
    route: operation
    for route, operation in read_yaml(HERE / "operations.yaml")["operations"].items()
    if ROUTE in route
}
if not OPERATIONS:
    raise pytest.UsageError(f"ROUTE={ROUTE}: no route contains this text")
FORMS = [route for route, operation in OPERATIONS.items() if operation.get("form")]
"""A drawn file is no recording: test_text_transcription.py has real ones."""
TEXT = sorted(
    (
        route
        for route, operation in OPERATIONS.items()
        # Text's own function answers in the vendors' shapes, without our envelope.
        if operation.get("scope") == "text" and "data" not in operation and route not in FORMS
    ),
    # Items are deleted before their conversation.
    key=lambda route: (route.startswith("DELETE"), -route.count("/")),
)
WAITING = ("POST /api/v1/images/edits", "POST /api/v1/images/generations")
"""They wait for a task, which no worker ends here: test_openai_edits_and_videos.py has the whole service."""
REFUSED = "POST /api/v1/responses/{id}/cancel"
"""Its only answers are errors, because no response runs in the background."""
API = sorted(
    (route for route in OPERATIONS if route not in (*TEXT, *WAITING, *FORMS)),
    # What is revoked cannot be rotated afterwards.
    key=lambda route: route.startswith("DELETE"),
)
CHECKED = [route for route in API if "invalid_input" in OPERATIONS[route].get("errors", [])]
"""Those that can be asked for something wrong."""
TEXT_BODIES = [route for route in TEXT if "body" in OPERATIONS[route]]
CHECKS: Any = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
EXAMPLES = max(2, examples(5))
"""For each route and mode; creates are many models' inputs."""
SEED = 20_261_121
BUDGET = {"name": "Free users", "scope": "user", "limitCents": 100, "per": "day"}
BATCH: Any = {"endpoint": "/v1/responses", "completion_window": "24h"}
NEW_BATCH = "POST /api/v1/batches"
HOOK = "https://example.com/hook"
RICH_CENTS = 1_000_000
TOO_CONDITIONAL = (".midjourney", ".suno", ".test-suno")
"""Orders that schemathesis cannot make: what they need depends on their `action`, of which there are many.
tests/unit/catalog draws them."""


@cache
def read_schema() -> Any:
    """Return the document as schemathesis reads it, at the root of whatever is called."""
    catalog = Catalog.shipped().with_live(provider_names(",".join(PROVIDERS)), MappingNames())
    made = {**document.openapi(catalog), "servers": [{"url": "/"}]}
    generation = made["components"]["schemas"]["Generation"]
    generation["oneOf"] = [one for one in generation["oneOf"] if not one["$ref"].endswith(TOO_CONDITIONAL)]
    read = schemathesis.openapi.from_dict(made)
    # It would compare every constant of the code with every field.
    read.config.analysis.constants.enabled = False
    return read


def example_of(schema: Any, route: str) -> Any:
    """Return the document's own example of a route's body, or `None`."""
    method, path = route.split(" ")
    body = schema.raw_schema["paths"][path][method.lower()].get("requestBody")
    if body is None:
        return None
    content = body["content"]["application/json"]
    found = content["schema"]
    named = found["$ref"].rpartition("/")[2] if "$ref" in found else None
    shape = schema.raw_schema["components"]["schemas"][named] if named else found
    return next(iter(shape.get("examples", [])), content.get("example"))


def run(schema: Any, route: str, mode: GenerationMode, send: Callable[[Any], Any]) -> None:
    """Send generated requests to a route and check the answers; of good requests one at least must work."""
    method, path = route.split(" ")
    cases = schema[path][method].as_strategy(generation_mode=mode)

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def each(case: Any) -> None:
        response = send(case)
        seen.add(response.status_code)
        case.validate_response(response, checks=CHECKS)

    seen: set[int] = set()
    each()
    example = example_of(schema, route)
    if mode is POSITIVE and 200 not in seen and example is not None:
        # Drawn values seldom are what one model takes, such as a film's length; its example is.
        case = schema[path][method].Case(body=example, media_type="application/json")
        response = send(case)
        seen.add(response.status_code)
        case.validate_response(response, checks=CHECKS)
    works = 400 if route == REFUSED else 302 if OPERATIONS[route].get("redirect") else 200
    assert mode is NEGATIVE or works in seen, seen


def running_request(aws: Aws, account_id: str) -> str:
    """Return the id of a text request that holds nothing, and runs until tomorrow."""
    request_id, tomorrow_ms = new_id("req"), parts.clock().now_ms() + MS_PER_DAY
    aws.clients.dynamodb.update_item(
        TableName=aws.stack.refs["AccountsTable"],
        Key={"account_id": {"S": account_id}},
        UpdateExpression="SET holds.#id = :hold",
        ExpressionAttributeNames={"#id": hold_path(request_id)[-1]},
        ExpressionAttributeValues={":hold": {"N": str(Hold(request_id, 0, tomorrow_ms).to_value())}},
    )
    return request_id


def finished_video(account_id: str) -> str:
    """Return the id of a finished video, of a model that can change it without reading it."""
    task_id = new_id("task")
    file = replace(
        FILE, url=f"https://example.com/media/{task_id}/a-0.mp4", file_type="video", content_type="video/mp4"
    )
    values = {"prompt": "waves", "videoUrl": HOOK}
    task = finished_task(
        task_id=task_id, account_id=account_id, model="wan-2.7-edit-video", values=values, files=(file,)
    )
    run_task_parts.step_runner().tasks.create([task], [])
    return task_id


def billed_request(aws: Aws, account_id: str) -> str:
    """Return the id of a text request that has ended, and cost nothing."""
    request_id, now_ms = new_id("req"), parts.clock().now_ms()
    entry = text_entry(
        account_id, request_id, model="gpt-5.4-mini", charge_micro_usd=0, usage={}, now_ms=now_ms
    )
    tables = (aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable"))
    Database(aws.clients.dynamodb).write(HoldWrites(*tables).record(entry))
    return request_id


class NoProber:
    """Says of any media that it cannot be read."""

    def probe(self, urls: Sequence[str]) -> dict[str, ProbeError]:
        return {url: ProbeError(ProbeCode.UNREADABLE, "The file cannot be read.") for url in urls}


def made_token(api: api_parts.Api, customer: OpenedAccount) -> str:
    """Return the id of a run token of a customer's key."""
    key = api.authenticator.authenticate(customer.api_key, Scope.ACCOUNT, None)
    return api.tokens.create(customer.account_id, {"maxCostCents": 5}, key)["id"]


def made_quote(api: api_parts.Api, customer: OpenedAccount) -> str:
    """Return the id of a quote of a customer's key."""
    key = api.authenticator.authenticate(customer.api_key, Scope.MEDIA, None)
    request = {
        "path": "/api/v1/generation/create",
        "body": {"model": "test-image", "input": {"prompt": "a fox"}},
    }
    return api.quotes.create({"requests": [request]}, key)["id"]


def made_workflow(api: api_parts.Api, customer: OpenedAccount, *, ended: bool = False) -> str:
    """Return the id of a workflow, which nobody needs to wait for if it has ended."""
    key = api.authenticator.authenticate(customer.api_key, Scope.MEDIA, None)
    step = {"id": "image", "model": "test-image", "input": {"prompt": "a fox"}}
    workflow_id = api.workflows.create({"steps": [step]}, key, None, NONE)["id"]
    if ended:
        workflows = api.workflows.reader.workflows
        found = workflows.get(workflow_id)
        assert found is not None
        workflows.end(rules.ended(found, parts.clock().now_ms()), [])
    return workflow_id


@pytest.fixture
def rich(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> OpenedAccount:
    """Return an account with plenty on it; no media can be read, and only example.com is there."""
    monkeypatch.setattr(creates, "Prober", lambda *_: NoProber())
    resolving(monkeypatch, {"example.com": [["93.184.215.14"]]})
    parts.forget()
    return api_parts.api().accounts.open(micro_usd_of_cents(RICH_CENTS))


@pytest.fixture
def known(aws: Aws, rich: OpenedAccount) -> dict[tuple[str, str], str]:
    """Return something that is there for each parameter of a path, by a part of the path and its name."""
    api = api_parts.api()
    body = {"model": "test-image", "input": {"prompt": "a fox"}}
    uploads = api.files.uploads
    file = uploads.put(
        Caller.of_account(rich.account_id), uploads.new_id(), "image/png", png(), ("start.png", "user_data")
    )
    test = api.webhooks.send_test(rich.account_id, {"url": HOOK})
    task_id = create_task(rich.account_id, body)["taskId"]
    # Who waits for its end need not wait.
    run_task_parts.step_runner().cancel(task_id)
    return {
        ("{requestId}/receipt", "requestId"): billed_request(aws, rich.account_id),
        ("/statements/{month}", "month"): utc_month(parts.clock().now_ms()),
        ("DELETE /api/v1/requests/{requestId}", "requestId"): running_request(aws, rich.account_id),
        ("GET /api/v1/requests/{requestId}", "requestId"): billed_request(aws, rich.account_id),
        ("GET /api/v1/generation", "id"): billed_request(aws, rich.account_id),
        ("/files/{id}", "id"): file.file_id,
        ("/budgets/{id}", "id"): api.budgets.create(rich.account_id, BUDGET, None)["id"],
        ("/subaccounts/{id}", "id"): api.subaccounts.create(rich.account_id, {"name": "Acme"}, by=None)["id"],
        ("/projects/{id}", "id"): api.projects.create(rich.account_id, {"name": "Website"}, by=None)["id"],
        ("/quotes/{id}", "id"): made_quote(api, rich),
        ("/workflows/{id}", "id"): made_workflow(api, rich),
        ("/workflow/stream/{id}", "id"): made_workflow(api, rich, ended=True),
        ("/tokens/{id}", "id"): made_token(api, rich),
        ("/keys/{id}", "id"): api.keys.create(rich.account_id, {"name": "another"}, None)["id"],
        ("/catalog/{id}", "id"): "test-image",
        ("{model}", "model"): "claude-haiku-4-5",
        ("{taskId}", "taskId"): task_id,
        ("{videoId}", "videoId"): finished_video(rich.account_id),
        ("{deliveryId}", "deliveryId"): test["deliveryId"],
    }


class TestApi:
    @pytest.mark.parametrize(("mode", "routes"), [(POSITIVE, API), (NEGATIVE, CHECKED)], ids=["good", "bad"])
    def test_every_answer_is_in_the_document(
        self,
        rich: OpenedAccount,
        known: dict[tuple[str, str], str],
        subtests: pytest.Subtests,
        mode: GenerationMode,
        routes: list[str],
    ) -> None:
        from local.machine.server import api as app  # noqa: PLC0415 - its handlers take this thread's loop

        schema = read_schema()
        schema.app = app
        for route in routes:
            there = {name: value for (part, name), value in known.items() if part in route}

            def send(case: Any, there: dict[str, str] = there) -> Any:
                if mode is POSITIVE:
                    case.path_parameters = there
                    if case.path.endswith("/generation"):
                        # Its id is in the query.
                        case.query = there
                    if case.path.endswith("/webhooks/test"):
                        # One test at a time, and this one runs: another address would be asked to wait.
                        case.body = {"url": HOOK}
                    if case.path.endswith("/credit"):
                        # The sub-account has nothing to take back, and its parent $100.
                        case.body = {"amountCents": 1}
                        case.headers = {"Idempotency-Key": "order-7"}
                return case.call(headers={"Authorization": f"Bearer {rich.api_key}"})

            with subtests.test(route=route):
                run(schema, route, mode, send)


def known_texts(client: TextClient) -> dict[tuple[str, str], str]:
    """Return the same for the routes of text models, of a customer."""
    conversation = client.openai.conversations.create(items=[{"role": "user", "content": "hello"}]).id
    (item,) = client.openai.conversations.items.list(conversation).data
    uploads = api_parts.api().files.uploads
    caller, name = Caller.of_account(client.account.account_id), ("in.jsonl", "batch")
    file = uploads.put(caller, uploads.new_id(), JSONL, b"{}", name).file_id
    told: Any = {"model": "test-chat", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}
    messages = client.anthropic.messages.batches.create(requests=[{"custom_id": "a", "params": told}]).id
    # It has ended, so it has results.
    run_batch_parts.run(client.account.account_id, messages)
    run_batch_parts.close()
    return {
        ("/responses/{id}", "id"): client.openai.responses.create(model="gpt-5.4-mini", input="hello").id,
        ("/conversations/{id}", "id"): conversation,
        ("{itemId}", "itemId"): str(item.id),
        ("v1/batches/{id}", "id"): client.openai.batches.create(input_file_id=file, **BATCH).id,
        ("/messages/batches/{id}", "id"): messages,
        (NEW_BATCH, "input_file_id"): file,
        ("/models/{id}", "id"): "gpt-5.4-mini",
        ("/models/{id}/{slug}", "id"): "openai",
        ("/models/{id}/{slug}", "slug"): "gpt-5.4-mini",
    }


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack")
class TestText:
    @pytest.mark.parametrize("mode", [POSITIVE, NEGATIVE], ids=["good", "bad"])
    def test_every_answer_is_in_the_document(
        self, client: TextClient, fresh_breaker: None, subtests: pytest.Subtests, mode: GenerationMode
    ) -> None:
        schema = read_schema()
        # It is called by its address.
        schema.app = None
        headers = {"Authorization": f"Bearer {client.account.api_key}"}
        known = known_texts(client)

        def send(case: Any) -> Any:
            there = {name: value for (part, name), value in known.items() if part in case.path}
            if mode is POSITIVE and there:
                case.path_parameters = there
                case.query.pop("after", None)
            if mode is POSITIVE and "/batches" in case.path:
                case.query, case.headers = {}, {}
            if mode is POSITIVE and f"{case.method} {case.path}" == NEW_BATCH:
                case.body = BATCH | {"input_file_id": known[NEW_BATCH, "input_file_id"]}
            return case.call(base_url=client.url, headers=headers)

        for route in TEXT if mode is POSITIVE else TEXT_BODIES:
            with subtests.test(route=route):
                run(schema, route, mode, send)
