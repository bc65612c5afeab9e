"""How each vendor reports what an answer used (docs/providers/openai_compatible.md)."""

from collections.abc import Callable
from typing import Any

from local.simulator.text.content import Answer

Usage = dict[str, Any]


def scaled(usage: Any, factor: int) -> Any:
    """Return a usage, in any provider's words, with every count times `factor`."""
    if isinstance(usage, dict):
        return {name: scaled(value, factor) for name, value in usage.items()}
    return usage * factor if type(usage) is int else usage


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
    return {**usage, "num_sources_used": 0, "prompt_tokens_details": {"cached_tokens": answer.cached_tokens}}


def _kimi(answer: Answer) -> Usage:
    return {**_openai(answer), "prompt_tokens_details": None, "cached_tokens": answer.cached_tokens}


def _openrouter(answer: Answer) -> Usage:
    """OpenRouter adds what it takes from the account (docs/providers/openai_compatible.md)."""
    cost = {"cost": 0.000_001 * answer.input_tokens, "is_byok": False, "cost_details": {}}
    return {**_openai(answer), **cost}


def _qwen(answer: Answer) -> Usage:
    written = {"cache_creation_input_tokens": answer.written_tokens}
    return {**_openai(answer), "prompt_tokens_details": {"cached_tokens": answer.cached_tokens, **written}}


def _hits(answer: Answer) -> Usage:
    """Hosts of open models tell what they read from their cache, and write to it for nothing."""
    return {**_openai(answer), "prompt_tokens_details": {"cached_tokens": answer.cached_tokens}}


VENDORS: dict[str, Callable[[Answer], Usage]] = {
    "openai": _openai,
    "deepseek": _deepseek,
    "google": _gemini,
    "zai": _openai,
    "xai": _grok,
    "moonshot": _kimi,
    "minimax": _openai,
    "together": _openai,
    "dashscope": _qwen,
    "openrouter": _openrouter,
    "azure": _openai,
    "fireworks": _hits,
    "deepinfra": _hits,
}
"""Each vendor's `usage` object, by the vendor's name, which is its path prefix."""

HIDES_REASONING = ("openai", "google", "azure")
"""Vendors that think without showing it."""
USAGE_WITH_CONTENT = ("zai", "moonshot")
"""Vendors that also report usage with the last content, asked or not; Kimi inside the choice."""
FILTERS_PROMPTS = "azure"
"""Whose stream begins with a chunk without choices: what its filter found in the prompt."""
SAYS_REASONING = "openrouter"
"""Who calls shown reasoning `reasoning`, names the host in `provider`, and fails inside HTTP 200."""
