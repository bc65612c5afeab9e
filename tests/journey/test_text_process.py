"""`functions/text/run.sh` with the template's own environment, started and driven as on AWS."""

import json
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.machine.clients import aws_environment
from local.machine.emulator import Emulator, free_port
from local.template import ROOT, Template
from tests.support.text_app import USD, TextClient
from tests.support.web_adapter import AdaptedFunction, adapted

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

CHAT: dict[str, Any] = {
    "model": "gpt-5.4-mini",
    "messages": [{"role": "user", "content": "hello"}],
    "max_tokens": 100,
}

CUSTOMERS, AT_ONCE = 8, 64
"""Requests at once in one process: Lambda gives it one, `make run` gives it many."""
LIMIT = 600
"""RequestsPerMinute of the template."""


@pytest.fixture(scope="module")
def variables(template: Template, emulator: Emulator, stack_environment: dict[str, str]) -> dict[str, str]:
    """Return the text function's variables as AWS would resolve them, but for a port that is free here."""
    declared = template.variables("TextFunction")
    resolved = {name: stack_environment[name] for name in declared if name in stack_environment}
    return {
        **aws_environment(emulator.endpoint),
        **resolved,
        **on_aws(declared),
        "AWS_LWA_PORT": str(free_port()),
    }


def on_aws(declared: dict[str, Any]) -> dict[str, Any]:
    """Return the variables that a function has on AWS alone."""
    return {name: value["Fn::If"][2] for name, value in declared.items() if _is_aws_only(value)}


def _is_aws_only(value: Any) -> bool:
    match value:
        case {"Fn::If": ["IsLocal", {"Ref": "AWS::NoValue"}, str()]}:
            return True
        case _:
            return False


@pytest.fixture
def function(template: Template, variables: dict[str, str], tmp_path: Path) -> Iterator[AdaptedFunction]:
    """Run the text function's handler behind the adapter's rules."""
    program = ROOT / "functions" / template.functions()["TextFunction"]["Handler"]
    with adapted(program, variables, tmp_path / "text.log") as running:
        yield running


@pytest.fixture
def customer(open_client: Callable[[int], TextClient]) -> TextClient:
    """Return a customer with one US dollar."""
    return open_client(USD)


def send(function: AdaptedFunction, customer: TextClient, **fields: Any) -> httpx.Response:
    """Send a chat through the adapter."""
    headers = {**function.headers, "authorization": f"Bearer {customer.account.api_key}"}
    path = "/api/v1/chat/completions"
    return httpx.post(function.url + path, json={**CHAT, **fields}, headers=headers, timeout=60)


class TestOnLambda:
    def test_it_gets_ready_answers_whole_and_streamed_and_ends_when_told(
        self, function: AdaptedFunction, customer: TextClient
    ) -> None:
        whole = send(function, customer)
        assert whole.status_code == 200, whole.text
        said = whole.json()["choices"][0]["message"]["content"]
        streamed = send(function, customer, stream=True)
        *events, last = [line.removeprefix("data: ") for line in streamed.text.splitlines() if line]
        assert last == "[DONE]"
        deltas = [json.loads(event)["choices"][0]["delta"].get("content", "") for event in events]
        assert "".join(deltas) == said != ""
        whole_cost, streamed_cost = (-entry.amount_micro_usd for entry in customer.texts_when(2))
        assert whole_cost == streamed_cost == int(whole.headers["x-tollgate-cost-micro-usd"])
        assert customer.settled()
        assert function.shut_down() in (0, -signal.SIGTERM)
        # A connection that was left open, or a failure on the way out, would stand there.
        assert [line for line in function.log.read_text().splitlines() if "Cancel 0" not in line] == []

    def test_a_stream_under_way_when_it_is_told_to_end_is_settled(
        self, function: AdaptedFunction, customer: TextClient
    ) -> None:
        headers = {**function.headers, "authorization": f"Bearer {customer.account.api_key}"}
        content = "[[tokens 90]] [[delay 500]]"
        body = {**CHAT, "messages": [{"role": "user", "content": content}], "stream": True}
        url = f"{function.url}/api/v1/chat/completions"
        with httpx.stream("POST", url, json=body, headers=headers) as answer:
            next(answer.iter_raw())
            function.shut_down()
        (entry,) = customer.texts_when(1)
        assert entry.amount_micro_usd < 0
        assert customer.settled()


class TestManyInOneProcess:
    """As on Lambda Managed Instances, where a process has many requests at once, of any customers."""

    @pytest.fixture
    def variables(self, variables: dict[str, str]) -> dict[str, str]:
        """Have each request in the log."""
        return {**variables, "LOG_LEVEL": "INFO"}

    def test_each_customer_gets_and_pays_their_own(
        self, function: AdaptedFunction, open_client: Callable[[int], TextClient]
    ) -> None:
        customers = [open_client(USD) for _ in range(CUSTOMERS)]
        # Each asks for an answer of a length that nobody else asks for.
        asked = [(customers[n % CUSTOMERS], n + 1) for n in range(AT_ONCE)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda one: _counted(function, *one), asked))
        assert [tokens for _, tokens, _, _ in answers] == [tokens for _, tokens in asked]
        ids = {request_id for request_id, _, _, _ in answers}
        assert len(ids) == AT_ONCE
        for customer in customers:
            mine = [answer for (asker, _), answer in zip(asked, answers, strict=True) if asker is customer]
            entries = customer.texts_when(len(mine))
            charged = {str(entry.entry_id).partition("#")[0]: -entry.amount_micro_usd for entry in entries}
            assert charged == {request_id: cost for request_id, _, cost, _ in mine}
            # Those of the minute are counted by account: nobody's answer tells of others' requests.
            # All of it where the rate window rolled over between a request and its headers.
            assert all(LIMIT - len(mine) <= left <= LIMIT for _, _, _, left in mine)
            assert customer.settled()
        logged = [json.loads(line) for line in function.log.read_text().splitlines() if line[0] == "{"]
        found = {line["correlation_id"]: line["charge_micro_usd"] for line in logged}
        assert found == {request_id: cost for request_id, _, cost, _ in answers}


def _counted(function: AdaptedFunction, customer: TextClient, tokens: int) -> tuple[str, int, int, int]:
    """Return an answer's request id, its tokens, what it cost, and what is left of the minute."""
    content = f"[[tokens {tokens}]] [[delay 300]]"
    answer = send(function, customer, messages=[{"role": "user", "content": content}])
    assert answer.status_code == 200, answer.text
    return (
        answer.headers["x-request-id"],
        answer.json()["usage"]["completion_tokens"],
        int(answer.headers["x-tollgate-cost-micro-usd"]),
        int(answer.headers["x-ratelimit-remaining"]),
    )
