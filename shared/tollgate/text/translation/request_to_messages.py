"""An OpenAI chat request as an Anthropic messages request (docs/text-protocols.md#chat-to-messages).

A field without an equivalent is omitted if it is a hint or neutral, and refused if it would change the
response (`fields.py`). Fields that are in neither protocol are passed on, for the provider to accept or to
refuse.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import one_of
from tollgate.text.body.fields import CHAT, MESSAGES, invalid, unsent
from tollgate.text.body.inner_fields import hints_of_chat, hints_of_response
from tollgate.text.body.request import TextRequest, translated_tools
from tollgate.text.body.web_search import CHAT_FIELDS, WebSearch, is_search_tool, tool_of_messages
from tollgate.text.body.web_search import NAME as SEARCH
from tollgate.text.models import Refuses, TextModel, TextProtocol
from tollgate.text.translation.capabilities import sampling_to_report, without_sampling
from tollgate.text.translation.conversation_to_messages import cache_control, conversation
from tollgate.text.translation.schemas import portable_schema
from tollgate.text.translation.thinking import without_foreign_thinking

LEAST_THINKING_TOKENS = 1_024
MAX_TEMPERATURE = 1
JSON_HINT = "Answer with one JSON object and nothing else."

_EFFORTS = {
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "max",
}
_BUDGETS = {"minimal": 1_024, "low": 1_024, "medium": 2_048, "high": 4_096, "xhigh": 8_192, "max": 16_384}
_TRANSLATED = frozenset(
    {
        *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "stop"),
        *("stream", "tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort"),
        *("user", "safety_identifier", "thinking", "service_tier", *CHAT_FIELDS),
    }
)
# The others have no price (`unpriced.py`), or are Anthropic's own.
_TIERS = {"auto": "auto", "default": "standard_only"}


def messages_request(
    request: TextRequest,
    model: TextModel,
    upstream_id: str,
    output_limit: int,
    search: WebSearch | None = None,
) -> dict[str, Any]:
    """Return the body for Anthropic; `output_limit` is the limit of output tokens, which is required there.

    `search` is the search of the web, if the request has one.

    Raises `InvalidInputError` for untranslatable fields.
    """
    fields = request.fields
    left, _ = unsent(request.protocol, fields, _takes)
    system, turns = conversation(fields["messages"])
    body: dict[str, Any] = {"model": upstream_id, "max_tokens": output_limit, "messages": turns}
    body |= _thinking(fields, model, output_limit, turns)
    is_thinking = body.get("thinking", {}).get("type") in ("adaptive", "enabled")
    _add_format(body, system, fields.get("response_format"))
    if system:
        body["system"] = _joined_system(system)
    if not is_thinking:
        body |= _sampling(fields, model)
    is_choice_free = is_thinking or Refuses.FORCED_TOOLS in model.refuses
    body |= _tools(fields, is_choice_free)
    if search is not None:
        body["tools"] = [*body.get("tools", []), tool_of_messages(search)]
        if search.is_forced and not is_choice_free:
            body["tool_choice"] = {"type": "tool", "name": SEARCH}
    if stops := _stops(fields.get("stop")):
        body["stop_sequences"] = stops
    if user := fields.get("safety_identifier") or fields.get("user"):
        body["metadata"] = {"user_id": user}
    if tier := fields.get("service_tier"):
        body["service_tier"] = _TIERS.get(str(tier), tier)
    if request.stream:
        body["stream"] = True
    known = _TRANSLATED.union(left, without_sampling(fields, model.refuses))
    return {**{name: value for name, value in fields.items() if name not in known}, **body}


def _joined_system(blocks: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    if any("cache_control" in block for block in blocks):
        return blocks
    return "\n\n".join(block["text"] for block in blocks)


def _stops(stop: Any) -> list[str]:
    stops = [stop] if isinstance(stop, str) else stop or []
    if not isinstance(stops, list) or not all(isinstance(text, str) for text in stops):
        raise invalid("/stop", "Must be a string or a list of strings.")
    return [text for text in stops if text.strip()]


def ignored_by_messages(request: TextRequest, model: TextModel) -> list[str]:
    """Return the hints of a chat request that Claude is not sent.

    Raises `InvalidInputError` for fields that it lacks and that are more than a hint.
    """
    fields = request.fields
    _, ignored = unsent(request.protocol, fields, _takes)
    left = sampling_to_report(fields, without_sampling(fields, model.refuses))
    is_forced = fields.get("tool_choice") not in (None, "auto", "none")
    if is_forced and Refuses.FORCED_TOOLS in model.refuses:
        left.append("tool_choice")
    return [*ignored, *left, *hints_of_response(request.native), *hints_of_chat(fields)]


def _takes(name: str) -> bool:
    """Return whether Claude is sent a chat client's field: in its own words, or as its own field.

    A field in no table is passed on, and Anthropic's refusal names it.
    """
    return name in _TRANSLATED or name not in CHAT or (not CHAT[name].own and name in MESSAGES)


def _sampling(fields: Mapping[str, Any], model: TextModel) -> dict[str, Any]:
    found = {}
    left_out = without_sampling(fields, model.refuses)
    temperature = None if "temperature" in left_out else fields.get("temperature")
    if temperature is not None:
        is_above = isinstance(temperature, int | float) and temperature > MAX_TEMPERATURE
        found["temperature"] = MAX_TEMPERATURE if is_above else temperature
    if fields.get("top_p") is not None and "top_p" not in left_out:
        found["top_p"] = fields["top_p"]
    return found


def _tools(fields: Mapping[str, Any], is_choice_free: bool) -> dict[str, Any]:
    if not (found := translated_tools(fields, _tool)):
        return {}
    choice = _tool_choice(fields.get("tool_choice"))
    # A model cannot be forced to call a tool while it thinks, or if it always thinks.
    if is_choice_free and choice is not None and choice["type"] in ("any", "tool"):
        choice = {"type": "auto"}
    if fields.get("parallel_tool_calls") is False and (choice or {}).get("type") != "none":
        choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": True}
    return found if choice is None else {**found, "tool_choice": choice}


def _tool(tool: Any, path: str) -> dict[str, Any]:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or tool.get("type") != "function":
        raise invalid(path, "Must be a function tool.")
    described = {"description": function["description"]} if function.get("description") else {}
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    strict = {"strict": True} if function.get("strict") is True else {}
    shown = {"name": function.get("name"), **described, "input_schema": schema, **strict}
    return {**shown, **cache_control(tool)}


def _tool_choice(choice: Any) -> dict[str, Any] | None:
    if choice is None:
        return None
    plain = {"auto": "auto", "none": "none", "required": "any"}
    if isinstance(choice, str) and choice in plain:
        return {"type": plain[choice]}
    function = choice.get("function") if isinstance(choice, dict) else None
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        return {"type": "tool", "name": function["name"]}
    raise invalid("/tool_choice", "Must be auto, none, required or a function's name.")


def _thinking(
    fields: Mapping[str, Any], model: TextModel, output_limit: int, turns: list[dict[str, Any]]
) -> dict[str, Any]:
    given = fields.get("thinking")
    if isinstance(given, dict):
        return _own_thinking(given, model)
    effort = fields.get("reasoning_effort")
    if effort == "none":
        return _least(model)
    if effort is None:
        return {}
    if not isinstance(effort, str) or effort not in _EFFORTS:
        raise InvalidInputError([one_of("/reasoning_effort", ("none", *_EFFORTS))])
    if model.adaptive_thinking:
        return _adaptive(_EFFORTS[effort])
    budget = min(_BUDGETS[effort], output_limit - 1)
    # With a budget, a turn that called a tool must begin with its thinking, which few clients keep.
    if budget < LEAST_THINKING_TOKENS or _lacks_thinking(turns):
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _own_thinking(thinking: dict[str, Any], model: TextModel) -> dict[str, Any]:
    """Return Anthropic's own field, in the way in which the model takes it."""
    kind = thinking.get("type")
    if kind == "disabled" and Refuses.DISABLED_THINKING in model.refuses:
        return _least(model)
    if kind == "enabled" and Refuses.BUDGET_THINKING in model.refuses:
        budget = thinking.get("budget_tokens")
        fitting = [
            effort for effort, tokens in _BUDGETS.items() if not isinstance(budget, int) or budget <= tokens
        ]
        return _adaptive(_EFFORTS[fitting[0] if fitting else "xhigh"])
    return {"thinking": thinking}


