"""Anthropic's names and codes (docs/providers/anthropic.md)."""

MESSAGES_PATH = "/v1/messages"
COUNT_PATH = "/v1/messages/count_tokens"
# The fields of a count (`anthropic.types.message_count_tokens_params`).
COUNTED = ("model", "messages", "system", "tools", "tool_choice", "thinking", "output_config")

# The version for translated requests: the newer one refuses `temperature` and `top_p` of OpenAI clients.
VERSION = "2023-06-01"
# The version of a messages client is forwarded, because its body is written for it.
KNOWN_VERSIONS = ("2023-06-01", "2026-10-21")

VERSION_HEADER, BETA_HEADER = "anthropic-version", "anthropic-beta"
MAX_BETA_CHARS = 1_000

# Codes of a 429 that are about the operator's credit (docs/architecture.md#rules-for-every-provider).
CODE_STATUSES = {
    "enforced_spend_limit_reached": 402,
    "contract_spend_limit_reached": 402,
    "ramp_limit_exceeded": 402,
}

# Prefixes of the betas that cost only tokens in the response's total, or nothing.
#
# The names are from `anthropic.types.AnthropicBetaParam` and from Claude Code. The other betas use other
# models (fallbacks, advisor), summarize at the operator's cost (compact), cost more (fast mode), run tools at
# Anthropic, exceed the model's output limit (output-300k), or use data of the operator's account (files,
# skills, agents).
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
