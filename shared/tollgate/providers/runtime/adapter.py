"""What all adapters that speak HTTP have in common."""

from typing import ClassVar, Self

from tollgate.providers.runtime.declaration import Provider
from tollgate.providers.runtime.http import ProviderHttp


class MediaAdapter:
    """A provider's wire, over its HTTP API."""

    http_type: ClassVar[type[ProviderHttp]] = ProviderHttp

    def __init__(self, http: ProviderHttp) -> None:
        self._http = http

    @classmethod
    def connect(cls, declared: Provider, key: str, base_url: str) -> Self:
        """Return the adapter at `base_url`, under `key`, which is sent as the provider declares."""
        headers = {**declared.auth.headers(key), **declared.headers}
        bounds = (declared.answer_timeout_s, declared.max_answer_bytes)
        return cls(cls.http_type(base_url, key, headers, *bounds))
