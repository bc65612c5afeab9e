"""The input of OpenAI's Responses API in the simulator: refusals, tools, and the question itself.

Source: `openai.types.responses` (openai 3.57.0). Encrypted reasoning is bound to the id of its item and to
the vendor that encrypted it: https://github.com/openclaw/openclaw/issues/70654. xAI knows only tools of type
`function` among those that clients run (docs.x.ai), and accepts unknown fields silently (INFERRED).
"""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from local.simulator.text.bodies import responses_body_refusal
from local.simulator.text.content import Ask, Tool, count_tokens
from local.simulator.wire import text

_FIELDS = frozenset(
    {
        *("model", "input", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "tools"),
        *("parallel_tool_calls", "previous_response_id", "prompt_cache_key", "prompt_cache_retention"),
        *("reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options", "text"),
        *("temperature", "tool_choice", "top_logprobs", "top_p", "truncation", "user", "include"),
        *("background", "prompt_cache_options", "context_management", "conversation", "prompt"),
        *("moderation", "access_programs", "image", "background_options"),
    }
)
_COUNTED = frozenset(
    {
        *("model", "input", "instructions", "conversation", "parallel_tool_calls", "personality"),
        *("previous_response_id", "reasoning", "text", "tool_choice", "tools", "truncation"),
    }
)
# Items, each with the beginning of its id.
_ITEMS = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctc",
    "tool_search_call": "tsc",
    "tool_search_output": "tso",
    "additional_tools": "at",
    "compaction": "cmp",
    "web_search_call": "ws",
}
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")
_PARTS = ("input_text", "input_image", "input_file", "output_text", "refusal")
_SEARCHES = ("web_search", "web_search_2025_08_26")
# The last two are in no SDK for this type. Codex 0.171 (npm) sends them to OpenAI.
_SEARCH_FIELDS = frozenset(
    {
        *("type", "external_web_access", "filters", "search_context_size", "user_location"),
        *("indexed_web_access", "search_content_types"),
    }
)
_TOOLS = ("function", "custom", "namespace", "tool_search", *_SEARCHES)
MIN_OUTPUT_TOKENS = 16
MAX_SEARCHES = 1_000
SEAL = "gAAAA"
_ONLY_FUNCTIONS = "xai"


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that the model may call: its kind, and its namespace if it has one."""

    tool: Tool
    kind: str
    namespace: str | None = None


def sealed(vendor: str, item_id: str, thought: str) -> str:
    """Return reasoning as the vendor encrypts it."""
    return SEAL + base64.b64encode(json.dumps([vendor, item_id, thought]).encode()).decode()


def refusal(vendor: str, body: dict[str, Any]) -> str | None:
    """Return the reason to refuse a body, or `None`."""
    for name in body if vendor != _ONLY_FUNCTIONS else ():
        if name not in _FIELDS:
            return f"Unknown parameter: '{name}'."
    limit = body.get("max_output_tokens")
    if limit is not None and limit < MIN_OUTPUT_TOKENS:
        return f"Invalid 'max_output_tokens': expected a value >= {MIN_OUTPUT_TOKENS}."
    found = [*_item_refusals(vendor, body), *_tool_refusals(vendor, body.get("tools"))]
    return next(iter(found), None) or responses_body_refusal(body, items_of(body))


def count_refusal(vendor: str, body: dict[str, Any]) -> str | None:
    """Return the reason to refuse to count a body, or `None`."""
    for name in body:
        if name not in _COUNTED:
            return f"Unknown parameter: '{name}'."
    return next(iter([*_item_refusals(vendor, body), *_tool_refusals(vendor, body.get("tools"))]), None)


def _item_refusals(vendor: str, body: dict[str, Any]) -> Iterator[str]:
    for position, item in enumerate(items_of(body)):
        kind, place = item.get("type", "message"), f"input[{position}]"
        if kind not in _ITEMS:
            yield f"Invalid value: '{kind}' at '{place}'."
            continue
        begin = _ITEMS[kind]
        if not str(item.get("id") or begin).startswith(begin):
            yield f"Invalid '{place}.id'. Expected an ID that begins with '{begin}'."
        if kind == "reasoning":
            yield from _reasoning_refusals(vendor, item, place)
        content = item.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") not in _PARTS:
                yield f"Invalid value: '{part.get('type')}' at '{place}.content'."


def _reasoning_refusals(vendor: str, item: dict[str, Any], place: str) -> Iterator[str]:
    if "summary" not in item:
        yield f"Missing required parameter: '{place}.summary'."
    encrypted = str(item.get("encrypted_content"))
    try:
        by, item_id, _ = json.loads(base64.b64decode(encrypted.removeprefix(SEAL), validate=True))
    except (binascii.Error, ValueError, TypeError):
        by, item_id = None, None
    named = f"The encrypted content for item {item.get('id')} could not be verified."
    if not encrypted.startswith(SEAL) or by != vendor:
        yield named
    elif item_id != item.get("id"):
        yield f"{named} Reason: Encrypted content item_id did not match the target item id."


def _tool_refusals(vendor: str, tools: Any) -> Iterator[str]:
    for position, tool in enumerate(tools or []):
        kind, place = tool.get("type"), f"tools[{position}]"
        known = ("function",) if vendor == _ONLY_FUNCTIONS else _TOOLS
        if kind not in known or (kind == "tool_search" and tool.get("execution") != "client"):
            yield f"Invalid value: '{kind}' at '{place}.type'."
        elif kind in _SEARCHES:
            for name in tool.keys() - _SEARCH_FIELDS:
                yield f"Unknown parameter: '{place}.{name}'."
        elif (kind != "tool_search" and "name" not in tool) or "function" in tool:
            yield f"Missing required parameter: '{place}.name'."


def items_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the items of the input; a text is a message of the user."""
    given = body.get("input")
    items: list[Any] = given if isinstance(given, list) else [{"role": "user", "content": given}]
    return [item if isinstance(item, dict) else {"type": "unknown"} for item in items]


