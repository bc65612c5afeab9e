"""The body of `POST /responses`: checked where money or meaning depends on it, and as a chat body."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem, one_of
from tollgate.routing.reading import NOTHING_ASKED, Asked, has_routing, read_routing
from tollgate.text.body.body_shapes import response_problems
from tollgate.text.body.fields import RESPONSES, Rule, invalid
from tollgate.text.body.web_search import is_search_tool
from tollgate.text.models import TextProtocol
from tollgate.text.responses.items import ToolName, messages_of
from tollgate.text.responses.metadata import metadata_problems
from tollgate.text.responses.tools import all_tools, chat_tools, is_extra, own_names

# Fields that a chat body has in another form.
_TRANSLATED = frozenset(
    {
        "model",
        "input",
        "instructions",
        "max_output_tokens",
        "reasoning",
        "text",
        "tools",
        "tool_choice",
        "stream",
    }
)
# Fields that a provider with this protocol gets in another form.
_APART = ("model", "input", "stream", "max_output_tokens")
_GONE = (Rule.HANDLED, Rule.UNUSED, Rule.REFUSED)
# The values of `include`. Those about tools without a route have no effect; log probabilities are refused.
INCLUDES = (
    *("reasoning.encrypted_content", "web_search_call.action.sources", "web_search_call.results"),
    *("file_search_call.results", "code_interpreter_call.outputs"),
    *("message.input_image.image_url", "computer_call_output.output.image_url"),
)
ECHOED = (
    *("instructions", "max_output_tokens", "max_tool_calls", "metadata", "previous_response_id"),
    *("temperature", "top_p", "truncation", "user", "safety_identifier", "prompt_cache_key", "service_tier"),
)
# OpenRouter's SDKs refuse a response without them (npm: @openrouter/sdk 1.3.19, `OpenResponsesResult`).
_NOT_SETTABLE: Mapping[str, None] = {"frequency_penalty": None, "presence_penalty": None}
# In the place of an item's position: the message is the instructions.
INSTRUCTIONS = -1_000_000
# Paths of a chat's fields, and their paths here.
_PATHS = (
    ("/max_completion_tokens", "/max_output_tokens"),
    ("/reasoning_effort", "/reasoning/effort"),
    ("/response_format/json_schema", "/text/format"),
    ("/response_format", "/text/format"),
    ("/verbosity", "/text/verbosity"),
)
_PREVIOUS, _CONVERSATION = "/previous_response_id", "/conversation"
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A request as a chat: its `fields`, the position of the item that each message began with (see
    `messages_of`, or `INSTRUCTIONS`), and the request's own names of its tools by those in the chat."""

    fields: dict[str, Any] = field(repr=False)
    origins: Sequence[int]
    tools: Mapping[str, ToolName]


@dataclass(frozen=True, slots=True)
class ResponsesRequest:
    """A checked request. `items` are its input's items; `store`: the response is to be stored.

    It continues `previous_response_id`, or `conversation_id`, or neither. With `background` it is answered
    after the client's request, always as a stream; then `stream`: the client follows it. `routing` are its
    routing fields.
    """

    fields: Mapping[str, Any] = field(repr=False)
    items: Sequence[Any] = field(repr=False)
    model: str
    stream: bool
    store: bool
    previous_response_id: str | None
    conversation_id: str | None = None
    background: bool = False
    routing: Asked = NOTHING_ASKED

    @property
    def earlier_path(self) -> str:
        """Return the path of the field that names the items before the input."""
        return _PREVIOUS if self.conversation_id is None else _CONVERSATION

    def chat(self, earlier: Sequence[Any], items: Sequence[Any]) -> "ChatBody":
        """Return the request as a chat body.

        `earlier` are the items that it continues, `items` its own, without references.
        Raises `InvalidInputError` for items that a chat cannot express. As in OpenAI's service, the
        instructions of an earlier response are not carried over.
        """
        fields = self.fields
        instructions = fields.get("instructions")
        system = [{"role": "developer", "content": instructions}] if instructions else []
        messages, origins = messages_of([*earlier, *items], -len(earlier))
        tools = list(all_tools(fields, [*earlier, *items]))
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [*system, *messages],
            **_limit(fields),
            **_reasoning(fields.get("reasoning")),
            **_format(fields.get("text")),
            **chat_tools(fields, tools),
        }
        if self.stream or self.background:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        found = {**body, **{name: value for name, value in fields.items() if _is_passed_on(name, value)}}
        return ChatBody(found, [*[INSTRUCTIONS] * len(system), *origins], own_names(tools))

    def native(self) -> dict[str, Any]:
        """Return the fields for a provider that has this protocol, apart from the input and its limit.

        Tools that run at the provider are left out; `chat` refuses them if the request demands them.
        """
        kept = {
            name: value
            for name, value in self.fields.items()
            if value is not None and name not in _APART and _rule(name) not in _GONE
        }
        given = self.fields.get("tools") or []
        tools = [tool for tool in given if not is_extra(tool)]
        if tools:
            return {**kept, "tools": tools}
        return {name: value for name, value in kept.items() if name != "tools" and not _chooses(name, given)}

    def skeleton(self, response_id: str, created_s: int) -> dict[str, Any]:
        """Return the response before it has any output: its id, and the fields that it echoes."""
        fields = self.fields
        echoed = {name: fields.get(name) for name in ECHOED}
        return {
            "id": response_id,
            "object": "response",
            "created_at": created_s,
            "status": "in_progress",
            "access_programs": None,
            "background": self.background,
            "completed_at": None,
            "conversation": None if self.conversation_id is None else {"id": self.conversation_id},
            "error": None,
            "incomplete_details": None,
            **echoed,
            **_NOT_SETTABLE,
            "metadata": fields.get("metadata") or {},
            "model": self.model,
            "output": [],
            "parallel_tool_calls": fields.get("parallel_tool_calls") is not False,
            "reasoning": {"effort": None, "summary": None, **_object(fields.get("reasoning"))},
            "store": self.store,
            "text": {"format": {"type": "text"}, **_object(fields.get("text"))},
            "tool_choice": fields.get("tool_choice") or "auto",
            "tools": fields.get("tools") or [],
            "top_logprobs": 0,
            "truncation": fields.get("truncation") or "disabled",
            "usage": None,
        }


