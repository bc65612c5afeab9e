"""Anthropic's Messages API (docs/providers/anthropic.md).

facts.py   Anthropic's names and codes
text.py    one request
"""

from tollgate.providers.runtime.declaration import About, ProviderAccount
from tollgate.routing.facts import DataPolicy, Fact

ACCOUNT = ProviderAccount(
    name="anthropic",
    about=About("Anthropic (Claude)", "https://platform.claude.com/docs"),
    base_url="https://api.anthropic.com",
    data=DataPolicy(
        trains=Fact(
            False, "https://platform.claude.com/docs/en/manage-claude/api-and-data-retention", "2026-11-26"
        )
    ),
)
