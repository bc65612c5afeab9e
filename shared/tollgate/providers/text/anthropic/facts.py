"""Anthropic's own words (docs/providers/anthropic.md)."""

MESSAGES_PATH = "/v1/messages"
COUNT_PATH = "/v1/messages/count_tokens"

# The version we translate to: the newer one refuses `temperature` and `top_p`, which OpenAI clients send.
VERSION = "2023-06-01"
# A messages client's own version goes upstream: its body is written for that one.
KNOWN_VERSIONS = ("2023-06-01", "2026-10-21")

VERSION_HEADER, BETA_HEADER = "anthropic-version", "anthropic-beta"
MAX_BETA_CHARS = 1_000

# Codes inside a 429 that are about our account's money (docs/architecture.md#rules-for-every-provider).
CODE_STATUSES = {
    "enforced_spend_limit_reached": 402,
    "contract_spend_limit_reached": 402,
    "ramp_limit_exceeded": 402,
}

# Beginnings of the beta names that cost tokens of the answer's total, or nothing.
#
# The names are those of `anthropic.types.AnthropicBetaParam`, and what Claude Code sends. The others ask
# other models (fallbacks, advisor), sum up at our cost (compact), are dearer (fast mode), run tools there,
# write more than the model's limit (output-300k), or reach what is our account's own (files, skills,
# agents).
PRICED_BETAS = (
    *("interleaved-thinking-", "dev-full-thinking-", "thinking-token-count-", "thinking-display-updates-"),
    *("fine-grained-tool-streaming-", "token-efficient-tools-", "advanced-tool-use-", "tool-search-tool-"),
    *("tool-examples-", "inline-tools-", "computer-use-", "structured-outputs-", "effort-", "task-budgets-"),
    *(
        "prompt-caching-",
        "extended-cache-ttl-",
        "context-management-",
        "context-1m-",
        "output-128k-",
        "pdfs-",
    ),
    *("model-context-window-exceeded-", "mid-conversation-", "token-counting-", "claude-code-"),
)