def read_responses_request(fields: Mapping[str, Any]) -> ResponsesRequest:
    """Return the request in a body's fields. Raises `InvalidInputError` with every problem of them."""
    model, routing, found = _routing(fields)
    problems = [*found, *_problems({**fields, "model": model})]
    if problems or model is None:
        raise InvalidInputError(problems)
    given = fields["input"]
    return ResponsesRequest(
        fields=fields,
        items=[{"role": "user", "content": given}] if isinstance(given, str) else given,
        model=model,
        stream=fields.get("stream") is True,
        store=fields.get("store") is not False,
        previous_response_id=fields.get("previous_response_id"),
        conversation_id=_conversation_id(fields.get("conversation")),
        background=fields.get("background") is True,
        routing=routing,
    )


def _routing(fields: Mapping[str, Any]) -> tuple[str | None, Asked, list[Problem]]:
    """Return the model of a request, its other routing fields, and their problems."""
    return read_routing(fields) if has_routing(fields) else (fields.get("model"), NOTHING_ASKED, [])


def unused_fields(fields: Mapping[str, Any]) -> list[str]:
    """Return the fields of a body that no provider gets, and that ask for something."""
    rows = ((name, RESPONSES.get(name)) for name in fields)
    unused = [name for name, row in rows if row and row.rule is Rule.UNUSED and row.has_effect(fields[name])]
    # Whether a search of the web is left out depends on the model (`RoutedRequest.ignored`).
    tools = fields.get("tools") or []
    left_out = [tool for tool in tools if is_extra(tool) and not is_search_tool(TextProtocol.OPENAI, tool)]
    kinds = dict.fromkeys(str(tool["type"]) for tool in left_out)
    return [*unused, *(f"tools.{kind}" for kind in kinds)]


def _is_passed_on(name: str, value: Any) -> bool:
    """Return whether a field means the same in a chat, or is in no table: then the provider decides."""
    return value is not None and name not in _TRANSLATED and _rule(name) not in _GONE


def _rule(name: str) -> Rule | None:
    row = RESPONSES.get(name)
    return None if row is None else row.rule


def _chooses(name: str, given: Sequence[Any]) -> bool:
    """Return whether a field chooses among tools of which none is left."""
    return name == "tool_choice" and bool(given)


def path_in_responses(path: str, origins: Sequence[int], earlier_path: str = _PREVIOUS) -> str:
    """Return the path in the Responses body for the field at a chat body's `path`.

    `earlier_path` is that of the items before the input.
    """
    _, _, rest = path.partition("/messages/")
    if rest:
        number, _, inner = rest.partition("/")
        return _input_path(origins[int(number)], inner, earlier_path)
    for chat_path, own in _PATHS:
        if path == chat_path or path.startswith(f"{chat_path}/"):
            return own + path.removeprefix(chat_path)
    return path.replace("/function/", "/") if path.startswith("/tools/") else path


