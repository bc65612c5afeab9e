"""One line of a batch as a text request: read, held, answered and billed as on its own route."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from tollgate.accounts.models import ApiKey
from tollgate.batches.request import COMPLETIONS, ENDPOINTS, MESSAGES, RESPONSES
from tollgate.kit.errors import InvalidInputError
from tollgate.text.body.fields import invalid
from tollgate.text.body.json_body import dumps
from tollgate.text.body.prompt_files import PromptFiles, with_files
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.kinds.completions import CompletionsRendering, own_names, read_completion_request
from tollgate.text.kinds.table import KINDS
from tollgate.text.models import TextProtocol
from tollgate.text.responses.service import ResponsesService
from tollgate.text.serving.asgi import Reply
from tollgate.text.serving.event_stream import http_response
from tollgate.text.wire.errors import UpstreamTimeoutError
from tollgate.text.wire.rendering import Rendering, Unchanged

# The advice of other routes is a stream, which a line cannot have.
TOO_SLOW = "The provider did not respond in time. Lower max_tokens, or send the request without a batch."


@dataclass(frozen=True, slots=True)
class Call:
    """The caller of a line: its key, the id of its request and the headers of its batch."""

    key: ApiKey
    request_id: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LineCalls:
    """Answers lines."""

    responses: ResponsesService
    files: PromptFiles

    async def answer(self, endpoint: str, fields: Mapping[str, Any], call: Call) -> Reply:
        """Answer the request with these fields. Raises the errors that refuse it."""
        if fields.get("stream"):
            raise invalid("/stream", "A request of a batch is not streamed.")
        body = dumps(fields).encode()
        if endpoint == RESPONSES:
            return await self._response(fields, body, call)
        if endpoint == COMPLETIONS:
            return await self._completion(body, call)
        protocol = TextProtocol.ANTHROPIC if endpoint == MESSAGES else ENDPOINTS[endpoint]
        if protocol in KINDS:
            return await self._respond(KINDS[protocol].read(body), call)
        body = await with_files(body, call.key.caller, self.files)
        return await self._respond(read_request(protocol, body), call, Unchanged(protocol))

    async def _respond(self, request: TextRequest, call: Call, rendering: Rendering | None = None) -> Reply:
        self._check_images(request)
        responding = self.responses.text.respond(request, call.key, call.request_id, call.headers)
        rendering = rendering or Unchanged(TextProtocol.OPENAI)
        # Not streamed, so it is whole.
        return cast("Reply", await http_response(responding, rendering, _of_a_line))

    def _check_images(self, request: TextRequest) -> None:
        """Raise `InvalidInputError` for a model whose responses are too large for a file of results."""
        models = self.responses.text.models
        for name in (request.model, *request.asked.fallbacks):
            if (model := models.get(name.casefold())) is not None and model.images is not None:
                raise has_images(model.id)

    async def _completion(self, body: bytes, call: Call) -> Reply:
        with own_names():
            return await self._respond(read_completion_request(body), call, CompletionsRendering())

    async def _response(self, fields: Mapping[str, Any], body: bytes, call: Call) -> Reply:
        if fields.get("background"):
            raise invalid("/background", "A request of a batch is no background response.")
        body = await with_files(body, call.key.caller, self.files)
        read = await self.responses.read(body, call.key, call.request_id)
        responding = read.respond(self.responses.text, call.key, call.request_id, call.headers)
        return cast("Reply", await http_response(responding, read.rendering, _of_a_line))


def has_images(model_id: str) -> InvalidInputError:
    """Return the refusal of a model whose responses are too large for a file of results."""
    return invalid("/model", f"{model_id} answers with images, and is not sold in batches or workflows.")


def _of_a_line(body: Mapping[str, Any], anchor: str) -> Mapping[str, Any]:
    """Return an error body without the links of a response, which has an address, and with fitting advice."""
    del anchor
    error = body["error"]
    if error.get("code") != UpstreamTimeoutError.code:
        return body
    return {**body, "error": {**error, "message": TOO_SLOW}}
