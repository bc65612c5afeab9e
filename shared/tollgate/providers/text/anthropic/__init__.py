"""Anthropic's Messages API (docs/providers/anthropic.md).

facts.py   Anthropic's own words
text.py    one request
"""

from tollgate.providers.runtime.declaration import ProviderAccount

ACCOUNT = ProviderAccount(
    name="anthropic",
    title="Anthropic (Claude)",
    docs="https://platform.claude.com/docs",
    env="ANTHROPIC_API_KEY",
)
