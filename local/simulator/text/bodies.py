"""Refusals of a body that a vendor's documents rule out for every model: roles, bounds, unpaired calls.

Each function returns the message of a refusal, or `None`. Sources: the docstrings and types of openai 3.57.0
(`completion_create_params`, `FunctionDefinition`, `ChatCompletionMessageParam`) and of anthropic 2.14.0
(`MessageParam`, `Base64ImageSourceParam`, `ThinkingConfigEnabledParam`); messages as in these issues:
anthropics/claude-code 8210, 13460, 23440 and 59812, BerriAI/litellm 3286 and 28995, tailcallhq/forgecode
1872, FoundationAgents/OpenManus 744. The texts are similar to the vendors', but not identical. INFERRED: the
words about a choice of a tool.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

Body = Mapping[str, Any]

MAX_STOPS = 4
MAX_CHOICES = 128
MAX_METADATA = 16
LEAST_BUDGET = 1_024
CHAT_ROLES = ("developer", "system", "user", "assistant", "tool", "function")
MESSAGES_ROLES = ("user", "assistant", "system")
CHOICES = ("none", "auto", "required")
MESSAGES_CHOICES = ("auto", "any", "tool", "none")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
THINKING = ("adaptive", "enabled", "disabled", "between_tools")
CHAT_FORMATS = ("text", "json_object", "json_schema")
CHAT_PARTS = ("text", "image_url", "input_audio", "file", "refusal")
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_CHAT_RANGES = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "frequency_penalty": (-2, 2),
    "presence_penalty": (-2, 2),
    "top_logprobs": (0, 20),
    "n": (1, MAX_CHOICES),
}
_RESPONSES_RANGES = {"temperature": (0, 2), "top_p": (0, 1), "top_logprobs": (0, 20)}
_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_MESSAGES_RANGES = {"temperature": (0, 1), "top_p": (0, 1)}
_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")


def chat_body_refusal(body: Body) -> str | None:
    """Return OpenAI's reason to refuse a body of chat completions."""
    return next(_chat_refusals(body), None)


def gateway_body_refusal(body: Body) -> str | None:
    """Return OpenRouter's reason to refuse a body: values out of range, and unknown roles.

    Source: `ChatRequest` and `ChatMessages` of `@openrouter/sdk` 1.3.19 (npm). The host refuses the rest.
    """
    return next(chain(_range_refusals(body), _role_refusals(body["messages"])), None)


def messages_body_refusal(body: Body) -> str | None:
    """Return Anthropic's reason to refuse a body of messages."""
    return next(_messages_refusals(body), None)


def responses_body_refusal(body: Body, items: Sequence[Body]) -> str | None:
    """Return OpenAI's reason to refuse a body of responses with these `items` as its input."""
    return next(_responses_refusals(body, items), None)


def calls_refusal(messages: Sequence[Any]) -> str | None:
    """Return OpenAI's reason to refuse calls without results, or results without calls."""
    return next(_unpaired(messages), None)


def _range_refusals(body: Body) -> Iterator[str]:
    for name, (least, most) in _CHAT_RANGES.items():
        if not _is_within(body.get(name), least, most):
            yield f"Invalid '{name}': expected a value from {least} to {most}."


def _role_refusals(messages: Sequence[Any]) -> Iterator[str]:
    for position, message in enumerate(messages):
        role, place = _object(message).get("role"), f"messages[{position}].role"
        if role not in CHAT_ROLES:
            yield f"Invalid value: '{role}' at '{place}'. Supported values are: {', '.join(CHAT_ROLES)}."


def _chat_refusals(body: Body) -> Iterator[str]:
    yield from _range_refusals(body)
    yield from _role_refusals(body["messages"])
    stop = body.get("stop")
    if isinstance(stop, list) and len(stop) > MAX_STOPS:
        yield f"Invalid 'stop': array too long. Expected an array with maximum length {MAX_STOPS}."
    if body.get("top_logprobs") is not None and body.get("logprobs") is not True:
        yield "Invalid 'top_logprobs': 'logprobs' must be true."
    if len(body.get("metadata") or {}) > MAX_METADATA:
        yield f"Invalid 'metadata': too many properties. Expected at most {MAX_METADATA}."
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    if body.get("reasoning_effort") not in (None, *EFFORTS):
        yield f"Invalid value: '{body['reasoning_effort']}'. Supported values are: {', '.join(EFFORTS)}."
    yield from _format_refusals(body)
    yield from _function_refusals(body)
    yield from _choice_refusals(body.get("tool_choice"), _names_of(body))
    for position, message in enumerate(body["messages"]):
        yield from _message_refusals(message, f"messages[{position}]")
    yield from _unpaired(body["messages"])


