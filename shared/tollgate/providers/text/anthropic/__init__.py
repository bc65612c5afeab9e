"""Anthropic's Messages API (docs/providers/anthropic.md).

facts.py   Anthropic's names and codes
text.py    one request
"""

from tollgate.providers.runtime.declaration import About, ProviderAccount

ACCOUNT = ProviderAccount(
    name="anthropic",
    about=About("Anthropic (Claude)", "https://platform.claude.com/docs"),
    base_url="https://api.anthropic.com",
)
