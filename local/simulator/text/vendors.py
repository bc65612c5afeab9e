"""Each vendor's format of usage (docs/providers/openai_compatible.md)."""

from collections.abc import Callable
from typing import Any

from local.simulator.text.content import Answer

Usage = dict[str, Any]


def scaled(usage: Any, factor: int) -> Any:
    """Return a usage, in any vendor's format, with every count multiplied by `factor`."""
    if isinstance(usage, dict):
        return {name: scaled(value, factor) for name, value in usage.items()}
    return usage * factor if type(usage) is int else usage


def priced(usage: Usage, usd: float | None) -> Usage:
    """Return a usage of a vendor that states its charge, with this charge in USD instead."""
    stated = {"cost": usd, "estimated_cost": usd, "cost_in_usd_ticks": round((usd or 0) * 10_000_000_000)}
    return usage if usd is None else usage | {name: stated[name] for name in usage.keys() & stated.keys()}


def _openai(answer: Answer) -> Usage:
    output = answer.visible_tokens + answer.reasoning_tokens
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": output,
        "total_tokens": answer.input_tokens + output,
        "prompt_tokens_details": {
            "cached_tokens": answer.cached_tokens,
            "cache_write_tokens": answer.written_tokens,
        },
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
    }


def _deepseek(answer: Answer) -> Usage:
    missed = answer.input_tokens - answer.cached_tokens
    hits = {"prompt_cache_hit_tokens": answer.cached_tokens, "prompt_cache_miss_tokens": missed}
    return {**_openai(answer), "prompt_tokens_details": None, **hits}


def _gemini(answer: Answer) -> Usage:
    usage = _openai(answer)
    visible = {"completion_tokens": answer.visible_tokens, "completion_tokens_details": None}
    return {**usage, **visible, "prompt_tokens_details": {"cached_tokens": answer.cached_tokens}}


def _grok(answer: Answer) -> Usage:
    usage = {**_openai(answer), "completion_tokens": answer.visible_tokens}
    # https://docs.x.ai/developers/cost-tracking
    money = {"num_sources_used": 0, "cost_in_usd_ticks": 10_000 * answer.input_tokens}
    return {**usage, **money, "prompt_tokens_details": {"cached_tokens": answer.cached_tokens}}


def _kimi(answer: Answer) -> Usage:
    return {**_openai(answer), "prompt_tokens_details": None, "cached_tokens": answer.cached_tokens}


def _openrouter(answer: Answer) -> Usage:
    """OpenRouter adds the cost for the account (docs/providers/openai_compatible.md)."""
    paid = 0.000_001 * answer.input_tokens
    parts = (
        "upstream_inference_cost",
        "upstream_inference_prompt_cost",
        "upstream_inference_completions_cost",
    )
    cost = {"cost": paid, "is_byok": False, "cost_details": dict.fromkeys(parts, paid)}
    return {**_openai(answer), **cost}


def _qwen(answer: Answer) -> Usage:
    written = {"cache_creation_input_tokens": answer.written_tokens}
    return {**_openai(answer), "prompt_tokens_details": {"cached_tokens": answer.cached_tokens, **written}}


def _hits(answer: Answer) -> Usage:
    """Hosts of open models report tokens read from their cache. Writing to the cache is free."""
    return {**_openai(answer), "prompt_tokens_details": {"cached_tokens": answer.cached_tokens}}


def _deepinfra(answer: Answer) -> Usage:
    """DeepInfra adds its charge (https://docs.deepinfra.com)."""
    return {**_hits(answer), "estimated_cost": 0.000_001 * answer.input_tokens}


def _minimax(answer: Answer) -> Usage:
    return {**_openai(answer), "total_characters": 0}


def _mistral(answer: Answer) -> Usage:
    """Mistral's counts have several names in its answers (npm: @ai-sdk/mistral 4.0.87)."""
    output = answer.visible_tokens + answer.reasoning_tokens
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": output,
        "total_tokens": answer.input_tokens + output,
        "num_cached_tokens": answer.cached_tokens,
    }


