"""Refusals of an input that is longer than the model's context. Pure.

Agents shorten their conversation after such a refusal. They know it by OpenAI's code or by Anthropic's words:
`ContextOverflowError` of langchain-openai 1.7.3 and langchain-anthropic 1.7.7 (PyPI). With openai 3.57.0 the
first of them looks only at the words, so every refusal has both. Source of the other vendors'
words: `utils/overflow` in pi-ai 1.6.0 (npm).
"""

import re

CODE = "context_length_exceeded"
"""OpenAI's code."""
WORDS = "prompt is too long"
"""Anthropic's words."""

_PHRASES = re.compile(
    "|".join(
        (
            *("prompt (is )?too long", "prompt exceeds max length", "input is too long for requested model"),
            *("exceeds the context window", "context window exceeds limit", CODE),
            *("maximum (context|prompt) length (is|of) [\\d,]+", "longer than the model's context length"),
            *("input token count .{0,40}exceeds the maximum", "exceeded model token limit"),
            *("too large for model with [\\d,]+ maximum context", "range of input length should be"),
        )
    ),
    re.IGNORECASE,
)


def is_overflow(message: str) -> bool:
    """Return whether a provider refused the input, by this message, for being longer than the context."""
    return _PHRASES.search(message) is not None


def in_known_words(message: str) -> str:
    """Return the message of such a refusal with Anthropic's words at its start."""
    return message if WORDS in message else f"{WORDS}: {message}"
