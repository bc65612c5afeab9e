"""Refusals that depend on the vendor and the model, in addition to those for any invalid body.

Each function returns the message of a refusal, or `None`. Sources: `@ai-sdk/anthropic` 4.0.105
(its model catalog) and litellm's flags for Claude, on Anthropic and on Bedrock; `@ai-sdk/moonshotai`,
`@ai-sdk/xai`, `@ai-sdk/deepseek` for these vendors; Newelle issue 404 for the thinking that DeepSeek requires
back; docker-agent issue 4162 and litellm pull request 34569 for GPT's tools with `reasoning_effort`, and for
models that reason by default. The messages are similar to the vendors', but not identical.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from local.simulator.text.bodies import (
    calls_refusal,
    chat_body_refusal,
    gateway_body_refusal,
    messages_body_refusal,
)

Body = Mapping[str, Any]

# Beginnings of ids: `claude-opus-5` is Opus 5 and Opus 5.5.
_ALWAYS_THINK = ("claude-fable-5", "claude-opus-5-5", "claude-sonnet-5-5")
_NO_FORCED_TOOLS = ("claude-fable-5-1", "claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5")
_NO_BUDGET = (*_ALWAYS_THINK, "claude-haiku-5-5")
_NO_SAMPLING = (*_NO_BUDGET, "claude-opus-5", "claude-sonnet-5", "claude-opus-4-8", "claude-opus-4-7")
_THINK_BETWEEN_TOOLS = ("claude-sonnet-5-5",)
_ONE_OF_TWO = ("claude-sonnet-4-6", "claude-haiku-4-5", "claude-opus-4-6", "claude-opus-4-5")
_NO_SCHEMAS_ON_BEDROCK = ("claude-fable-5-1", "claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5")
_THOUGHTS = ("thinking", "redacted_thinking")
_UNSIGNED = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
_SIGNATURE = re.compile(r"[\w+/=-]+", re.ASCII)
_GPT = re.compile(r"gpt-(\d+)(?:\.(\d+))?")
_FIRST_WITHOUT_EFFORT, _FIRST_THINKING_UNASKED = (5, 4), (5, 5)
_GPT_MESSAGE = frozenset(
    {"role", "content", "name", "refusal", "audio", "tool_calls", "tool_call_id", "function_call"}
)
"""The fields of `ChatCompletionMessageParam`."""


# Fields of `CompletionCreateParams` (openai 3.57.0). OpenAI refuses others: "Unknown parameter".
_CHAT_FIELDS = frozenset(
    {
        *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "messages"),
        *("max_completion_tokens", "max_tokens", "metadata", "modalities", "model", "moderation", "n"),
        *("parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "reasoning_effort"),
        *("prompt_cache_options", "prompt_cache_retention", "response_format", "safety_identifier", "seed"),
        *("service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools"),
        *("top_logprobs", "top_p", "user", "verbosity", "web_search_options"),
    }
)
# Fields of `MessageCreateParams` (anthropic 2.14.0), and sampling, which older models take.
_MESSAGES_FIELDS = frozenset(
    {
        *("cache_control", "container", "diagnostics", "inference_geo", "max_tokens", "messages", "metadata"),
        *("model", "output_config", "service_tier", "speed", "stop_sequences", "stream", "system"),
        *("thinking", "tool_choice", "tools", "temperature", "top_p", "top_k"),
    }
)
# Fields that need a beta header, of `anthropic.types.beta.MessageCreateParams`.
_BETA_FIELDS = frozenset({"compaction", "context_management", "fallbacks", "mcp_servers", "thread"})


# `openai.types.chat.completion_create_params`.
_TIERS = (None, "auto", "default", "flex", "scale", "priority")
_SEARCHES = ("web_search_20250305", "web_search_20260209", "web_search_20260318")
_SEARCH_FIELDS = frozenset(
    {
        *("type", "name", "max_uses", "allowed_domains", "blocked_domains", "user_location", "cache_control"),
        *("allowed_callers", "defer_loading", "strict", "response_inclusion"),
    }
)

_MISTRAL_FIELDS = frozenset(
    {
        *(
            "model",
            "messages",
            "temperature",
            "top_p",
            "max_tokens",
            "stream",
            "stop",
            "random_seed",
            "metadata",
        ),
        *("response_format", "tools", "tool_choice", "presence_penalty", "frequency_penalty", "min_tokens"),
        *(
            "repetition_penalty",
            "top_k",
            "logprobs",
            "top_logprobs",
            "prompt_logprobs",
            "top_prompt_logprobs",
        ),
        *("n", "prediction", "parallel_tool_calls", "reasoning_effort", "prompt_mode", "guardrails"),
        *("prompt_cache_key", "service_tier", "safe_prompt"),
    }
)
_MISTRAL_MESSAGE = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "prefix"})
# `ToolName` of botocore's model of Bedrock Runtime.
_CONVERSE_NAME = 64
_SHORT_ID = re.compile(r"[a-zA-Z0-9]{9}")
_OLD_ROLES = ("system", "user", "assistant", "tool")
_KNOWS_DEVELOPERS = ("openai", "azure", "openrouter")


def messages_refusal(model: str, body: Body, betas: str = "") -> str | None:
    """Return Claude's reason to refuse a body of messages. `betas` is the header `anthropic-beta`."""
    known = _MESSAGES_FIELDS | _BETA_FIELDS if betas else _MESSAGES_FIELDS
    unknown = next((name for name in body if name not in known), None)
    return (
        (f"{unknown}: Extra inputs are not permitted" if unknown else None)
        or messages_body_refusal(body)
        or _sampling_refusal(model, body)
        or _thinking_refusal(model, _object(body.get("thinking")), _object(body.get("output_config")))
        or _choice_refusal(model, _object(body.get("tool_choice")))
        or _signature_refusal(body)
        or _order_refusal(body)
        or _search_refusal(body.get("tools") or [])
    )


