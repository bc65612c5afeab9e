"""Keys with limits while much runs at once, on the emulator: caps for media and text, keys and secrets."""

import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.support.samples import PAID_IMAGE
from tests.support.text_app import START_TIMEOUT_S, USD, TextClient
from tollgate.accounts.errors import RotationInProgressError
from tollgate.accounts.scopes import Scope
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import text as text_parts
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.attribution import NONE
from tollgate.ledger.caps import counters_of
from tollgate.ledger.errors import KeyLimitReachedError, SpendingCapReachedError

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("ministack"),
    pytest.mark.usefixtures("service"),
]

THREADS = 16
CENT = 10_000
REJECTED = {"model": PAID_IMAGE, "input": {"prompt": "[[reject]]", "size": "1:1"}}
CHAT: dict[str, Any] = {
    "model": "gpt-5.4-mini",
    "messages": [{"role": "user", "content": "hello"}],
    "max_tokens": 100,
}


def made(account_id: str, **fields: Any) -> Any:
    """Make a key with these fields; give its view, with the key."""
    return api_parts.api().keys.create(account_id, {"name": "made", **fields}, None)


def spent(account_id: str) -> int:
    """Return the account's one counter."""
    (counter,) = api_parts.api().accounts.me(account_id).counters.values()
    return counter


class TestMedia:
    def test_of_200_creates_with_a_cap_for_20_exactly_20_are_accepted(self) -> None:
        api = api_parts.api()
        customer = api.accounts.open(micro_usd_of_cents(200))
        view = made(customer.account_id, spendingCap={"capCents": 20, "per": "month"})
        key = api.authenticator.authenticate(view["key"], Scope.MEDIA, None)

        def create(_: int) -> str:
            try:
                return str(api.tasks.create(customer.account_id, REJECTED, None, key, NONE)["taskId"])
            except SpendingCapReachedError:
                return "refused"

        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = Counter(pool.map(create, range(200)))
        assert outcomes.pop("refused") == 180
        assert len(outcomes) == 20
        assert api.accounts.me(customer.account_id).view()["balance"] == 180
        assert spent(customer.account_id) == 20 * CENT
        # What is rejected comes back, to the cap as well.
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(run_to_end, list(outcomes)[:4]))
        assert api.accounts.me(customer.account_id).view()["balance"] == 184
        assert spent(customer.account_id) == 16 * CENT


def run_to_end(task_id: str) -> None:
    """Take step after step until the task ends."""
    runner = run_task_parts.step_runner()
    seq, ended = 0, False
    while not ended:
        stepped = runner.run(task_id, seq)
        assert stepped.task is not None
        seq, ended = stepped.task.seq, stepped.task.ended


class TestKeys:
    def test_many_at_once_never_pass_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tollgate.accounts.repository.MAX_API_KEYS", 11)
        customer = api_parts.api().accounts.open(0)

        def make(_: int) -> str:
            try:
                return str(made(customer.account_id)["id"])
            except KeyLimitReachedError:
                return "refused"

        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = Counter(pool.map(make, range(40)))
        assert outcomes["refused"] == 30
        assert len(api_parts.api().keys.all(customer.account_id)) == 11

    def test_of_rotations_at_once_one_is_made_and_its_secret_works(self) -> None:
        api = api_parts.api()
        view = made(api.accounts.open(0).account_id)
        key = api.authenticator.authenticate(view["key"], Scope.MEDIA, None)

        def rotate(_: int) -> str | None:
            try:
                return str(api.keys.rotate(key.account_id, key.key_id, {}, None)["key"])
            except RotationInProgressError:
                return None

        with ThreadPoolExecutor(THREADS) as pool:
            (new,) = [text for text in pool.map(rotate, range(THREADS)) if text]
        for text in (new, view["key"]):
            assert api.authenticator.authenticate(text, Scope.MEDIA, None).key_id == key.key_id


Limited = Callable[..., TextClient]


@pytest.fixture
def limited(open_client: Callable[[int], TextClient], fresh_breaker: None) -> Limited:
    """Return what opens a customer with one US dollar and a key with these limits."""

    def opened(**fields: Any) -> TextClient:
        client = open_client(USD)
        key = made(client.account.account_id, **fields)["key"]
        account = OpenedAccount(client.account.account_id, key, client.account.webhook_secret)
        return replace(client, account=account)

    return opened


