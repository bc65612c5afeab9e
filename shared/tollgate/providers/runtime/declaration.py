"""A provider's declaration: one value, from which all lists of providers are derived.

It is used by the registry, the mappings, the credentials, the environment variables, the simulator, the table
in docs/providers/README.md, and the tests for every provider. It is light: it imports no HTTP client, and
imports a provider's mappings and adapter at their first use.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tollgate.kit.clock import Clock
from tollgate.routing.facts import UNKNOWN, DataPolicy, ProviderFacts

if TYPE_CHECKING:
    from tollgate.providers.mapping.fields import Mapper
    from tollgate.providers.runtime.base import MediaProvider

MEDIA = "tollgate.providers.media"

# For each part of a response, and for the whole response.
ANSWER_TIMEOUT_S = 60.0
# The longest timeout of a provider that responds with the result itself: less than a submit's lease.
MAX_ANSWER_TIMEOUT_S = 120.0
MAX_ANSWER_BYTES = 8 * 1024 * 1024
# Room for files of up to 24 MB in base64, more than the largest image. It is in memory several times.
MAX_INLINE_ANSWER_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Auth:
    """How a key is sent: in `header`, after an optional `scheme`. Without a header, the adapter sends it."""

    header: str = "authorization"
    scheme: str = "Bearer"

    def headers(self, key: str) -> dict[str, str]:
        """Return the header with `key`."""
        return {self.header: f"{self.scheme} {key}".lstrip()} if self.header else {}


@dataclass(frozen=True, slots=True)
class About:
    """The provider for people: its name, and the URL of its documentation."""

    title: str
    docs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAccount:
    """A provider of media or text, with one account and one key.

    `base_url` is the prefix of all paths; it is empty if only the credentials have an address. `env` is the
    variable of the key if it is not `<NAME>_API_KEY` (`None`: no key is needed). `address_env` is the
    variable of the address of a self-hosted provider. `simulator` is the path at the simulator after
    `/<name>`, if it differs from the path of `base_url`. `names` are its names in requests of OpenRouter's
    clients, besides its own. `data` is its handling of data under its default terms.
    """

    name: str
    about: About
    base_url: str = ""
    env: str | None = ""
    address_env: str | None = None
    simulator: str | None = None
    names: tuple[str, ...] = ()
    data: DataPolicy = UNKNOWN

    @property
    def facts(self) -> ProviderFacts:
        """Return the facts by which requests are routed."""
        return ProviderFacts(self.name, self.about.title, self.names, self.data)

    @property
    def key_env(self) -> str | None:
        """Return the variable of the key; `None` if no key is needed."""
        return f"{self.name.upper()}_API_KEY" if self.env == "" else self.env

    @property
    def self_hosted(self) -> bool:
        """Return whether it has no public address, and is available only if its credentials have one."""
        return self.address_env is not None

    @property
    def simulator_path(self) -> str:
        """Return the path of this provider at the simulator, including the path of its base URL."""
        own_path = urlsplit(self.base_url).path
        return f"/{self.name}{own_path if self.simulator is None else self.simulator}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider(ProviderAccount):
    """A media provider, in the folder of `providers/media/` with its name.

    There `mappings.MAPPINGS` has its mappers, by the names in the catalog's routes, and `media.Adapter` is
    its adapter (`runtime/adapter.py`).

    `text_paths` are possible ends of a base URL in the credentials of a vendor that also sells text; media
    are one level above. `headers` are sent with every request, besides the key in `auth`.
    `idempotency_header` is the header of an idempotency key, if the provider supports one: it runs the job
    once for each key.
    """

    text_paths: tuple[str, ...] = ()
    auth: Auth = Auth()
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_header: str | None = None
    answer_timeout_s: float = ANSWER_TIMEOUT_S
    max_answer_bytes: int = MAX_ANSWER_BYTES

    def mappers(self) -> "Mapping[str, Mapper]":
        """Return its mappings by name; imports their modules."""
        found: Mapping[str, Mapper] = self.module("mappings").MAPPINGS
        return found

    def connect(self, key: str, base_url: str | None = None) -> "MediaProvider":
        """Return its adapter with `key`, at `base_url` or its own address; imports the module."""
        made: MediaProvider = self.module("media").Adapter.connect(self, key, self.media_url(base_url))
        return made

    def built_in(self, clock: Clock) -> "MediaProvider":
        """Return the adapter of a provider that runs inside Tollgate; imports the module."""
        made: MediaProvider = self.module("media").Adapter(clock)
        return made

    def media_url(self, base_url: str | None) -> str:
        """Return the address for media; `base_url` is the address from its credentials, if there is one."""
        url = base_url or self.base_url
        for path in self.text_paths:
            url = url.removesuffix(path)
        return url

    def module(self, name: str) -> Any:
        """Import and return a module of its folder."""
        return import_module(f"{MEDIA}.{self.name}.{name}")
