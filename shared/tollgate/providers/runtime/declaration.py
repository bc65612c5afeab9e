"""What a provider declares about itself: one value, from which all lists of providers are made.

The registry, the names of the mappings, the credentials, the environment variables, the simulator's
addresses, the table in docs/providers/README.md and the tests that hold for every provider read it. Light: it
imports no HTTP client, and a provider's mappings and adapter are imported when they are first used.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tollgate.kit.clock import Clock

if TYPE_CHECKING:
    from tollgate.providers.mapping.fields import Mapper
    from tollgate.providers.runtime.base import MediaProvider

MEDIA = "tollgate.providers.media"

# For each part of an answer to arrive, and for all of it.
ANSWER_TIMEOUT_S = 60.0
# The most that a provider which answers with the result itself may take: less than a submit's lease.
MAX_ANSWER_TIMEOUT_S = 120.0
MAX_ANSWER_BYTES = 8 * 1024 * 1024
# With files of up to 24 MB in it, as base64: more than the largest image; it is in memory a few times.
MAX_INLINE_ANSWER_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Auth:
    """How a key is sent: in `header`, after `scheme` where there is one. No header: the adapter sends it."""

    header: str = "authorization"
    scheme: str = "Bearer"

    def headers(self, key: str) -> dict[str, str]:
        """Return the header that carries `key`."""
        return {self.header: f"{self.scheme} {key}".lstrip()} if self.header else {}


@dataclass(frozen=True, slots=True)
class About:
    """Who a provider is, for people: its name as it writes it, and the address of its documentation."""

    title: str
    docs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAccount:
    """Whom we have an account with, for media or text; a vendor of both has one name and one key.

    `base_url` is its own address, below which all paths are: empty where only its credentials name one.
    `env` is the variable of its key where that is not `<NAME>_API_KEY` (`None`: it needs no key),
    `address_env` that of its address, where it is self-hosted. `simulator` is the path of the simulator's
    address, after the prefix `/<name>`, where that is not the path of `base_url`.
    """

    name: str
    about: About
    base_url: str = ""
    env: str | None = ""
    address_env: str | None = None
    simulator: str | None = None

    @property
    def key_env(self) -> str | None:
        """Return the variable of its key, `None` where it needs no key."""
        return f"{self.name.upper()}_API_KEY" if self.env == "" else self.env

    @property
    def self_hosted(self) -> bool:
        """Return whether it has no public address: it is there only where its credentials name one."""
        return self.address_env is not None

    @property
    def simulator_path(self) -> str:
        """Return where the simulator speaks for it, as its base URL has it."""
        own_path = urlsplit(self.base_url).path
        return f"/{self.name}{own_path if self.simulator is None else self.simulator}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider(ProviderAccount):
    """A provider of media, in the folder of `providers/media/` that has its name.

    There `mappings.MAPPINGS` has its mappers by the names that the catalog's routes use, and `media.Adapter`
    is how it is asked (`runtime/adapter.py`).

    `text_paths` are what the base URL beside a key may end with where the vendor sells text as well; media
    are one level above. `headers` go with every request, besides the key as `auth` says. `idempotency_header`
    is of those that take a key with a submit, and do the job once however often it comes.
    """

    text_paths: tuple[str, ...] = ()
    auth: Auth = Auth()
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_header: str | None = None
    answer_timeout_s: float = ANSWER_TIMEOUT_S
    max_answer_bytes: int = MAX_ANSWER_BYTES

    def mappers(self) -> "Mapping[str, Mapper]":
        """Return its mappings by name; their modules are imported now."""
        found: Mapping[str, Mapper] = self.module("mappings").MAPPINGS
        return found

    def connect(self, key: str, base_url: str | None = None) -> "MediaProvider":
        """Return its adapter under `key`, at `base_url` where that is not its own; imported now."""
        made: MediaProvider = self.module("media").Adapter.connect(self, key, self.media_url(base_url))
        return made

    def built_in(self, clock: Clock) -> "MediaProvider":
        """Return the adapter of a provider that is this service itself; imported now."""
        made: MediaProvider = self.module("media").Adapter(clock)
        return made

    def media_url(self, base_url: str | None) -> str:
        """Return the address of media, where `base_url` is the one of its credentials, if they name one."""
        url = base_url or self.base_url
        for path in self.text_paths:
            url = url.removesuffix(path)
        return url

    def module(self, name: str) -> Any:
        """Return a module of its folder, imported now."""
        return import_module(f"{MEDIA}.{self.name}.{name}")