def is_search(tool: Any) -> bool:
    """Return whether a tool of messages is a search of the web."""
    return str(_object(tool).get("type")) in _SEARCHES


def _search_refusal(tools: list[Any]) -> str | None:
    """Source: `anthropic.types.WebSearchTool20250305Param` and its later versions (anthropic 2.14.0)."""
    for at, tool in enumerate(tools):
        kind = _object(tool).get("type") or "custom"
        if is_search(tool):
            if tool.get("name") != "web_search":
                return f"tools.{at}.name: Input should be 'web_search'"
            if tool.get("allowed_domains") and tool.get("blocked_domains"):
                return f"tools.{at}: `allowed_domains` and `blocked_domains` are mutually exclusive"
            if (unknown := next((name for name in tool if name not in _SEARCH_FIELDS), None)) is not None:
                return f"tools.{at}.{kind}.{unknown}: Extra inputs are not permitted"
        elif str(kind).startswith("web_search"):
            return (
                f"tools.{at}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
            )
    return None


def converse_refusal(model: str, body: Body) -> str | None:
    """Return the reason of Claude on Bedrock to refuse a body of Converse."""
    given = _object(body.get("inferenceConfig"))
    sampling = {"temperature": given.get("temperature"), "top_p": given.get("topP")}
    extra = _object(body.get("additionalModelRequestFields"))
    output = _object(body.get("outputConfig"))
    tools = _object(body.get("toolConfig"))
    choice = {"any": "any", "tool": "tool"}.get(next(iter(_object(tools.get("toolChoice"))), ""))
    if _is_one_of(model, _NO_SCHEMAS_ON_BEDROCK) and output.get("textFormat"):
        return "outputConfig.textFormat: not supported by this model"
    if output.get("effort") == "max":
        return "outputConfig.effort: must be low, medium, high or xhigh"
    specs = [_object(_object(tool).get("toolSpec")) for tool in tools.get("tools") or []]
    if _is_one_of(model, _NO_BUDGET) and any(spec.get("strict") for spec in specs):
        return "toolConfig.tools.toolSpec.strict: not supported by this model"
    if long := [spec["name"] for spec in specs if len(str(spec.get("name"))) > _CONVERSE_NAME]:
        return f"toolConfig.tools.toolSpec.name: {long[0]} has more than {_CONVERSE_NAME} characters"
    sampling["top_k"] = extra.get("top_k")
    return (
        _sampling_refusal(model, sampling)
        or _thinking_refusal(model, _object(extra.get("thinking")), output)
        or _choice_refusal(model, {"type": choice})
    )