class TestText:
    def test_many_requests_at_once_stay_within_the_cap(self, limited: Limited) -> None:
        client = limited(spendingCap={"capCents": 1, "per": "day"})
        # A request holds its prompt and 100 tokens of output, over 450 micro-USD, and costs far less.
        with ThreadPoolExecutor(THREADS) as pool:
            answers = list(pool.map(lambda _: client.post("/chat/completions", CHAT), range(60)))
        charged = [int(each.headers["x-tollgate-cost-micro-usd"]) for each in answers if each.is_success]
        refused = [each.json()["error"] for each in answers if not each.is_success]
        assert {error["code"] for error in refused} <= {"spending_cap_reached"}
        assert sum(charged) <= CENT
        assert client.settled()
        assert spent(client.account.account_id) == sum(charged) == USD - client.balance()

    def test_what_the_cap_does_not_cover_is_402_on_both_protocols(self, limited: Limited) -> None:
        client = limited(spendingCap={"capCents": 1, "per": "day"})
        dear = {**CHAT, "model": "claude-opus-5-5", "max_tokens": 10_000}
        for path, kind in (("/chat/completions", "PaymentRequired"), ("/messages", "billing_error")):
            answer = client.post(path, dear)
            error = answer.json()["error"]
            assert (answer.status_code, error["type"], error["code"]) == (402, kind, "spending_cap_reached")
            assert (error["capCents"], error["spentCents"], error["waitingHelps"]) == (1, 0, False)
        assert client.balance() == USD
        assert client.settled()

    def test_without_max_tokens_the_rest_of_a_cap_limits_the_answer(self, limited: Limited) -> None:
        client = limited(spendingCap={"capCents": 10, "per": "day"})
        open_ended = {**CHAT, "max_tokens": None}
        answer = client.post(
            "/chat/completions", {name: value for name, value in open_ended.items() if value}
        )
        assert answer.status_code == 200, answer.text
        assert spent(client.account.account_id) == int(answer.headers["x-tollgate-cost-micro-usd"])

    def test_models_hold_for_every_route(self, limited: Limited) -> None:
        client = limited(models=["gpt-5.4-mini", PAID_IMAGE])
        assert client.post("/chat/completions", CHAT).status_code == 200
        other = {**CHAT, "model": "claude-haiku-4-5"}
        for path in ("/chat/completions", "/messages", "/messages/count_tokens"):
            answer = client.post(path, other)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden"), path
        listed = httpx.get(
            f"{client.url}/api/v1/models", headers={"authorization": f"Bearer {client.account.api_key}"}
        ).json()["data"]
        assert [model["id"] for model in listed] == ["gpt-5.4-mini"]

    def test_the_address_is_the_sockets_whatever_the_headers_say(self, limited: Limited) -> None:
        lies = {
            "x-forwarded-for": "203.0.113.7",
            "x-amzn-request-context": json.dumps({"identity": {"sourceIp": "203.0.113.7"}}),
        }
        assert limited(networks=["127.0.0.0/8"]).post("/chat/completions", CHAT, **lies).status_code == 200
        refused = limited(networks=["203.0.113.0/24"]).post("/chat/completions", CHAT, **lies)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
        assert "127.0.0.1" in refused.json()["error"]["message"]

    def test_behind_the_web_adapter_it_is_the_one_that_the_gateway_saw(
        self, limited: Limited, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_LAMBDA_EXEC_WRAPPER", "/opt/bootstrap")
        text_parts.settings.cache_clear()
        client = limited(networks=["203.0.113.0/24"])
        context = json.dumps({"identity": {"sourceIp": "203.0.113.7"}})
        sent = {"x-amzn-request-context": context, "x-forwarded-for": "198.51.100.1"}
        try:
            assert client.post("/chat/completions", CHAT, **sent).status_code == 200
            assert client.post("/chat/completions", CHAT).status_code == 403
        finally:
            monkeypatch.delenv("AWS_LAMBDA_EXEC_WRAPPER")
            text_parts.settings.cache_clear()

    def test_a_rotated_secret_works_at_once_and_a_use_is_noted_beside_the_request(
        self, limited: Limited
    ) -> None:
        client = limited()
        assert client.post("/chat/completions", CHAT).status_code == 200
        keys = api_parts.api().keys
        account_id = client.account.account_id
        deadline = time.monotonic() + START_TIMEOUT_S
        while (key := keys.all(account_id)[0])["lastUsedAt"] is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        new = keys.rotate(account_id, key["id"], {}, None)["key"]
        for text in (new, client.account.api_key):
            used = replace(client, account=replace(client.account, api_key=text))
            assert used.post("/chat/completions", CHAT).status_code == 200

    def test_a_key_without_a_cap_counts_nothing(self, limited: Limited) -> None:
        client = limited()
        assert client.post("/chat/completions", CHAT).status_code == 200
        assert api_parts.api().accounts.me(client.account.account_id).counters == counters_of({})