def offered(body: dict[str, Any]) -> list[Offered]:
    """Return the tools of a request, with those in namespaces and in its items."""
    found = list(_offered(body.get("tools"), None))
    for item in items_of(body):
        if item.get("type") in ("tool_search_output", "additional_tools"):
            found += _offered(item.get("tools"), None)
    return found


def _offered(tools: Any, namespace: str | None) -> Iterator[Offered]:
    for tool in tools or []:
        kind = tool["type"]
        if kind in _SEARCHES:
            continue
        if kind == "namespace":
            yield from _offered(tool.get("tools"), tool["name"])
        elif kind == "custom":
            yield Offered(Tool(tool["name"], {"type": "string"}), kind, namespace)
        else:
            yield Offered(Tool(tool.get("name", kind), tool.get("parameters")), kind, namespace)


def ask_of(body: dict[str, Any]) -> Ask:
    """Return the question of a request."""
    items = items_of(body)
    said = [_said(item.get("content")) for item in items if item.get("role") == "user"]
    tools = tuple(each.tool for each in offered(body))
    choice = body.get("tool_choice")
    searches = any(tool["type"] in _SEARCHES for tool in body.get("tools") or [])
    forced = tools[:1] if choice == "required" else ()
    if isinstance(choice, dict):
        allowed = [one.get("name") for one in choice.get("tools") or []]
        wanted = [choice.get("name"), *(allowed if choice.get("mode") == "required" else [])]
        forced = tuple(tool for tool in tools if tool.name in wanted)
    shape = (body.get("text") or {}).get("format") or {}
    schema = shape.get("schema") if shape.get("type") == "json_schema" else None
    return Ask(
        prompt=text(said[-1] if said else ""),
        input_tokens=input_tokens(body),
        limit=body.get("max_output_tokens"),
        tools=tools,
        is_reply=bool(items) and items[-1].get("type") in _OUTPUTS,
        forced_tools=forced,
        schema={"type": "object"} if shape.get("type") == "json_object" else schema,
        most_searches=(body.get("max_tool_calls") or MAX_SEARCHES) if searches else 0,
        must_search=searches and isinstance(choice, dict) and choice.get("type") in _SEARCHES,
    )


def input_tokens(body: dict[str, Any]) -> int:
    """Return the number of input tokens of a request."""
    return count_tokens(items_of(body), body.get("tools") or [])


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or [])
