"""Keys for the chat page: the browser streams from the text routes itself, with a key that soon ends."""

from dataclasses import dataclass

from tollgate.accounts.keys import new_key
from tollgate.accounts.models import ApiKey, Scope
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.kit.clock import MS_PER_S, Clock

# A key that leaked is of use no longer than this; the page asks for another one in time.
LIFETIME_MS = 15 * 60 * MS_PER_S


@dataclass(frozen=True, slots=True)
class ChatKey:
    """A key that the page keeps in memory."""

    text: str
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class ChatKeys:
    """Makes keys that are good for text alone."""

    keys: ApiKeyRepository
    clock: Clock

    def make(self, account_id: str) -> ChatKey:
        """Return a new key of the account."""
        now_ms = self.clock.now_ms()
        made = new_key()
        expires_at_ms = now_ms + LIFETIME_MS
        scopes = frozenset({Scope.TEXT})
        self.keys.add(ApiKey(made.key_id, account_id, made.digest, scopes, now_ms, expires_at_ms))
        return ChatKey(made.text, expires_at_ms)