def _least(model: TextModel) -> dict[str, Any]:
    """Return the least thinking of a model, which is none unless it always thinks."""
    return {"thinking": {"type": "between_tools"}} if model.thinks_between_tools else {}


def _adaptive(effort: str) -> dict[str, Any]:
    thinking = {"type": "adaptive", "display": "summarized"}
    return {"thinking": thinking, "output_config": {"effort": effort}}


def fitted_messages(
    fields: Mapping[str, Any], limit: int | None, search: WebSearch | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the changes to an Anthropic client's own body, and the fields to omit.

    `limit` is the limit of output tokens to send, if it is not the client's. A budget for thinking has to
    be below it. With a budget, a turn that called a tool must begin with its thinking, which
    some clients drop. Anthropic would refuse such a request, so it is sent without thinking. `search` is the
    search of the web with its bound.
    """
    changes: dict[str, Any] = {} if limit is None else {"max_tokens": limit}
    if search is not None:
        changes["tools"] = [
            tool_of_messages(search) if is_search_tool(TextProtocol.ANTHROPIC, tool) else tool
            for tool in fields["tools"]
        ]
    turns = fields["messages"]
    if (own := without_foreign_thinking(turns)) is not None:
        changes["messages"] = turns = own
    thinking = fields.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return changes, ()
    if _lacks_thinking(turns):
        return changes, ("thinking",)
    budget = thinking.get("budget_tokens")
    if limit is None or not isinstance(budget, int) or budget < limit:
        return changes, ()
    if limit <= LEAST_THINKING_TOKENS:
        return changes, ("thinking",)
    return {**changes, "thinking": {**thinking, "budget_tokens": limit - 1}}, ()


def _lacks_thinking(turns: Sequence[Mapping[str, Any]]) -> bool:
    said = [turn.get("content") for turn in turns if turn.get("role") == "assistant"]
    last = said[-1] if said else None
    blocks = last if isinstance(last, list) else []
    kinds = [block.get("type") for block in blocks if isinstance(block, dict)]
    return "tool_use" in kinds and kinds[0] not in ("thinking", "redacted_thinking")


def _add_format(body: dict[str, Any], system: list[dict[str, Any]], wanted: Any) -> None:
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        system.append({"type": "text", "text": JSON_HINT})
    elif kind == "json_schema":
        named = wanted.get("json_schema")
        schema = named.get("schema") if isinstance(named, dict) else None
        if not isinstance(schema, dict):
            raise invalid("/response_format/json_schema/schema", "Must be a JSON schema.")
        shown = {"type": "json_schema", "schema": portable_schema(schema)}
        body["output_config"] = {**body.get("output_config", {}), "format": shown}
    elif wanted is not None and kind != "text":
        raise invalid("/response_format", "Must be of type text, json_object or json_schema.")
