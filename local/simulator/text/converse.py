"""Amazon Bedrock's Converse and ConverseStream (docs/providers/bedrock.md)."""

import json
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.text.content import Answer, Ask, Tool, count_tokens
from local.simulator.text.directions import TextDirections
from local.simulator.text.eventstream import MEDIA_TYPE, event, exception
from local.simulator.text.refusals import converse_refusal
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import take_turn
from local.simulator.text.vendors import scaled
from local.simulator.wire import api_key, json_object, text

SIGNATURE = "c2ltdWxhdG9y"
TOO_LONG = "Input is too long for requested model."

_EXCEPTIONS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}


def router(engine: Engine) -> APIRouter:
    """Return Bedrock's routes."""
    routes = APIRouter()

    @routes.post("/model/{model}/converse")
    async def converse(request: Request, model: str) -> Response:
        return await _answered(engine, request, model, stream=False)

    @routes.post("/model/{model}/converse-stream")
    async def converse_stream(request: Request, model: str) -> Response:
        return await _answered(engine, request, model, stream=True)

    return routes


async def _answered(engine: Engine, request: Request, model: str, *, stream: bool) -> Response:
    if not _is_known(request):
        return _refused(403)
    body = await json_object(request)
    if body is None or not isinstance(body.get("messages"), list) or not body["messages"]:
        return _refused(400)
    if (reason := converse_refusal(model, body)) is not None:
        return _refused(400, reason)
    turn = await take_turn(engine, model, _ask(body))
    if isinstance(turn, int) or turn.directions.too_long:
        return _refused(turn) if isinstance(turn, int) else _refused(400, TOO_LONG)
    shape = Shape(turn.answer, turn.directions)
    headers = {"x-amzn-requestid": turn.answer.id}
    if not stream:
        content = json.dumps(shape.answer(), ensure_ascii=False).encode()
        return whole(content, turn.common, turn.directions, headers)
    error = exception("modelStreamErrorException", "The model stopped unexpectedly.")
    events = disturbed(shape.events(), error, turn.common, turn.directions)
    return EventStream(events, turn.directions, headers, MEDIA_TYPE)


def _is_known(request: Request) -> bool:
    """Return whether the request has a Bedrock API key or a signature. The signature is not verified."""
    signed = request.headers.get("authorization", "")
    is_signed = signed.startswith("AWS4-HMAC-SHA256 ") and "/bedrock/aws4_request" in signed
    return is_signed or api_key(request, "Bearer") is not None


class Shape:
    """A response in Converse's format."""

    def __init__(self, said: Answer, directions: TextDirections) -> None:
        self._said = said
        self._directions = directions

    def answer(self) -> dict[str, Any]:
        """Return the complete response."""
        content: list[dict[str, Any]] = []
        if self._said.thinking:
            thought = {"text": "".join(self._said.thinking), "signature": SIGNATURE}
            content.append({"reasoningContent": {"reasoningText": thought}})
        if self._said.text:
            content.append({"text": "".join(self._said.text)})
        for call in self._said.calls:
            named = {"toolUseId": f"tooluse_{call.id}", "name": call.name}
            content.append({"toolUse": {**named, "input": call.arguments}})
        message = {"role": "assistant", "content": content}
        return {"output": {"message": message}, "stopReason": self._stop(), **self._usage()}

    def events(self) -> list[bytes]:
        """Return the response as messages of the binary stream. The usage follows the stop reason."""
        blocks = [_deltas(self._said.thinking), [{"text": piece} for piece in self._said.text]]
        events = [event("messageStart", {"role": "assistant"})]
        starts: list[dict[str, Any] | None] = [None, None]
        for call in self._said.calls:
            starts.append({"toolUse": {"toolUseId": f"tooluse_{call.id}", "name": call.name}})
            blocks.append([{"toolUse": {"input": piece}} for piece in call.pieces])
        filled = [(start, block) for start, block in zip(starts, blocks, strict=True) if start or block]
        for index, (start, block) in enumerate(filled):
            events += _block_events(index, start, block)
        events.append(event("messageStop", {"stopReason": self._stop()}))
        return [*events, event("metadata", {**self._usage(), "metrics": {"latencyMs": 1}})]

    def _usage(self) -> dict[str, Any]:
        if self._directions.no_usage:
            return {}
        said = self._said
        fresh = said.input_tokens - said.cached_tokens - said.written_tokens
        output = said.visible_tokens + said.reasoning_tokens
        usage = {
            "inputTokens": fresh,
            "outputTokens": output,
            "totalTokens": said.input_tokens + output,
            "cacheReadInputTokens": said.cached_tokens,
            "cacheWriteInputTokens": said.written_tokens,
        }
        return {"usage": scaled(usage, self._directions.usage_factor)}

    def _stop(self) -> str:
        if self._said.is_cut:
            return "max_tokens"
        return "tool_use" if self._said.calls else "end_turn"


def _deltas(thinking: tuple[str, ...]) -> list[dict[str, Any]]:
    pieces: list[dict[str, Any]] = [{"reasoningContent": {"text": piece}} for piece in thinking]
    return [*pieces, {"reasoningContent": {"signature": SIGNATURE}}] if pieces else []


def _block_events(index: int, start: dict[str, Any] | None, deltas: list[dict[str, Any]]) -> list[bytes]:
    """Return the events of one block. Only tools have a start event."""
    place = {"contentBlockIndex": index}
    begun = [] if start is None else [event("contentBlockStart", {"start": start, **place})]
    middle = [event("contentBlockDelta", {"delta": delta, **place}) for delta in deltas]
    return [*begun, *middle, event("contentBlockStop", place)]


def _ask(body: dict[str, Any]) -> Ask:
    messages = [message for message in body["messages"] if isinstance(message, dict)]
    said = [_blocks_text(message.get("content")) for message in messages if message.get("role") == "user"]
    prompts = [prompt for prompt in said if prompt]
    config = body.get("toolConfig") or {}
    tools = tuple(filter(None, map(_tool, config.get("tools") or [])))
    choice = config.get("toolChoice") or {}
    named = (choice.get("tool") or {}).get("name")
    forced = tuple(tool for tool in tools if tool.name == named) if named else ()
    wanted = (body.get("outputConfig") or {}).get("textFormat")
    return Ask(
        prompt=text(prompts[-1] if prompts else ""),
        input_tokens=count_tokens(messages, config.get("tools") or [], body.get("system") or ""),
        limit=(body.get("inferenceConfig") or {}).get("maxTokens"),
        tools=tools,
        is_reply=any("toolResult" in block for block in messages[-1].get("content") or []),
        forced_tools=tools[:1] if "any" in choice else forced,
        schema=json.loads(wanted["structure"]["jsonSchema"]["schema"]) if wanted else None,
    )


def _tool(tool: Any) -> Tool | None:
    spec = tool.get("toolSpec") if isinstance(tool, dict) else None
    return Tool(str(spec.get("name")), (spec.get("inputSchema") or {}).get("json")) if spec else None


def _blocks_text(blocks: Any) -> str:
    return "".join(str(block.get("text", "")) for block in blocks or [] if isinstance(block, dict))


def _refused(status: int, message: str = "The request was refused.") -> Response:
    name = _EXCEPTIONS.get(status, "InternalServerException")
    headers = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/coral/"}
    return JSONResponse({"message": message}, status, headers)