VENDORS: dict[str, Callable[[Answer], Usage]] = {
    "openai": _openai,
    "deepseek": _deepseek,
    "google": _gemini,
    "zai": _openai,
    "xai": _grok,
    "moonshot": _kimi,
    "minimax": _minimax,
    "mistral": _mistral,
    "cohere": _hits,
    "xiaomi": _hits,
    "meta": _hits,
    "tencent": _hits,
    "together": _openai,
    "dashscope": _qwen,
    "openrouter": _openrouter,
    "azure": _openai,
    "fireworks": _hits,
    "deepinfra": _deepinfra,
}
"""Each vendor's `usage` object by the vendor's name, which is its path prefix."""

HIDES_REASONING = ("openai", "google", "azure", "meta")
"""Vendors that think without showing it."""
USAGE_WITH_CONTENT = ("zai", "moonshot", "mistral")
"""Vendors that always report usage with the last content, too. Kimi reports it in the choice."""
IN_PARTS = "mistral"
"""The vendor whose content is a list of parts while it thinks (`mistralai` 3.7.0, PyPI)."""
FILTERS_PROMPTS = "azure"
"""The vendor whose stream starts with a chunk without choices, with its filter's result for the prompt."""
ABOUT_ITSELF: dict[str, dict[str, Any]] = {
    "openai": {"service_tier": "default", "system_fingerprint": "fp_simulated"},
    "openrouter": {"provider": "Simulated Host", "system_fingerprint": None},
    "xai": {"system_fingerprint": "fp_simulated"},
    "zai": {"request_id": "2026112310000000simulated"},
    "minimax": {"input_sensitive": False, "output_sensitive": False},
    "fireworks": {"perf_metrics": None},
}
"""Additional fields of a vendor's response, and of each of its chunks."""
IN_CHOICES: dict[str, dict[str, Any]] = {
    "azure": {"content_filter_results": {}},
    "openrouter": {"native_finish_reason": None},
    "together": {"seed": 7},
}
"""Additional fields of each choice."""
HEADERS: dict[str, dict[str, str]] = {
    "openai": {"openai-organization": "org-simulated", "openai-project": "proj_simulated"},
    "azure": {"x-ms-region": "Sweden Central", "apim-request-id": "simulated"},
}
"""Headers with the account, or with the host's location."""
SAYS_REASONING = "openrouter"
"""The vendor that calls reasoning `reasoning`, has the host in `provider`, and fails inside HTTP 200."""
WHOLE_CALLS = ("xai", "google")
"""Vendors whose streams have a tool call in one chunk: https://docs.x.ai/docs/guides/function-calling, and
clients of Gemini."""
THINKS_IN_CONTENT = "minimax"
"""The vendor with its thinking in the content, or in `reasoning_details` with `reasoning_split`:
https://platform.minimax.io/docs/api-reference/text-openai-api."""
SIGNS_CALLS = ("google",)
"""Vendors with state in a tool call (https://ai.google.dev/gemini-api/docs/thought-signatures). Their streams
have no index of it (INFERRED from clients that repair it)."""
WHOLE_CALLS_OF = ("x-ai/", "google/")
"""Their models at OpenRouter."""
SAYS_NO_REFUSAL = ("openai", "azure")
"""Vendors whose message has `refusal: null` (`openai.types.chat.ChatCompletionMessage`)."""
_SEVERAL = ("openai", "azure", "google", "xai", "dashscope", "together", "fireworks", "deepinfra")
SEVERAL_ANSWERS = (*_SEVERAL, "moonshot", "mistral")
"""Vendors with `n`: docs/providers/openai_compatible.md#wishes-that-a-vendor-lacks."""
LOG_PROBABILITIES = (*_SEVERAL, "deepseek", "mistral")
"""Vendors with `logprobs`: the same page."""
