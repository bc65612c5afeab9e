"""The vendors and how each deviates from OpenAI (providers.md §19, §8 for MiniMax's codes).

`max_tokens` as every compatible vendor's name for the limit is the reference's rule (§21). The error codes
of GLM and MiniMax are partly from memory there.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.text.dialect import ChatDialect
from tollgate.text.usage import ReasoningCount

CHAT_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Vendor:
    """Where a vendor is, and its dialect."""

    base_url: str
    dialect: ChatDialect


_GLM_CODES = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), 401),
    **dict.fromkeys(("1113", "1304", "1308"), 402),
    **dict.fromkeys(("1261", "1301"), 400),
    **dict.fromkeys(("1302", "1303"), 429),
    "1305": 503,
}
_MINIMAX_CODES = {
    **dict.fromkeys(("1000", "1013"), 500),
    **dict.fromkeys(("1002", "1039"), 429),
    **dict.fromkeys(("1004", "2049"), 401),
    **dict.fromkeys(("1026", "1027", "2013"), 400),
    "1001": 504,
    "1008": 402,
    "insufficient_balance_error": 402,
}

VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor("https://api.openai.com/v1", ChatDialect(code_statuses={"insufficient_quota": 402})),
    "deepseek": Vendor(
        "https://api.deepseek.com",
        ChatDialect(
            limit_field="max_tokens",
            faulty_finishes=("insufficient_system_resource",),
            echoes_reasoning=True,
        ),
    ),
    "google": Vendor(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ChatDialect(limit_field="max_tokens", reasoning_count=ReasoningCount.IN_TOTAL),
    ),
    "zai": Vendor(
        "https://api.z.ai/api/paas/v4",
        ChatDialect(
            limit_field="max_tokens",
            finish_names={"sensitive": "content_filter", "model_context_window_exceeded": "length"},
            faulty_finishes=("network_error",),
            code_statuses=_GLM_CODES,
            echoes_reasoning=True,
        ),
    ),
    "xai": Vendor(
        "https://api.x.ai/v1",
        ChatDialect(limit_field="max_tokens", reasoning_count=ReasoningCount.BESIDE),
    ),
    "moonshot": Vendor(
        "https://api.moonshot.ai/v1",
        ChatDialect(
            limit_field="max_tokens",
            code_statuses={
                "exceeded_current_quota_error": 402,
                "rate_limit_reached_error": 429,
                "engine_overloaded_error": 503,
                "content_filter": 400,
            },
            echoes_reasoning=True,
        ),
    ),
    "minimax": Vendor(
        "https://api.minimax.io/v1", ChatDialect(limit_field="max_tokens", code_statuses=_MINIMAX_CODES)
    ),
    # Serves open models of others; its address is from its own documentation, not from the reference.
    "together": Vendor("https://api.together.xyz/v1", ChatDialect(limit_field="max_tokens")),
    "dashscope": Vendor(
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", ChatDialect(limit_field="max_tokens")
    ),
}
"""By provider name, as the catalog has it. Other regions of a vendor are another base URL beside its key."""
