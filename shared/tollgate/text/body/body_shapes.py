"""The types of the fields of chats, messages and Responses requests. Pure.

Only fields with an effect on several providers are here. A field that one vendor has is checked by the
vendor. A test compares the tables with the types of the SDKs (`tests/unit/text/test_body_shapes.py`).
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from tollgate.kit.problems import Problem, one_of
from tollgate.text.body.shapes import (
    FLAG,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    WHOLE,
    Check,
    Checks,
    by_type,
    each,
    fields,
    filled,
    one_text_of,
    text_or,
    values,
    within,
)
from tollgate.text.models import TextProtocol

# A body can have as many problems as values.
MAX_PROBLEMS = 20

ANYTHING = fields({}, {})
PARTS = "a list of parts"
_CACHE = fields({"type": one_text_of("ephemeral")}, {"ttl": one_text_of("5m", "1h")})
_SWITCH = fields({}, {"enabled": FLAG})

# Messages: https://docs.claude.com/en/api/messages and `anthropic.types.beta.BetaContentBlockParam`.
_TEXT_BLOCK = fields({"text": TEXT}, {"cache_control": _CACHE, "citations": LIST})
_BASE64 = fields({"media_type": TEXT, "data": filled}, {})
_AT_URL = fields({"url": filled}, {})
# Other types of sources are refused as references (`foreign.py`).
_IMAGE_SOURCE = by_type({"base64": _BASE64, "url": _AT_URL}, takes_others=True)
_IMAGE_BLOCK = fields({"source": _IMAGE_SOURCE}, {"cache_control": _CACHE, "transformations": OBJECT})
_IN_DOCUMENT = by_type({"text": _TEXT_BLOCK, "image": _IMAGE_BLOCK})
_SOURCES: Checks = {
    "base64": _BASE64,
    "url": _AT_URL,
    "text": fields({"media_type": TEXT, "data": TEXT}, {}),
    "content": fields({"content": text_or(each(_IN_DOCUMENT), "a list of blocks")}, {}),
}
_DOCUMENT = fields(
    {"source": by_type(_SOURCES, takes_others=True)},
    {"title": TEXT, "context": TEXT, "citations": _SWITCH, "cache_control": _CACHE},
)
_FOUND = fields(
    {"content": each(by_type({"text": _TEXT_BLOCK})), "source": TEXT, "title": TEXT},
    {"citations": _SWITCH, "cache_control": _CACHE},
)
_IN_RESULT: Checks = {
    "text": _TEXT_BLOCK,
    "image": _IMAGE_BLOCK,
    "document": _DOCUMENT,
    "search_result": _FOUND,
    "tool_reference": fields({"tool_name": filled}, {"cache_control": _CACHE}),
    "browser_state": ANYTHING,
}
_TOOL_RESULT = fields(
    {"tool_use_id": filled},
    {
        "content": text_or(each(by_type(_IN_RESULT)), "a list of blocks"),
        "is_error": FLAG,
        "cache_control": _CACHE,
        "toolset_name": TEXT,
    },
)
# The content is Anthropic's own, and Anthropic checks it.
_OF_A_SERVER = fields(
    {"tool_use_id": filled, "content": text_or(lambda *_: iter(()), "blocks")}, {"cache_control": _CACHE}
)
BLOCKS: Checks = {
    **_IN_RESULT,
    "thinking": fields({"thinking": TEXT}, {"signature": TEXT}),
    "redacted_thinking": fields({"data": TEXT}, {}),
    "tool_use": fields(
        {"id": filled, "name": filled, "input": OBJECT},
        {"cache_control": _CACHE, "caller": OBJECT, "toolset_name": TEXT},
    ),
    **dict.fromkeys(("tool_result", "mcp_tool_result"), _TOOL_RESULT),
    **dict.fromkeys(
        ("server_tool_use", "mcp_tool_use"),
        fields({"id": filled, "name": filled, "input": OBJECT}, {"cache_control": _CACHE}),
    ),
    **dict.fromkeys(
        (
            *("web_search_tool_result", "web_fetch_tool_result", "advisor_tool_result"),
            *("code_execution_tool_result", "bash_code_execution_tool_result"),
            *("text_editor_code_execution_tool_result", "tool_search_tool_result"),
        ),
        _OF_A_SERVER,
    ),
    **dict.fromkeys(
        ("container_upload", "compaction", "tool_addition", "tool_removal", "mcp_tool_listing", "fallback"),
        ANYTHING,
    ),
}
_MESSAGE = fields(
    {
        "role": one_text_of("user", "assistant", "system"),
        "content": text_or(each(by_type(BLOCKS)), "a list of blocks"),
    },
    {},
)
_SHOWN = {"display": TEXT, "block_binding": OBJECT}
_THINKING: Checks = {
    "enabled": fields({"budget_tokens": WHOLE}, _SHOWN),
    "adaptive": fields({}, _SHOWN),
    **dict.fromkeys(("disabled", "between_tools"), ANYTHING),
}
_SEVERAL = {"disable_parallel_tool_use": FLAG}
_CHOICES: Checks = {
    **dict.fromkeys(("auto", "any"), fields({}, _SEVERAL)),
    "tool": fields({"name": filled}, _SEVERAL),
    "none": ANYTHING,
}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_OUTPUT_FORMATS: Checks = {"json_schema": fields({"schema": OBJECT}, {})}
MESSAGES: Checks = {
    "messages": each(_MESSAGE),
    "system": text_or(each(by_type({"text": _TEXT_BLOCK})), "a list of text blocks"),
    "stop_sequences": each(TEXT),
    "thinking": by_type(_THINKING),
    "tool_choice": by_type(_CHOICES),
    "tools": each(
        fields(
            {},
            {
                "type": TEXT,
                "name": filled,
                "description": TEXT,
                "input_schema": OBJECT,
                "strict": FLAG,
                "cache_control": _CACHE,
            },
        )
    ),
    "metadata": fields({}, {"user_id": TEXT}),
    "output_config": fields({}, {"effort": one_text_of(*_EFFORTS), "format": by_type(_OUTPUT_FORMATS)}),
    "context_management": fields({}, {"edits": LIST}),
    "cache_control": _CACHE,
    "top_k": WHOLE,
    **dict.fromkeys(("temperature", "top_p"), NUMBER),
}

# Chats: https://platform.openai.com/docs/api-reference/chat/create and the SDK's content parts. Other vendors
# have parts for video and for thinking.
_AT_ADDRESS = text_or(fields({"url": filled}, {"detail": TEXT}), "an object with a url")
CHAT_PARTS: Checks = {
    "text": fields({"text": TEXT}, {"cache_control": _CACHE}),
    "image_url": fields({"image_url": _AT_ADDRESS}, {"cache_control": _CACHE}),
    "video_url": fields({"video_url": _AT_ADDRESS}, {}),
    "audio_url": fields({"audio_url": _AT_ADDRESS}, {}),
    "input_audio": fields({"input_audio": fields({"data": filled, "format": TEXT}, {})}, {}),
    "file": fields(
        {"file": fields({}, {"file_data": TEXT, "file_id": TEXT, "filename": TEXT})},
        {"cache_control": _CACHE},
    ),
    "refusal": fields({"refusal": TEXT}, {}),
    "thinking": ANYTHING,
}
_FUNCTION = fields({"name": filled}, {"description": TEXT, "parameters": OBJECT, "strict": FLAG})
_CALLS: Checks = {
    "function": fields({"id": TEXT, "function": fields({"name": TEXT}, {"arguments": TEXT})}, {}),
    "custom": fields({"id": TEXT, "custom": fields({"name": TEXT}, {"input": TEXT})}, {}),
}
_CONTENT = text_or(each(by_type(CHAT_PARTS)), PARTS)
_CHAT_FIELDS: Checks = {
    "content": _CONTENT,
    "name": TEXT,
    "refusal": TEXT,
    "reasoning_content": TEXT,
    "thinking_blocks": LIST,
    "tool_calls": each(by_type(_CALLS)),
    "function_call": OBJECT,
}
CHAT_ROLES: Checks = {
    **dict.fromkeys(("system", "developer", "user"), fields({"content": _CONTENT}, _CHAT_FIELDS)),
    "assistant": fields({}, _CHAT_FIELDS),
    "function": fields({"name": TEXT}, _CHAT_FIELDS),
    "tool": fields({"tool_call_id": TEXT, "content": _CONTENT}, _CHAT_FIELDS),
}
_FORMATS: Checks = {
    **dict.fromkeys(("text", "json_object"), ANYTHING),
    "json_schema": fields(
        {"json_schema": fields({"name": TEXT}, {"schema": OBJECT, "description": TEXT, "strict": FLAG})}, {}
    ),
}
_NAMED = fields({"name": filled}, {})
# Vendors have other tools and choices, and check them.
_TOOLS: Checks = {"function": fields({"function": _FUNCTION}, {}), "custom": fields({"custom": _NAMED}, {})}
_TOOL = by_type(_TOOLS, takes_others=True)
_CHOSEN: Checks = {name: fields({name: _NAMED}, {}) for name in _TOOLS}
_CHOICE = text_or(by_type(_CHOSEN, takes_others=True), "an object with a type")


def _chat_message(value: Any, path: str) -> Iterator[Problem]:
    role = value.get("role") if isinstance(value, dict) else None
    if not isinstance(role, str) or role not in CHAT_ROLES:
        yield one_of(f"{path}/role", CHAT_ROLES)
    else:
        yield from CHAT_ROLES[role](value, path)


CHAT: Checks = {
    "messages": each(_chat_message),
    "stop": text_or(each(TEXT), "a list of strings"),
    "tools": each(_TOOL),
    "tool_choice": _CHOICE,
    "response_format": by_type(_FORMATS),
    **dict.fromkeys(("user", "safety_identifier", "prompt_cache_key"), TEXT),
    "reasoning_effort": one_text_of("none", "minimal", *_EFFORTS),
    "verbosity": one_text_of("low", "medium", "high"),
    **dict.fromkeys(("seed", "top_logprobs", "top_k"), WHOLE),
    "temperature": within(0, 2),
    "top_p": within(0, 1),
    **dict.fromkeys(("presence_penalty", "frequency_penalty"), within(-2, 2)),
    **dict.fromkeys(("logprobs", "parallel_tool_calls", "store"), FLAG),
    **dict.fromkeys(("audio", "prediction", "thinking", "reasoning"), OBJECT),
    "logit_bias": values(within(-100, 100)),
    "metadata": values(TEXT),
    "modalities": each(TEXT),
    "functions": each(_FUNCTION),
}

# Responses: https://platform.openai.com/docs/api-reference/responses/create and `ResponseInputItemParam`.
# `responses/items.py` refuses parts and items of other types.
RESPONSE_PARTS: Checks = {
    **dict.fromkeys(("input_text", "text"), fields({"text": TEXT}, {})),
    "output_text": fields({"text": TEXT}, {"annotations": LIST, "logprobs": LIST}),
    "refusal": fields({"refusal": TEXT}, {}),
    "input_image": fields({}, {"image_url": filled, "file_id": TEXT, "detail": TEXT}),
    "input_file": fields(
        {}, {"file_data": filled, "file_id": TEXT, "file_url": TEXT, "filename": TEXT, "detail": TEXT}
    ),
}
_SAID = text_or(each(by_type(RESPONSE_PARTS, takes_others=True)), PARTS)
_CALL = {"call_id": TEXT, "name": TEXT}


def _output(value: Any, path: str) -> Iterator[Problem]:
    # An object becomes a text (`responses/items.py`).
    if not isinstance(value, dict):
        yield from _SAID(value, path)


ITEMS: Checks = {
    "message": fields({"role": TEXT, "content": _SAID}, {}),
    "function_call": fields({**_CALL, "arguments": TEXT}, {"namespace": TEXT}),
    "custom_tool_call": fields({**_CALL, "input": TEXT}, {"namespace": TEXT}),
    **dict.fromkeys(
        ("function_call_output", "custom_tool_call_output"), fields({"call_id": TEXT, "output": _output}, {})
    ),
    "reasoning": fields({}, {"summary": LIST, "content": LIST, "encrypted_content": TEXT}),
    "tool_search_output": fields({}, {"tools": LIST, "call_id": TEXT, "execution": TEXT}),
    "additional_tools": fields({}, {"tools": LIST, "role": TEXT}),
}


def _item(value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(path, "Must be an item object.")
        return
    kind = value.get("type")
    if not isinstance(kind, str | None):
        yield Problem(f"{path}/type", "Must be a string.", list(ITEMS))
    elif kind is None and "role" in value:
        yield from ITEMS["message"](value, path)
    elif kind is not None and kind in ITEMS:
        yield from ITEMS[kind](value, path)


RESPONSES: Checks = {
    "input": text_or(each(_item), "a list of items"),
    "include": each(TEXT),
    "tools": each(
        fields({}, {"type": TEXT, "name": TEXT, "description": TEXT, "parameters": OBJECT, "strict": FLAG})
    ),
    "tool_choice": text_or(fields({"type": TEXT}, {"name": TEXT}), "an object with a type"),
    **dict.fromkeys(
        ("truncation", "user", "safety_identifier", "prompt_cache_key", "service_tier"),
        TEXT,
    ),
    "temperature": within(0, 2),
    "top_p": within(0, 1),
    **dict.fromkeys(("max_tool_calls", "top_logprobs"), WHOLE),
    "parallel_tool_calls": FLAG,
    "metadata": values(TEXT),
    "reasoning": fields({}, {"effort": TEXT, "summary": TEXT, "mode": TEXT}),
    "text": fields(
        {},
        {
            "verbosity": TEXT,
            "format": fields({}, {"type": TEXT, "name": TEXT, "schema": OBJECT, "strict": FLAG}),
        },
    ),
}
_OF_PROTOCOL: Mapping[TextProtocol, Check] = {
    TextProtocol.OPENAI: fields({}, CHAT),
    TextProtocol.ANTHROPIC: fields({}, MESSAGES),
}
_OF_RESPONSES = fields({}, RESPONSES)


def shape_problems(protocol: TextProtocol, body: Mapping[str, Any]) -> list[Problem]:
    """Return the first problems of the types of fields in a body of chats or messages."""
    return list(islice(_OF_PROTOCOL[protocol](body, ""), MAX_PROBLEMS))


def response_problems(body: Mapping[str, Any]) -> list[Problem]:
    """Return the first problems of the types of fields in a Responses request."""
    return list(islice(_OF_RESPONSES(body, ""), MAX_PROBLEMS))
