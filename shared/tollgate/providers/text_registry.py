"""The providers of text there are, and how each is made from its credentials. The one list of names."""

from collections.abc import Mapping

from tollgate.providers.anthropic.facts import BASE_URL as ANTHROPIC_URL
from tollgate.providers.anthropic.text import Anthropic
from tollgate.providers.openai_compatible.facts import VENDORS
from tollgate.providers.openai_compatible.text import OpenAiCompatible
from tollgate.providers.secret import Credentials
from tollgate.text.upstream import TextUpstream

ANTHROPIC = "anthropic"


def make_text_upstreams(credentials: Mapping[str, Credentials]) -> dict[str, TextUpstream]:
    """Give the text providers that have credentials, by name."""
    made: dict[str, TextUpstream] = {
        name: OpenAiCompatible(vendor, credentials[name].key, credentials[name].base_url)
        for name, vendor in VENDORS.items()
        if name in credentials
    }
    if ANTHROPIC in credentials:
        found = credentials[ANTHROPIC]
        made[ANTHROPIC] = Anthropic(found.key, found.base_url or ANTHROPIC_URL)
    return made