def _format_refusals(body: Body) -> Iterator[str]:
    kind = _object(body.get("response_format")).get("type")
    if body.get("response_format") is not None and kind not in CHAT_FORMATS:
        yield f"Invalid value: '{kind}'. Supported values are: {', '.join(CHAT_FORMATS)}."
    if kind == "json_object" and "json" not in str(body["messages"]).lower():
        yield "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'."


def _function_refusals(body: Body) -> Iterator[str]:
    tools = body.get("tools")
    if tools == []:
        yield "Invalid 'tools': empty array. Expected an array with minimum length 1."
    for name in ("tool_choice", "parallel_tool_calls"):
        if body.get(name) is not None and not tools:
            yield f"'{name}' is only allowed when 'tools' are specified."
    for position, tool in enumerate(tools or []):
        function = _object(_object(tool).get("function"))
        if _object(tool).get("type") == "function" and not _matches(_FUNCTION_NAME, function.get("name")):
            yield f"Invalid 'tools[{position}].function.name': expected a-z, A-Z, 0-9, _ or -, at most 64."


def _names_of(body: Body) -> list[Any]:
    """Return the names of the functions and custom tools of a chat."""
    tools = map(_object, body.get("tools") or [])
    return [_object(tool.get(str(tool.get("type")))).get("name") for tool in tools]


def _choice_refusals(choice: Any, names: Sequence[Any]) -> Iterator[str]:
    """Yield the refusals of a choice that no tool has, in a chat or in Responses."""
    if isinstance(choice, str) and choice not in CHOICES:
        yield f"Invalid value: '{choice}'. Supported values are: {', '.join(CHOICES)}."
    kind = str(_object(choice).get("type"))
    if kind in ("function", "custom"):
        name = choice.get("name") or _object(choice.get(kind)).get("name")
        if name not in names:
            yield f"Tool choice '{name}' not found in 'tools' parameter."


def _message_refusals(message: Any, place: str) -> Iterator[str]:
    role, content = _object(message).get("role"), _object(message).get("content")
    if content is None and role not in ("assistant", "function"):
        yield f"Invalid value for 'content' at '{place}': expected a string, got null."
    elif content is None and not any(message.get(name) for name in ("tool_calls", "refusal", "audio")):
        yield f"Missing required parameter: '{place}.content'."
    for at, part in enumerate(content if isinstance(content, list) else []):
        kind = _object(part).get("type")
        if kind not in CHAT_PARTS:
            yield f"Invalid value: '{kind}' at '{place}.content[{at}].type'."
        url = _object(_object(part).get("image_url")).get("url")
        if isinstance(url, str) and url.startswith("data:") and not _is_image(url):
            yield f"Invalid '{place}.content[{at}].image_url.url': not a valid image."


def _unpaired(messages: Sequence[Any]) -> Iterator[str]:
    waiting: list[Any] = []
    known: set[Any] = set()
    for message in map(_object, messages):
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in known:
                yield "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
            waiting = [one for one in waiting if one != message.get("tool_call_id")]
            continue
        if waiting:
            break
        waiting = [_object(call).get("id") for call in message.get("tool_calls") or []]
        known = set(waiting)
    if waiting:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following did not have response messages: {waiting}"
        )


def _responses_refusals(body: Body, items: Sequence[Body]) -> Iterator[str]:
    for name, (least, most) in _RESPONSES_RANGES.items():
        if not _is_within(body.get(name), least, most):
            yield f"Invalid '{name}': expected a value from {least} to {most}."
    if len(body.get("metadata") or {}) > MAX_METADATA:
        yield f"Invalid 'metadata': too many properties. Expected at most {MAX_METADATA}."
    for position, tool in enumerate(map(_object, body.get("tools") or [])):
        if tool.get("type") in ("function", "custom") and not _matches(_FUNCTION_NAME, tool.get("name")):
            yield f"Invalid 'tools[{position}].name': expected a-z, A-Z, 0-9, _ or -, at most 64."
    tools = [_object(tool) for tool in body.get("tools") or []]
    names = [tool.get("name") for tool in tools]
    # Items and namespaces have tools too.
    if not any(each.get("tools") for each in [*items, *tools]):
        yield from _choice_refusals(body.get("tool_choice"), names)
    called = [item.get("call_id") for item in items if item.get("type") in _CALLS]
    outputs = [item.get("call_id") for item in items if item.get("type") in _OUTPUTS]
    for missing in (one for one in outputs if one not in called):
        yield f"No tool call found for function call output with call_id {missing}."
    for missing in (one for one in called if one not in outputs):
        yield f"No tool output found for function call {missing}."


