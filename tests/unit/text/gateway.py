"""The least gateway that puts the wire's parts together, for clients and a simulator to talk through.

`/{upstream}/v1/chat/completions` and `/{upstream}/v1/messages` go to that provider of the simulator,
translated where it speaks the other protocol. No keys, no balance, no failover.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tests.unit.text.samples import CREATED_S, call_of, text_model
from tollgate.kit.errors import TollgateError
from tollgate.providers.text.anthropic.text import Anthropic
from tollgate.providers.text.bedrock.text import Bedrock
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.providers.text.openai_compatible.text import OpenAiCompatible
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.body.tokens import input_bound, input_estimate
from tollgate.text.models import TextProtocol, TextRoute
from tollgate.text.money.metering import Demand, full_hold
from tollgate.text.routes.response import encode_events
from tollgate.text.upstream.exchange import Exchange, RoutedRequest, TextUpstream, encoded, refusal
from tollgate.text.wire.errors import error_body, fault_body
from tollgate.text.wire.faults import FaultError
from tollgate.text.wire.sse import UnreadableStreamError
from tollgate.text.wire.stream import Meter

TIMEOUT_S = 10


@dataclass(frozen=True)
class AwsRole:
    """What signs for Bedrock."""

    access_key: str = "AKIA"
    secret_key: str = "secret"
    token: str | None = None


def upstream_of(name: str, simulator_url: str) -> tuple[TextUpstream, TextProtocol]:
    if name == "anthropic":
        return Anthropic("key", f"{simulator_url}/anthropic"), TextProtocol.ANTHROPIC
    if name == "bedrock":
        return Bedrock("us-east-1", AwsRole, base_url=f"{simulator_url}/bedrock"), TextProtocol.ANTHROPIC
    return OpenAiCompatible(
        VENDORS[name], "key", f"{simulator_url}{VENDORS[name].simulator_path}"
    ), TextProtocol.OPENAI


def make_gateway(simulator_url: str, meters: list[Meter]) -> FastAPI:
    """Return the app; `meters` gets the meter of each exchange."""
    app = FastAPI()
    model = text_model()

    async def answer(protocol: TextProtocol, name: str, request: Request) -> Response:
        try:
            asked = read_request(protocol, await request.body())
            upstream, spoken = upstream_of(name, simulator_url)
            hold = full_hold(Demand(input_bound(asked, model), asked.output_limit, asked.answers), model)
            route, estimate = TextRoute(name, f"{name}-model", spoken), input_estimate(asked, model)
            routed = RoutedRequest(asked, model, route, hold, estimate, CREATED_S, dict(request.headers))
            exchange = upstream.exchange(routed)
        except TollgateError as error:
            return Response(dumps(error_body(protocol, error)), error.status, media_type="application/json")
        meters.append(exchange.meter)
        return await fetched(exchange, protocol, spoken, stream=asked.stream)

    @app.post("/{upstream}/v1/chat/completions")
    async def completions(upstream: str, request: Request) -> Response:
        return await answer(TextProtocol.OPENAI, upstream, request)

    @app.post("/{upstream}/v1/messages")
    async def messages(upstream: str, request: Request) -> Response:
        return await answer(TextProtocol.ANTHROPIC, upstream, request)

    return app


async def fetched(
    exchange: Exchange, client: TextProtocol, spoken: TextProtocol, *, stream: bool
) -> Response:
    call = call_of(exchange)
    http = httpx.AsyncClient(timeout=TIMEOUT_S)
    request = http.build_request(call.method, call.url, headers=dict(call.headers), content=call.body)
    got = await http.send(request, stream=True)
    if stream and got.status_code == httpx.codes.OK:
        return StreamingResponse(relayed(http, got, exchange), media_type="text/event-stream")
    body = await got.aread()
    await http.aclose()
    if got.status_code == httpx.codes.OK:
        try:
            return Response(exchange.read_whole(body), media_type="application/json")
        except FaultError as exc:
            shown = fault_body(client, exc.fault)
            return Response(encoded(shown), exc.fault.status, media_type="application/json")
    status, said = refusal(client, spoken, body, exchange.fault(got.status_code, got.headers, body))
    return Response(encoded(said), status, media_type="application/json")


async def relayed(http: httpx.AsyncClient, got: httpx.Response, exchange: Exchange) -> AsyncIterator[bytes]:
    try:
        async for piece in got.aiter_bytes():
            yield encode_events(exchange, exchange.splitter.feed(piece))
    except (httpx.RemoteProtocolError, UnreadableStreamError):
        pass
    yield encode_events(exchange, exchange.splitter.close()) + exchange.stream.close()
    await http.aclose()
