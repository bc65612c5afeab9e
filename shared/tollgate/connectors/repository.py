"""Authorization codes in DynamoDB, among the sessions, whose rows have an end."""

from dataclasses import dataclass
from hashlib import sha256

from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write

# A code is sent to the client at once, which redeems it at once (RFC 6749, section 4.1.2).
CODE_MS = 2 * 60 * MS_PER_S


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent: the key that the code will become, for one client and one address."""

    key: ApiKey
    client_id: str
    redirect_uri: str
    challenge: str
    who: str
    """The person's name, for the audit log."""

    def to_item(self) -> Item:
        """Return the consent as a part of a row."""
        return {
            "key": self.key.to_item(),
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "challenge": self.challenge,
            "who": self.who,
        }

    @classmethod
    def from_item(cls, item: Item) -> "Consent":
        """Return the consent that a row holds."""
        key = ApiKey.from_item(item["key"])
        return cls(key, item["client_id"], item["redirect_uri"], item["challenge"], item["who"])


class CodeRepository(OneTable):
    """Stores codes, each by its SHA-256. A code is used up when the row of its key exists."""

    def add(self, code: str, consent: Consent) -> None:
        """Store a new code."""
        expires_at_s = (consent.key.created_at_ms + CODE_MS) // MS_PER_S
        row = {"session_id": _id(code), "expires_at_s": expires_at_s, **consent.to_item()}
        self._db.write(Write(self._table, item=row))

    def get(self, code: str, now_ms: int) -> Consent | None:
        """Return the consent of a code; `None` for an unknown or an expired code."""
        found = self._find({"session_id": _id(code)}, Consent.from_item)
        is_live = found is not None and now_ms < found.key.created_at_ms + CODE_MS
        return found if is_live else None


def _id(code: str) -> str:
    return f"connector_code#{sha256(code.encode()).hexdigest()}"
