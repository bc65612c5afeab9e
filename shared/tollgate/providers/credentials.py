"""The media providers that have credentials, read from the secret."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tollgate.kit.clock import Clock
from tollgate.providers.base import MediaProvider
from tollgate.providers.registry import make_providers
from tollgate.providers.secret import REFRESH_MS, read_credentials

if TYPE_CHECKING:
    from types_boto3_secretsmanager import SecretsManagerClient


class ProviderSource:
    """The providers that have credentials, made from the secret and remembered for a while."""

    def __init__(self, read_secret: Callable[[], str], clock: Clock) -> None:
        self._read_secret = read_secret
        self._clock = clock
        self._providers: dict[str, MediaProvider] = {}
        self._read_at_ms: int | None = None

    def providers(self) -> dict[str, MediaProvider]:
        """Give the providers by name. Raises pydantic's `ValidationError` for a malformed secret."""
        now_ms = self._clock.now_ms()
        if self._read_at_ms is None or now_ms - self._read_at_ms >= REFRESH_MS:
            found = read_credentials(self._read_secret())
            keys = {name: credentials.key for name, credentials in found.items()}
            urls = {name: entry.base_url for name, entry in found.items() if entry.base_url}
            self._providers = make_providers(keys, urls)
            self._read_at_ms = now_ms
        return self._providers


def secret_reader(client: "SecretsManagerClient", arn: str) -> Callable[[], str]:
    """Give a function that reads the secret's text."""
    return lambda: client.get_secret_value(SecretId=arn)["SecretString"]
