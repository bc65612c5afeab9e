"""All providers whose key the secret may have: the declared providers of media and of text."""

from collections.abc import Mapping
from functools import cache

from tollgate.providers.runtime.declaration import ProviderAccount
from tollgate.providers.runtime.registry import providers
from tollgate.providers.text.anthropic import ACCOUNT as ANTHROPIC
from tollgate.providers.text.bedrock import ACCOUNT as BEDROCK
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.routing.facts import KnownProviders


def media_accounts() -> Mapping[str, ProviderAccount]:
    """Return the media providers that need a key, by name."""
    return {name: one for name, one in providers().items() if one.key_env is not None}


def text_accounts() -> Mapping[str, ProviderAccount]:
    """Return the text providers, by name."""
    return {one.name: one for one in (ANTHROPIC, BEDROCK, *VENDORS.values())}


def accounts() -> Mapping[str, ProviderAccount]:
    """Return all of them by name; a provider of both has its declaration for text."""
    return {**media_accounts(), **text_accounts()}


@cache
def known_providers() -> KnownProviders:
    """Return the facts of all providers by which requests are routed, with those that need no key."""
    return KnownProviders.of(one.facts for one in {**providers(), **text_accounts()}.values())