def _input_path(origin: int, inner: str, earlier_path: str) -> str:
    if origin == INSTRUCTIONS:
        return "/instructions"
    if origin < 0:
        return earlier_path
    return f"/input/{origin}/{inner}" if inner else f"/input/{origin}"


def _problems(fields: Mapping[str, Any]) -> list[Problem]:
    found = [
        Problem(f"/{name}", row.about, row.neutral[-1] if row.neutral else None)
        for name, row in RESPONSES.items()
        if row.rule is Rule.REFUSED and row.has_effect(fields.get(name))
    ]
    checks = (
        ("model", isinstance(fields.get("model"), str), "Must be a text model's id."),
        ("input", isinstance(fields.get("input"), str | list), "Must be a string or a list of items."),
        (
            "input",
            fields.get("input") != [] or fields.get("previous_response_id") or fields.get("conversation"),
            "Must have at least one item if previous_response_id and conversation are missing.",
        ),
        ("instructions", isinstance(fields.get("instructions"), str | None), "Must be a string."),
        ("stream", isinstance(fields.get("stream"), bool | None), "Must be true or false."),
        ("store", isinstance(fields.get("store"), bool | None), "Must be true or false."),
        ("background", isinstance(fields.get("background"), bool | None), "Must be true or false."),
        (
            "store",
            fields.get("background") is not True or fields.get("store") is not False,
            "A background response is always stored. Leave this out.",
        ),
        (
            "previous_response_id",
            isinstance(fields.get("previous_response_id"), str | None),
            "Must be a string.",
        ),
        ("conversation", _is_conversation(fields.get("conversation")), "Must be a conversation's id."),
        (
            "conversation",
            fields.get("conversation") is None or fields.get("previous_response_id") is None,
            "Send either conversation or previous_response_id.",
        ),
        ("max_output_tokens", _is_limit(fields.get("max_output_tokens")), "Must be a whole number above 0."),
        ("text", isinstance(fields.get("text"), dict | None), "Must be an object."),
        ("reasoning", isinstance(fields.get("reasoning"), dict | None), "Must be an object."),
    )
    found += [Problem(f"/{name}", message) for name, is_right, message in checks if not is_right]
    found += metadata_problems(fields.get("metadata"))
    include = fields.get("include")
    for at, each in enumerate(include if isinstance(include, list) else ()):
        if isinstance(each, str) and each not in INCLUDES:
            found.append(Problem(f"/include/{at}", "This service does not support this value.", INCLUDES))
    tools = fields.get("tools")
    if not isinstance(tools, list | None) or not all(isinstance(tool, dict) for tool in tools or []):
        found.append(Problem("/tools", "Must be a list of tools."))
    return found or response_problems(fields)


def _is_conversation(value: Any) -> bool:
    return value is None or isinstance(_conversation_id(value), str)


def _conversation_id(value: Any) -> Any:
    return value.get("id") if isinstance(value, dict) else value


def _is_limit(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0)


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _limit(fields: Mapping[str, Any]) -> dict[str, Any]:
    limit = fields.get("max_output_tokens")
    return {} if limit is None else {"max_completion_tokens": limit}


def _reasoning(wanted: Any) -> dict[str, Any]:
    effort = _object(wanted).get("effort")
    if _object(wanted).get("mode") not in (None, "standard"):
        # OpenAI's `pro` runs a request several times.
        raise invalid("/reasoning/mode", "Has no price here.", ["standard"])
    if effort is None:
        return {}
    if effort not in EFFORTS:
        raise InvalidInputError([one_of("/reasoning/effort", EFFORTS)])
    return {"reasoning_effort": effort}


def _format(text: Any) -> dict[str, Any]:
    wanted = _object(text)
    found = {"verbosity": wanted["verbosity"]} if wanted.get("verbosity") else {}
    shape = _object(wanted.get("format"))
    kind = shape.get("type", "text")
    if kind == "text":
        return found
    if kind == "json_object":
        return {**found, "response_format": {"type": "json_object"}}
    if kind != "json_schema":
        raise InvalidInputError([one_of("/text/format/type", ("text", "json_object", "json_schema"))])
    for name in ("name", "schema"):
        if shape.get(name) is None:
            raise invalid(f"/text/format/{name}", "Required.")
    named = {name: shape[name] for name in ("name", "description", "schema", "strict") if name in shape}
    return {**found, "response_format": {"type": "json_schema", "json_schema": named}}
