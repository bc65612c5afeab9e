"""Each vendor's error bodies for chat completions.

Sources: https://platform.openai.com/docs/guides/error-codes; https://platform.kimi.com/docs/api/errors;
https://docs.z.ai/api-reference/api-code and docs/providers/minimax.md for their codes; page-assist issue 406
for Google's list; https://api-docs.deepseek.com/quick_start/error_codes for DeepSeek's statuses;
https://www.alibabacloud.com/help/en/model-studio/error-code; Microsoft's page on content filters; the
documentation of OpenRouter. INFERRED: the words, and the bodies of DeepSeek, xAI and Fireworks.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

FIRST_SERVER_ERROR = 500
# The examples of `utils/overflow` of pi-ai 1.6.0 (npm), as providers sent them, with other numbers.
TOO_LONG = (
    "This model's maximum context length is 1000 tokens. However, your messages resulted in 2000 tokens."
)
TOO_LONG_OF = {
    "google": "The input token count (2000) exceeds the maximum number of tokens allowed (1000).",
    "xai": "This model's maximum prompt length is 1000 but the request contains 2000 tokens.",
    "mistral": "Prompt contains 2000 tokens, too large for model with 1000 maximum context length",
    "zai": "Prompt exceeds max length",
    "moonshot": "Invalid request: Your request exceeded model token limit: 1000 (requested: 2000)",
    "minimax": "invalid params, context window exceeds limit",
    "dashscope": "Range of input length should be [1, 1000]",
    "together": "The input (2000 tokens) is longer than the model's context length (1000 tokens).",
}
CONTENT_WORDS = "The prompt breaks the usage policy."
_BAD, _KEY, _MONEY, _UNKNOWN, _BUSY = 400, 401, 402, 404, 429
_USUAL = {
    _KEY: "Incorrect API key provided.",
    _UNKNOWN: "The model does not exist.",
    _BUSY: "Rate limit reached for requests.",
    503: "The engine is overloaded.",
}

Body = Any
Make = Callable[[int, str, bool], tuple[int, Body]]


def refusal_of(vendor: str, status: int, message: str | None = None) -> tuple[int, Body]:
    """Return HTTP status and body of a vendor's error. A 400 without a `message` is about the content."""
    is_content = status == _BAD and message is None
    usual = CONTENT_WORDS if is_content else _USUAL.get(status, "The server had an error.")
    return _VENDORS.get(vendor, _openai)(status, message or usual, is_content)


def overflow_of(vendor: str) -> tuple[int, Body]:
    """Return HTTP status and body of a vendor's refusal of an input that is longer than the context."""
    status, body = refusal_of(vendor, _BAD, TOO_LONG_OF.get(vendor, TOO_LONG))
    if vendor in ("openai", "azure"):
        body["error"] |= {"param": "messages", "code": "context_length_exceeded"}
    if vendor == "zai":
        body["error"]["code"] = "1261"
    return status, body


def _error(message: str, kind: str, code: Any) -> dict[str, Any]:
    return {"message": message, "type": kind, "param": None, "code": code}


def _openai(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    kind = "server_error" if status >= FIRST_SERVER_ERROR else "invalid_request_error"
    codes = {_BAD: "invalid_value", _KEY: "invalid_api_key", _UNKNOWN: "model_not_found"}
    busy = {_BUSY: ("requests", "rate_limit_exceeded"), _MONEY: ("insufficient_quota", "insufficient_quota")}
    kind, code = busy.get(status, (kind, codes.get(status, "server_error")))
    return status, {"error": _error(message, kind, "invalid_prompt" if is_content else code)}


def _azure(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    _, body = _openai(status, message, is_content)
    if is_content:
        inner = {"innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}}}
        body["error"] |= {"type": None, "param": "prompt", "code": "content_filter", **inner}
    return status, body


def _named_by_type(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    """DeepSeek and Fireworks repeat the type as the code."""
    kind = {_KEY: "authentication_error", _BUSY: "rate_limit_error"}.get(status, "invalid_request_error")
    kind = "server_error" if status >= FIRST_SERVER_ERROR else kind
    return status, {"error": _error("Content Exists Risk" if is_content else message, kind, kind)}


def _google(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    del is_content
    names = {_BAD: "INVALID_ARGUMENT", _KEY: "UNAUTHENTICATED", _UNKNOWN: "NOT_FOUND"}
    names |= {_BUSY: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    named = {"code": status, "message": message, "status": names.get(status, "INTERNAL")}
    return status, [{"error": named}]


def _zai(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    codes = {_BAD: "1210", _KEY: "1000", _MONEY: "1113", _UNKNOWN: "1211", _BUSY: "1302", 503: "1305"}
    code = "1301" if is_content else codes.get(status, "500")
    return status, {"error": {"code": code, "message": message}}


def _xai(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    del is_content
    said = {_BAD: "Client specified an invalid argument", _BUSY: "Some resource has been exhausted"}
    return status, {"code": said.get(status, HTTPStatus(status).phrase), "error": message}


def _moonshot(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    kinds = {_KEY: "invalid_authentication_error", _UNKNOWN: "resource_not_found_error"}
    kinds |= {_BUSY: "rate_limit_reached_error", 503: "engine_overloaded_error"}
    kind = "content_filter" if is_content else kinds.get(status, "invalid_request_error")
    kind = "server_error" if status == FIRST_SERVER_ERROR else kind
    return status, {"error": {"message": message, "type": kind}}


def _minimax(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    """MiniMax has its own codes inside HTTP 200."""
    codes = {_BAD: 2013, _KEY: 1004, _MONEY: 1008, _UNKNOWN: 2013, _BUSY: 1002}
    code = 1026 if is_content else codes.get(status, 1000)
    return 200, {"choices": None, "base_resp": {"status_code": code, "status_msg": message}}


def _dashscope(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    codes = {_BAD: "invalid_parameter_error", _KEY: "invalid_api_key", _UNKNOWN: "model_not_found"}
    codes |= {_BUSY: "limit_requests"}
    code = "data_inspection_failed" if is_content else codes.get(status, "internal_error")
    kind = code if is_content or status >= FIRST_SERVER_ERROR else "invalid_request_error"
    return status, {"error": _error(message, kind, code), "request_id": "simulated"}


def _openrouter(status: int, message: str, is_content: bool) -> tuple[int, Body]:
    """OpenRouter adds the account, and the host that refused."""
    del is_content
    metadata = {"provider_name": "Simulated Host", "raw": message}
    return status, {
        "error": {"code": status, "message": message, "metadata": metadata},
        "user_id": "user_simulated",
    }


_VENDORS: dict[str, Make] = {
    "azure": _azure,
    "deepseek": _named_by_type,
    "fireworks": _named_by_type,
    "google": _google,
    "zai": _zai,
    "xai": _xai,
    "moonshot": _moonshot,
    "minimax": _minimax,
    "dashscope": _dashscope,
    "openrouter": _openrouter,
}
