"""The chat page's keys, created when a page requests one."""

from contextlib import suppress
from dataclasses import dataclass, field

from tollgate.accounts.chat_keys import LIFETIME_MS, chat_key_id, window_start_ms
from tollgate.accounts.keys import derived_key
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import AlreadyExistsError, ApiKeyRepository
from tollgate.accounts.scopes import Scope
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock, to_the_minute
from tollgate.kit.errors import ForbiddenError
from tollgate.members.service import Actor

ENDED = ("Your chat keys were revoked.", "Use the chat again after 10 minutes.")


@dataclass(frozen=True, slots=True)
class ChatKey:
    """A key that the page keeps in memory."""

    text: str
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class ChatKeys:
    """Creates keys with only the scope `text`. `secret` is known only to this service."""

    keys: ApiKeyRepository
    audit: AuditLog
    clock: Clock
    secret: str = field(repr=False)

    def make(self, account_id: str, who: Actor) -> ChatKey:
        """Return the person's key for the current window. The audit log records its creation.

        Raises `ForbiddenError` if the key was ended in this window.
        """
        start_ms = window_start_ms(self.clock.now_ms())
        made = derived_key(chat_key_id(account_id, who.identity_id, start_ms), self.secret)
        expires_at_ms = start_ms + LIFETIME_MS
        key = ApiKey(made.key_id, account_id, made.digest, frozenset({Scope.TEXT}), start_ms, expires_at_ms)
        detail = f"works until {to_the_minute(expires_at_ms)}"
        noted = self.audit.note(account_id, who.name, Action.CHAT_KEY_CREATED, "Chat", detail)
        with suppress(AlreadyExistsError):
            self.keys.add(key, noted)
            return ChatKey(made.text, expires_at_ms)
        # The key exists: another page of this person created it, or it was ended.
        found = self.keys.get(made.key_id)
        if found is None or found.revoked_at_ms is not None or found.digest != made.digest:
            raise ForbiddenError(*ENDED)
        return ChatKey(made.text, expires_at_ms)