def _messages_refusals(body: Body) -> Iterator[str]:
    for name, (least, most) in _MESSAGES_RANGES.items():
        if not _is_within(body.get(name), least, most):
            yield f"{name}: range: {least}..{most}"
    if body["max_tokens"] < 1:
        yield "max_tokens: must be greater than or equal to 1"
    for stop in body.get("stop_sequences") or []:
        if not str(stop).strip():
            yield "stop_sequences: each stop sequence must contain non-whitespace"
    thinking = _object(body.get("thinking"))
    budget = thinking.get("budget_tokens")
    if thinking.get("type") == "enabled" and not (
        isinstance(budget, int) and LEAST_BUDGET <= budget < body["max_tokens"]
    ):
        yield f"thinking.budget_tokens: must be at least {LEAST_BUDGET} and less than `max_tokens`"
    if thinking and thinking.get("type") not in THINKING:
        yield f"thinking: Input tag '{thinking.get('type')}' does not match any of the expected tags"
    yield from _tool_refusals(body.get("tools") or [])
    yield from _messages_choice_refusals(body.get("tool_choice"), body.get("tools") or [])
    yield from _turn_refusals(body["messages"])


def _tool_refusals(tools: Sequence[Any]) -> Iterator[str]:
    names = [_object(tool).get("name") for tool in tools]
    for position, name in enumerate(names):
        if not _matches(_TOOL_NAME, name):
            yield f"tools.{position}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."


def _messages_choice_refusals(choice: Any, tools: Sequence[Any]) -> Iterator[str]:
    if choice is None:
        return
    kind, name = _object(choice).get("type"), _object(choice).get("name")
    if kind not in MESSAGES_CHOICES:
        yield f"tool_choice: Input tag '{kind}' does not match any of the expected tags"
    elif not tools:
        yield "tool_choice: may only be specified while providing tools"
    elif kind == "tool" and name not in [_object(tool).get("name") for tool in tools]:
        yield f"tool_choice.name: Tool '{name}' not found in provided tools"


def _turn_refusals(turns: Sequence[Any]) -> Iterator[str]:
    called: list[Any] = []
    for number, turn in enumerate(map(_object, turns)):
        role, content = turn.get("role"), turn.get("content")
        is_last = number == len(turns) - 1
        if role not in MESSAGES_ROLES:
            yield f'messages: Unexpected role "{role}". Allowed roles are {", ".join(MESSAGES_ROLES)}.'
        if not isinstance(content, str | list):
            yield f"messages.{number}.content: Input should be a valid string or list"
            continue
        blocks = (
            [{"type": "text", "text": content}] if isinstance(content, str) else list(map(_object, content))
        )
        if not content and not (is_last and role == "assistant"):
            yield f"messages.{number}: all messages must have non-empty content except for the final answer"
        for at, block in enumerate(blocks):
            yield from _block_refusals(block, called, f"messages.{number}.content.{at}")
        answered = {block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"}
        if missing := [one for one in called if one not in answered]:
            found = "`tool_use` ids were found without `tool_result` blocks immediately after"
            yield f"messages.{number - 1}: {found}: {missing}"
        called = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
        said = str(blocks[-1].get("text", "")) if blocks else ""
        if is_last and role == "assistant" and said != said.rstrip():
            yield "messages: final assistant content cannot end with trailing whitespace"


def _block_refusals(block: Body, called: Sequence[Any], place: str) -> Iterator[str]:
    kind = block.get("type")
    if kind == "text" and not str(block.get("text") or "").strip():
        yield "messages: text content blocks must contain non-whitespace text"
    elif kind == "tool_use" and not _matches(_TOOL_ID, block.get("id")):
        yield f"{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    elif kind == "tool_result" and block.get("tool_use_id") not in called:
        yield (
            f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {block.get('tool_use_id')}. "
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
        )
    elif kind == "image":
        source = _object(block.get("source"))
        if source.get("type") == "base64" and source.get("media_type") not in IMAGES:
            yield f"{place}.image.source.base64.media_type: Input should be {', '.join(IMAGES)}"
        elif source.get("type") == "base64" and not _is_base64(source.get("data")):
            yield f"{place}.image.source.base64.data: Invalid base64 data"


def _is_within(value: Any, least: float, most: float) -> bool:
    return value is None or (isinstance(value, int | float) and least <= value <= most)


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_image(url: str) -> bool:
    head, _, data = url.removeprefix("data:").partition(",")
    return head.removesuffix(";base64") in IMAGES and _is_base64(data)


def _is_base64(data: Any) -> bool:
    try:
        return bool(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError, TypeError):
        return False


def _object(value: Any) -> Body:
    return value if isinstance(value, Mapping) else {}
