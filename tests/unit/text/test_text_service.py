"""Which route is asked, and what an outage costs: with fakes for the network and the books."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.support.clock import ManualClock
from tests.unit.text.samples import ANTHROPIC, OPENAI, text_model
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.client import HttpClient
from tollgate.kit.http.response import ConnectTimeoutError
from tollgate.ledger.holds import Hold
from tollgate.providers.text.anthropic.text import Anthropic
from tollgate.providers.text.bedrock.text import Bedrock
from tollgate.routing.wishes import NO_WISHES
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.models import TextProtocol, TextRoute
from tollgate.text.money.placed import Billed, PlacedHold
from tollgate.text.money.route_plan import Choose
from tollgate.text.routes import calls as route_calls
from tollgate.text.routes.breaker import WINDOW_MS, Breaker
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.routes.response import CompleteResponse, Refused, TextResponse
from tollgate.text.routes.switches import Switches
from tollgate.text.service import TextService

MESSAGE = {"role": "assistant", "content": [{"text": "hi"}]}
CONVERSED = {
    "output": {"message": MESSAGE},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 1},
}
SAID = {
    "type": "message",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
HI: dict[str, Any] = {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
KEY = ApiKey("key_1", "usr_1", "d", frozenset({Scope.TEXT}), 0)
URL_IMAGE = {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}


@dataclass
class FakeResponse:
    """A whole answer, as far as the service looks at one."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    taken: bool = False

    async def readany(self) -> bytes:
        found = b"" if self.taken else self.body
        self.taken = True
        return found

    async def read(self, _most: int) -> bytes:
        return await self.readany()

    def close(self) -> None:
        return


@dataclass
class FakeHttp:
    """Answers for `primary` and `reserve`, and counts who was asked."""

    primary: Callable[[], Any]
    reserve: Callable[[], Any] = lambda: FakeResponse(200, json.dumps(CONVERSED).encode())
    asked: list[str] = field(default_factory=list)

    async def request(self, method: str, url: str, *_: object, **__: object) -> Any:
        name = "primary" if url.startswith("https://primary/") else "reserve"
        self.asked.append(name)
        await asyncio.sleep(0)
        found = getattr(self, name)()
        return await found if asyncio.iscoroutine(found) else found


class FakeBilling:
    """Books that cover everything; `settled` is whose answers were billed."""

    def __init__(self) -> None:
        self.settled: list[str | None] = []
        self.voided = 0

    async def place(
        self,
        account_id: str,
        request_id: str,
        choose: Choose,
        allowance: None = None,
        **_: Any,
    ) -> PlacedHold:
        routes = choose(NO_WISHES)
        hold = Hold(request_id, 1_000, 1)
        return PlacedHold(account_id, account_id, hold, routes.full_hold(), routes=routes)

    async def settle(self, placed: PlacedHold, *_: Any) -> Billed:
        self.settled.append(placed.provider)
        return Billed(1)

    async def void(self, placed: PlacedHold) -> None:
        self.voided += 1

    async def fail(self, placed: PlacedHold, model: str, reason: str) -> None:
        await self.void(placed)


def timed_out() -> Any:
    raise TimeoutError


def not_connected() -> Any:
    raise ConnectTimeoutError


def answered(status: int = 200, body: Any = SAID) -> Callable[[], FakeResponse]:
    return lambda: FakeResponse(status, body if isinstance(body, bytes) else json.dumps(body).encode())


def one_after_the_other(*answers: Callable[[], Any]) -> Callable[[], Any]:
    left = list(answers)

    def answer() -> Any:
        return left.pop(0)()

    return answer


ROUTES = (TextRoute("primary", "m", ANTHROPIC), TextRoute("reserve", "m", ANTHROPIC))


@dataclass
class Desk:
    """A service with one model, `m`."""

    http: FakeHttp
    clock: ManualClock = field(default_factory=ManualClock)
    routes: tuple[TextRoute, ...] = ROUTES
    off: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        upstreams = {
            "primary": Anthropic("key", "https://primary"),
            "reserve": Bedrock("us-east-1", lambda: None, "key", "https://reserve"),  # type: ignore[arg-type, return-value]
        }

        async def known() -> Any:
            return upstreams

        model = replace(text_model(id="m"), routes=self.routes)
        self.books = FakeBilling()
        http: Any = self.http
        books: Any = self.books

        async def off() -> frozenset[str]:
            return self.off

        switches = Switches(off, self.clock)
        calls = RouteCalls(known, books, http, Breaker(), self.clock, switches=switches)
        self.service = TextService({"m": model}, calls, lambda _: None)

    async def ask(self, protocol: TextProtocol = ANTHROPIC, **fields: Any) -> TextResponse:
        asked = read_request(protocol, dumps({**HI, **fields}).encode())
        return await self.service.respond(asked, KEY, "req_1", {})

    def status(self, protocol: TextProtocol = ANTHROPIC, **fields: Any) -> int:
        opened = asyncio.run(self.ask(protocol, **fields))
        return opened.status if isinstance(opened, Refused) else 200


