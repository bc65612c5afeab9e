"""The providers of text there are, and how each is made from its credentials. The one list of names."""

from collections.abc import Callable, Mapping

from tollgate.kit.sigv4 import AwsKey
from tollgate.providers.anthropic.facts import BASE_URL as ANTHROPIC_URL
from tollgate.providers.anthropic.text import Anthropic
from tollgate.providers.openai_compatible.facts import VENDORS
from tollgate.providers.openai_compatible.text import OpenAiCompatible
from tollgate.providers.secret import Credentials
from tollgate.providers.test import NAME as TEST
from tollgate.providers.test.text import PretendChat
from tollgate.text.upstream import TextUpstream

ANTHROPIC, BEDROCK = "anthropic", "bedrock"


def make_text_upstreams(credentials: Mapping[str, Credentials]) -> dict[str, TextUpstream]:
    """Give the text providers that have credentials, and the test provider, by name; not Bedrock."""
    made: dict[str, TextUpstream] = {TEST: PretendChat()} | {
        name: OpenAiCompatible(vendor, credentials[name].key, credentials[name].base_url)
        for name, vendor in VENDORS.items()
        if name in credentials
    }
    if ANTHROPIC in credentials:
        found = credentials[ANTHROPIC]
        made[ANTHROPIC] = Anthropic(found.key, found.base_url or ANTHROPIC_URL)
    return made


def make_bedrock(credentials: Credentials | None, region: str, role: Callable[[], AwsKey]) -> TextUpstream:
    """Give Bedrock: signed by the `role`, or under a Bedrock API key where there are credentials.

    It is imported here: most processes never ask a reserve.
    """
    from tollgate.providers.bedrock.text import Bedrock  # noqa: PLC0415 - see above

    if credentials is None:
        return Bedrock(region, role)
    return Bedrock(region, role, credentials.key, credentials.base_url)
