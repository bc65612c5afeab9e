"""The existing text providers, and how each is created from its credentials. The one list of names."""

from collections.abc import Callable, Mapping

from tollgate.kit.aws.sigv4 import AwsKey
from tollgate.providers.media.test import NAME as TEST
from tollgate.providers.media.test import PROVIDER as TEST_PROVIDER
from tollgate.providers.runtime.secret import Credentials
from tollgate.providers.text.anthropic import ACCOUNT as ANTHROPIC_ACCOUNT
from tollgate.providers.text.anthropic.text import Anthropic
from tollgate.providers.text.bedrock import ACCOUNT as BEDROCK_ACCOUNT
from tollgate.providers.text.google.facts import NAME as GOOGLE
from tollgate.providers.text.google.text import Google
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.providers.text.openai_compatible.text import OpenAiCompatible
from tollgate.providers.text.test import TextTestProvider
from tollgate.routing.facts import KnownProviders
from tollgate.text.upstream.exchange import TextUpstream

ANTHROPIC, BEDROCK = ANTHROPIC_ACCOUNT.name, BEDROCK_ACCOUNT.name


def known_text_providers() -> KnownProviders:
    """Return the facts of the text providers by which requests are routed."""
    accounts = (ANTHROPIC_ACCOUNT, BEDROCK_ACCOUNT, TEST_PROVIDER, *VENDORS.values())
    return KnownProviders.of(account.facts for account in accounts)


def make_text_upstreams(credentials: Mapping[str, Credentials]) -> dict[str, TextUpstream]:
    """Return the text providers that have credentials, and the test provider, by name; without Bedrock.

    A self-hosted provider is left out if its credentials have no address.
    """
    made: dict[str, TextUpstream] = {TEST: TextTestProvider()} | {
        name: OpenAiCompatible(vendor, credentials[name].key, credentials[name].base_url)
        for name, vendor in VENDORS.items()
        if name in credentials and (vendor.base_url or credentials[name].base_url)
    }
    if GOOGLE in made:
        vendor, given = VENDORS[GOOGLE], credentials[GOOGLE]
        root = (given.base_url or vendor.base_url).removesuffix(vendor.compatible_path)
        made[GOOGLE] = Google(given.key, root, made[GOOGLE])
    if ANTHROPIC in credentials:
        found = credentials[ANTHROPIC]
        made[ANTHROPIC] = Anthropic(found.key, found.base_url or ANTHROPIC_ACCOUNT.base_url)
    return made


def translating_upstreams() -> dict[str, TextUpstream]:
    """Return all text providers, to translate requests that are never sent. They have no real credentials."""
    unused = Credentials(key="unused", base_url="https://unused.invalid")
    made = make_text_upstreams(dict.fromkeys((ANTHROPIC, *VENDORS), unused))
    return made | {BEDROCK: make_bedrock(unused, "unused", _no_key)}


def _no_key() -> AwsKey:
    raise AssertionError("A request that is never sent is not signed.")


def make_bedrock(credentials: Credentials | None, region: str, role: Callable[[], AwsKey]) -> TextUpstream:
    """Return Bedrock: with a Bedrock API key if there are credentials, else signed with the `role`.

    It is imported here because most processes never use a reserve route.
    """
    from tollgate.providers.text.bedrock.text import Bedrock  # noqa: PLC0415 - see above

    if credentials is None:
        return Bedrock(region, role)
    return Bedrock(region, role, credentials.key, credentials.base_url)