def chat_refusal(vendor: str, model: str, body: Body) -> str | None:
    """Return the reason of a vendor of chat completions to refuse a body."""
    roles = [_object(message).get("role") for message in body["messages"]]
    if vendor not in _KNOWS_DEVELOPERS and "developer" in roles:
        return f"unknown variant `developer`, expected one of {', '.join(_OLD_ROLES)}"
    check = _CHAT.get(vendor)
    return None if check is None else check(model, body)


def _sampling_refusal(model: str, body: Body) -> str | None:
    given = [name for name in ("temperature", "top_p", "top_k") if body.get(name) is not None]
    if _is_one_of(model, _NO_SAMPLING):
        refused = [name for name in given if name != "temperature" or body[name] != 1]
        return f"{refused[0]}: not supported by this model" if refused else None
    if _is_one_of(model, _ONE_OF_TWO) and {"temperature", "top_p"} <= set(given):
        return "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    return None


def _thinking_refusal(model: str, thinking: Body, output: Body) -> str | None:
    kind = thinking.get("type")
    if kind == "between_tools":
        if not _is_one_of(model, _THINK_BETWEEN_TOOLS):
            return "thinking.type: between_tools is not supported by this model"
        if thinking.keys() != {"type"} or output.get("effort") in ("xhigh", "max"):
            return "thinking: between_tools takes no other options, and no effort above high"
    if kind == "enabled" and _is_one_of(model, _NO_BUDGET):
        return "thinking.budget_tokens: not supported by this model. Use adaptive thinking."
    if kind == "disabled" and _is_one_of(model, _ALWAYS_THINK):
        return "thinking.type: this model cannot be used with thinking disabled"
    return None


def _choice_refusal(model: str, choice: Body) -> str | None:
    if choice.get("type") in ("any", "tool") and _is_one_of(model, _NO_FORCED_TOOLS):
        return "tool_choice: this model does not support forced tool use"
    return None


def _signature_refusal(body: Body) -> str | None:
    for at, turn in enumerate(body["messages"]):
        content = _object(turn).get("content")
        for number, block in enumerate(content if isinstance(content, list) else []):
            signature = str(_object(block).get("signature") or "")
            if _object(block).get("type") == "thinking" and not _SIGNATURE.fullmatch(signature):
                return f"messages.{at}.content.{number}: Invalid `signature` in `thinking` block"
    return None


def _order_refusal(body: Body) -> str | None:
    """Return a refusal if a turn with a tool call lacks its thinking, which a budget requires."""
    if _object(body.get("thinking")).get("type") != "enabled":
        return None
    turns = [turn for turn in body["messages"] if _object(turn).get("role") == "assistant"]
    content = turns[-1].get("content") if turns else None
    kinds = [_object(block).get("type") for block in content] if isinstance(content, list) else []
    if "tool_use" in kinds and kinds[0] not in _THOUGHTS:
        return f"messages: Expected `thinking` or `redacted_thinking`, but found `{kinds[0]}`."
    return None


def _gpt_refusal(model: str, body: Body) -> str | None:
    for name in body:
        if name not in _CHAT_FIELDS:
            return f"Unknown parameter: '{name}'."
    for message in body["messages"]:
        for name in _object(message):
            if name not in _GPT_MESSAGE:
                return f"Unknown parameter: 'messages[].{name}'."
    if body.get("service_tier") not in _TIERS:
        return "Invalid service_tier argument"
    if (reason := chat_body_refusal(body)) is not None:
        return reason
    version = _GPT.search(model)
    numbers = (int(version[1]), int(version[2] or 0)) if version else (0, 0)
    has_tools = any(_object(tool).get("type") == "function" for tool in body.get("tools") or [])
    effort = body.get("reasoning_effort", "none" if numbers < _FIRST_THINKING_UNASKED else "medium")
    if numbers >= _FIRST_WITHOUT_EFFORT and has_tools and effort not in (None, "none"):
        return (
            f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "
            "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
        )
    return None


def _router_refusal(_: str, body: Body) -> str | None:
    return gateway_body_refusal(body)


