"""The tokens of a connector, which is a chat product's API key (decision 0063). Pure.

The access token is the key's secret, which works for an hour. A refresh token returns the next access token
and the next refresh token. All tokens are derived from a secret of the service, a seed in the key's row and
the number of the refresh. So a lost response can be repeated, and the stored row is not enough to create a
token.
"""

import hmac
import re
from dataclasses import asdict, dataclass, replace
from enum import Enum, auto
from secrets import token_urlsafe

from tollgate.accounts.keys import NewKey, derived_key
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import Item

ACCESS_MS = 60 * 60 * MS_PER_S
"""The lifetime of an access token."""
OVERLAP_MS = 60 * MS_PER_S
"""After a refresh, the old refresh token receives the same response again, and the old access token works."""
_SEED_BYTES = 16
_REFRESH = re.compile(r"tg_refresh_([0-9A-Z]{26})_(\d{1,9})_([0-9A-Za-z]{39})")


@dataclass(frozen=True, slots=True)
class Connector:
    """The part of a key that only connectors have.

    `client` is the SHA-256 of the client's id. `host` is the address to which the client asked us to send the
    person back. `number` counts the refreshes, the last of which was at `refreshed_at_ms` (Unix ms).
    """

    client: str
    host: str
    seed: str
    number: int
    refreshed_at_ms: int

    @property
    def access_ends_ms(self) -> int:
        """Return when the access token ends, in Unix milliseconds."""
        return self.refreshed_at_ms + ACCESS_MS

    def next(self, now_ms: int) -> "Connector":
        """Return the connector after one more refresh."""
        return replace(self, number=self.number + 1, refreshed_at_ms=now_ms)

    def to_item(self) -> Item:
        """Return the connector as a map of the key's row."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A sent refresh token: the id of its key, the number of its refresh, and its secret part."""

    key_id: str
    number: int
    rest: str


class Turn(Enum):
    """The use of a refresh token."""

    NEXT = auto()  # It is the newest one: it gives the next tokens.
    AGAIN = auto()  # It was just used: it gives the same tokens again.
    REUSED = auto()  # It was used before, so it may be stolen.
    UNKNOWN = auto()  # It was never given out.


def new_connector(client: str, host: str, now_ms: int) -> Connector:
    """Return a connector with a fresh seed."""
    return Connector(client, host, token_urlsafe(_SEED_BYTES), 0, now_ms)


def access_token(key_id: str, connector: Connector, secret: str) -> NewKey:
    """Return the API key that is the connector's access token now."""
    return derived_key(key_id, f"{secret} {connector.seed} access {connector.number}")


def refresh_token(key_id: str, connector: Connector, secret: str) -> str:
    """Return the connector's refresh token: `tg_refresh_<id>_<number>_<secret>`."""
    return _refresh_text(key_id, connector.seed, connector.number, secret)


def read_refresh_token(text: str) -> RefreshToken | None:
    """Return the parts of a refresh token, or `None` if it has another form."""
    found = _REFRESH.fullmatch(text)
    return None if found is None else RefreshToken(f"key_{found[1]}", int(found[2]), found[3])


def turn_of(sent: RefreshToken, connector: Connector, secret: str, now_ms: int) -> Turn:
    """Return the use of a sent refresh token."""
    known = _refresh_text(sent.key_id, connector.seed, sent.number, secret)
    text = f"tg_refresh_{sent.key_id.removeprefix('key_')}_{sent.number}_{sent.rest}"
    if not hmac.compare_digest(text, known) or sent.number > connector.number:
        return Turn.UNKNOWN
    if sent.number == connector.number:
        return Turn.NEXT
    was_just_used = now_ms < connector.refreshed_at_ms + OVERLAP_MS
    return Turn.AGAIN if sent.number == connector.number - 1 and was_just_used else Turn.REUSED


def _refresh_text(key_id: str, seed: str, number: int, secret: str) -> str:
    made = derived_key(key_id, f"{secret} {seed} refresh {number}")
    return f"tg_refresh_{key_id.removeprefix('key_')}_{number}_{made.text.rpartition('_')[2]}"