class TestOutage:
    def test_it_costs_one_slow_request_and_all_others_skip_the_provider(self) -> None:
        desk = Desk(FakeHttp(timed_out))
        assert desk.status() == 524
        assert [desk.status() for _ in range(10)] == [200] * 10
        assert desk.http.asked == ["primary", *["reserve"] * 10]

    def test_a_connection_that_nobody_takes_is_slow_too_and_the_reserve_answers(self) -> None:
        desk = Desk(FakeHttp(not_connected))
        assert [desk.status() for _ in range(3)] == [200] * 3
        assert desk.http.asked == ["primary", "reserve", "reserve", "reserve"]

    def test_after_a_window_one_request_tries_it_and_those_beside_it_do_not_wait(self) -> None:
        desk = Desk(FakeHttp(timed_out))
        assert desk.status() == 524
        desk.clock.advance_ms(WINDOW_MS)
        desk.http.asked.clear()

        async def crowd() -> list[TextResponse]:
            back = asyncio.Event()

            async def slowly() -> FakeResponse:
                await back.wait()
                return answered()()

            desk.http.primary = slowly
            waiting = [asyncio.ensure_future(desk.ask()) for _ in range(10)]
            done, pending = await asyncio.wait(waiting, timeout=60, return_when=asyncio.FIRST_COMPLETED)
            while len(pending) > 1:
                more, pending = await asyncio.wait(pending, timeout=60, return_when=asyncio.FIRST_COMPLETED)
                assert more
                done |= more
            back.set()
            return [each.result() for each in done] + [await each for each in pending]

        assert all(isinstance(opened, CompleteResponse) for opened in asyncio.run(crowd()))
        assert sorted(desk.http.asked) == ["primary", *["reserve"] * 9]
        desk.http.asked.clear()
        desk.http.primary = answered()
        assert [desk.status() for _ in range(3)] == [200] * 3
        assert desk.http.asked == ["primary"] * 3

    def test_a_failed_try_leaves_it_alone_for_another_window(self) -> None:
        desk = Desk(FakeHttp(timed_out))
        desk.status()
        desk.clock.advance_ms(WINDOW_MS)
        assert desk.status() == 524
        desk.http.asked.clear()
        desk.clock.advance_ms(WINDOW_MS - 1)
        assert desk.status() == 200
        assert desk.http.asked == ["reserve"]

    def test_with_no_route_left_it_is_503_at_once(self) -> None:
        desk = Desk(FakeHttp(timed_out), routes=ROUTES[:1])
        assert [desk.status(), desk.status()] == [524, 503]
        assert desk.http.asked == ["primary"]

    def test_a_request_that_finds_nobody_to_ask_is_counted_where_there_is_no_reserve(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for routes, counted in ((ROUTES[:1], 1), (ROUTES, 0)):
            desk = Desk(FakeHttp(timed_out), routes=routes)
            desk.status()
            capsys.readouterr()
            desk.status()
            assert capsys.readouterr().out.count('"SingleRouteDown":[1.0]') == counted

    def test_a_request_that_no_provider_answered_is_counted_and_one_that_a_reserve_answered_is_not(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for failed, counted in ((timed_out, 1), (not_connected, 0)):
            desk = Desk(FakeHttp(failed))
            assert desk.status() == (524 if counted else 200)
            assert capsys.readouterr().out.count('"TextGivenUp":[1.0]') == counted


class TestSwitches:
    @pytest.mark.parametrize("off", ["primary", "primary/m"])
    def test_a_provider_that_is_off_is_never_called_and_the_reserve_answers(self, off: str) -> None:
        desk = Desk(FakeHttp(answered()), off=frozenset({off}))
        assert [desk.status() for _ in range(3)] == [200] * 3
        assert desk.http.asked == ["reserve"] * 3

    def test_if_no_route_is_left_the_answer_is_that_of_a_provider_that_is_down(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        down = Desk(FakeHttp(timed_out), routes=ROUTES[:1])
        down.status()
        capsys.readouterr()
        expected = asyncio.run(down.ask())
        counted = capsys.readouterr().out.count('"SingleRouteDown":[1.0]')
        desk = Desk(FakeHttp(answered()), routes=ROUTES[:1], off=frozenset({"primary"}))
        refused = asyncio.run(desk.ask())
        assert isinstance(refused, Refused)
        assert refused == expected
        assert (refused.status, desk.http.asked, desk.books.settled, desk.books.voided) == (503, [], [], 1)
        # An operator hears of it, as of an outage.
        assert (capsys.readouterr().out.count('"SingleRouteDown":[1.0]'), counted) == (1, 1)

    @pytest.mark.parametrize(("off", "asked"), [("", ["primary"]), ("primary", [])])
    def test_it_counts_no_tokens(self, off: str, asked: list[str]) -> None:
        desk = Desk(FakeHttp(answered(body={"input_tokens": 7_777})), routes=ROUTES[:1], off=frozenset({off}))
        body = dumps({"model": "m", "messages": HI["messages"]}).encode()
        request = read_request(ANTHROPIC, body, is_count=True)
        found = asyncio.run(desk.service.count_tokens(request, KEY, "req_1", {}))
        assert desk.http.asked == asked
        # Without the provider, it is estimated.
        assert (found == 7_777) is bool(asked)


class TestAKeptConnection:
    def test_that_was_closed_meanwhile_is_no_failure_of_its_provider(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        body = json.dumps(SAID).encode()
        asked = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal asked
            # The second request is met by the end of its connection.
            for _ in range(2):
                await reader.readuntil(b"}]}")
                asked += 1
                if asked == 2:
                    break
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
            writer.close()

        async def story() -> None:
            listening = await asyncio.start_server(serve, "127.0.0.1", 0)
            port = listening.sockets[0].getsockname()[1]
            http = HttpClient()

            def ask_primary(method: str, url: str, *of: Any, **named: Any) -> Any:
                here = url.replace("https://primary", f"http://127.0.0.1:{port}")
                asked_http: Any = reserve if url == here else http
                return asked_http.request(method, here, *of, **named)

            desk, reserve = Desk(FakeHttp(answered())), FakeHttp(answered())
            desk.http.request = ask_primary  # type: ignore[method-assign]
            for _ in range(2):
                assert isinstance(await desk.ask(), CompleteResponse)
            # It is not sent there again, as it may have been heard (RFC 9110, 9.2.2): the reserve answers.
            assert (asked, desk.books.settled) == (2, ["primary", "reserve"])
            http.close()
            listening.close()
            await asyncio.sleep(0.01)

        asyncio.run(story())
        assert "ProviderErrors" not in capsys.readouterr().out


class TestRoutes:
    @pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 503, 529])
    def test_a_fault_of_the_provider_goes_to_the_next(self, status: int) -> None:
        desk = Desk(FakeHttp(answered(status, {})))
        assert desk.status() == 200
        assert desk.http.asked == ["primary", "reserve"]

    def test_a_model_that_is_not_sold_does_not_put_its_provider_aside(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        desk = Desk(FakeHttp(answered(404, {})))
        assert [desk.status() for _ in range(10)] == [200] * 10
        assert desk.http.asked == ["primary", "reserve"] * 10
        assert '"CatalogDue":[1.0]' in capsys.readouterr().out

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_a_fault_of_the_request_does_not(self, status: int) -> None:
        desk = Desk(FakeHttp(answered(status, {})))
        assert desk.status() == status
        assert desk.http.asked == ["primary"]

    def test_a_reserve_that_cannot_carry_the_request_is_left_out(self) -> None:
        messages = [{"role": "user", "content": [URL_IMAGE]}]
        desk = Desk(FakeHttp(answered(529, {})))
        assert desk.status(messages=messages) == 503
        assert set(desk.http.asked) == {"primary"}

    def test_what_no_route_can_carry_is_refused_with_the_first_ones_words(self) -> None:
        desk = Desk(FakeHttp(answered()))
        with pytest.raises(InvalidInputError, match="/logit_bias"):
            desk.status(OPENAI, logit_bias={"5": 1})
        assert desk.http.asked == []

    def test_what_cannot_be_read_from_any_route_is_502(self) -> None:
        desk = Desk(FakeHttp(answered(200, b"<html>"), answered(200, b"<html>")))
        assert desk.status() == 502
        assert desk.http.asked == ["primary", "reserve"]

    def test_unreadable_here_and_busy_there_is_503(self) -> None:
        desk = Desk(FakeHttp(answered(200, b"<html>"), answered(429, {})))
        assert desk.status() == 503


@dataclass
class Silent:
    """A provider that takes a request and says nothing before `heard`; it knows whether it was hung up on."""

    heard: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: int = 0

    async def __call__(self) -> Any:
        try:
            await self.heard.wait()
        except asyncio.CancelledError:
            self.hung_up += 1
            raise
        return answered()()


class TestSilence:
    """A provider that hangs, which nobody can tell from one that takes its time."""

    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(route_calls, "MAX_SILENCE_S", 0.01)
        monkeypatch.setattr(route_calls, "MAX_STREAM_SILENCE_S", 0.01)

    def test_the_reserve_answers_it_is_billed_once_and_the_others_skip_who_hangs(self) -> None:
        silent = Silent()
        desk = Desk(FakeHttp(silent))
        assert [desk.status() for _ in range(3)] == [200] * 3
        assert desk.http.asked == ["primary", *["reserve"] * 3]
        assert desk.books.settled == ["reserve"] * 3
        assert silent.hung_up == 1

    def test_who_only_takes_long_is_not_given_up(self) -> None:
        slow, never = Silent(), Silent()

        def reserve() -> Any:
            slow.heard.set()
            return never()

        desk = Desk(FakeHttp(slow, reserve))
        assert desk.status() == 200
        assert desk.books.settled == ["primary"]
        assert (slow.hung_up, never.hung_up) == (0, 1)
        # The one that was overtaken was not at fault.
        desk.http.asked.clear()
        desk.http.primary = answered(500)
        desk.http.reserve = answered(200, CONVERSED)
        assert desk.status() == 200
        assert desk.http.asked == ["primary", "reserve"]

    def test_two_answers_at_once_are_one_charge(self) -> None:
        slow = Silent()

        def reserve() -> Any:
            slow.heard.set()
            return answered(200, CONVERSED)()

        desk = Desk(FakeHttp(slow, reserve))
        assert desk.status() == 200
        assert len(desk.books.settled) == 1

    def test_a_reserve_that_fails_leaves_the_silent_one_its_time(self) -> None:
        slow = Silent()

        def reserve() -> Any:
            slow.heard.set()
            return answered(500)()

        desk = Desk(FakeHttp(slow, reserve))
        assert desk.status() == 200
        assert desk.books.settled == ["primary"]

    def test_a_client_that_gives_up_leaves_nobody_asked_and_nothing_held(self) -> None:
        both, is_asked = Silent(), asyncio.Event()

        def reserve() -> Any:
            is_asked.set()
            return both()

        desk = Desk(FakeHttp(both, reserve))

        async def given_up() -> None:
            asking = asyncio.ensure_future(desk.ask())
            await is_asked.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

        asyncio.run(given_up())
        assert (both.hung_up, desk.books.voided, desk.books.settled) == (2, 1, [])


class TestOneMoreTry:
    """A transient failure with no other route left (the issue's list of statuses)."""

    ONE_ROUTE = ROUTES[:1]

    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(route_calls, "RETRY_PAUSE_S", 0.0)

    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
    def test_the_same_route_answers_the_second_time(self, status: int) -> None:
        desk = Desk(FakeHttp(one_after_the_other(answered(status), answered())), routes=self.ONE_ROUTE)
        assert desk.status() == 200
        assert desk.http.asked == ["primary", "primary"]

    def test_so_it_does_after_a_connection_that_failed(self) -> None:
        desk = Desk(FakeHttp(one_after_the_other(not_connected, answered())), routes=self.ONE_ROUTE)
        assert desk.status() == 200

    def test_there_is_no_third_time(self) -> None:
        desk = Desk(FakeHttp(answered(500)), routes=self.ONE_ROUTE)
        assert desk.status() == 503
        assert desk.http.asked == ["primary", "primary"]

    @pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 424])
    def test_what_would_come_again_is_not_tried_again(self, status: int) -> None:
        desk = Desk(FakeHttp(answered(status)), routes=self.ONE_ROUTE)
        assert desk.status() >= 400
        assert desk.http.asked == ["primary"]

    def test_nor_what_took_the_clients_whole_time(self) -> None:
        desk = Desk(FakeHttp(timed_out), routes=self.ONE_ROUTE)
        assert desk.status() == 524
        assert desk.http.asked == ["primary"]

    def test_another_route_comes_first(self) -> None:
        desk = Desk(FakeHttp(answered(500)))
        assert desk.status() == 200
        assert desk.http.asked == ["primary", "reserve"]