def _kimi_refusal(_: str, body: Body) -> str | None:
    if body.get("temperature") not in (None, 1):
        return "invalid temperature: only 1 is allowed for this model"
    for message in body["messages"]:
        content = _object(message).get("content")
        for part in content if isinstance(content, list) else []:
            url = _object(_object(part).get("image_url")).get("url")
            if isinstance(url, str) and url.startswith(("http:", "https:")):
                return "unsupported image url: must be base64 or a file id"
    return None


def _grok_refusal(_: str, body: Body) -> str | None:
    for name in ("stop", "presence_penalty", "frequency_penalty"):
        if body.get(name) is not None:
            return f"Argument not supported on this model: {name}"
    return None


def _deepseek_refusal(model: str, body: Body) -> str | None:
    if "v3.2" in model:
        return "Model Not Exist"
    if _object(body.get("response_format")).get("type") == "json_schema":
        return "This response_format type is unavailable now"
    if (reason := calls_refusal(body["messages"])) is not None:
        return reason
    thinks = _object(body.get("thinking")).get("type") != "disabled"
    for message in map(_object, body["messages"]):
        if thinks and message.get("tool_calls") and not message.get("reasoning_content"):
            return "The `reasoning_content` in the thinking mode must be passed back to the API."
    return None


def _mistral_refusal(_: str, body: Body) -> str | None:
    """Mistral refuses unknown fields, and ids of calls that have not nine letters or digits.

    Sources: `mistralai` 3.7.0 (PyPI), `ChatCompletionRequest`; pi-ai 1.5.2 (npm), which shortens ids; litellm
    issue 6696 for the names of messages.
    """
    for name in body:
        if name not in _MISTRAL_FIELDS:
            return f"body.{name}: Extra inputs are not permitted"
    for message in map(_object, body["messages"]):
        for name in message:
            if name not in _MISTRAL_MESSAGE:
                return f"body.messages.{name}: Extra inputs are not permitted"
        ids = [_object(call).get("id") for call in message.get("tool_calls") or []]
        for one in [*ids, *([message["tool_call_id"]] if "tool_call_id" in message else [])]:
            if not _SHORT_ID.fullmatch(str(one)):
                return f"Tool call id was {one} but must be a-z, A-Z, 0-9, with a length of 9."
    return None


def _muse_refusal(_: str, body: Body) -> str | None:
    """Muse always thinks, and chooses its tools itself (chatoyant, OCaml: Meta's documents of 2026-08)."""
    if body.get("tool_choice") not in (None, "auto"):
        return "tool_choice: only 'auto' is supported"
    if body.get("reasoning_effort") == "none":
        return "reasoning_effort: 'none' is not supported by this model"
    return "stop: not supported" if body.get("stop") is not None else None


def signature_of(call_id: str) -> dict[str, Any]:
    """Return Gemini's state of a call, or of a text."""
    return {"extra_content": {"google": {"thought_signature": b64encode(call_id.encode()).decode()}}}


def _gemini_refusal(_: str, body: Body) -> str | None:
    for message in reversed(body["messages"]):
        if _object(message).get("role") == "user":
            return None
        calls = _object(message).get("tool_calls") or []
        if not calls:
            continue
        given = _object(_object(calls[0].get("extra_content")).get("google")).get("thought_signature")
        own = signature_of(calls[0]["id"])["extra_content"]["google"]["thought_signature"]
        if given is None:
            return "Function call is missing a thought_signature in functionCall parts."
        if given not in (own, *_UNSIGNED):
            return "Corrupted thought signature."
    return None


_CHAT = {
    "mistral": _mistral_refusal,
    # MiMo wants reasoning back like DeepSeek (https://mimo.mi.com/docs, deep thinking).
    "xiaomi": _deepseek_refusal,
    "meta": _muse_refusal,
    "google": _gemini_refusal,
    "openai": _gpt_refusal,
    "openrouter": _router_refusal,
    "azure": _gpt_refusal,
    "moonshot": _kimi_refusal,
    "xai": _grok_refusal,
    "deepseek": _deepseek_refusal,
}


def _is_one_of(model: str, names: tuple[str, ...]) -> bool:
    return any(name in model for name in names)


def _object(value: Any) -> Body:
    return value if isinstance(value, dict) else {}
