"""The token of a directory: `tg_scim_<account>_<secret><checksum>`. Pure; only a hash is ever stored.

Like an API key, it has 192 random bits, and a checksum by which a leaked token is recognised and a wrong one
refused without a read. It is no API key: it opens only the SCIM routes of its account.
"""

import secrets

from tollgate.accounts.keys import CHECKSUM_CHARACTERS, checksum
from tollgate.kit.ids import is_id

PREFIX = "tg_scim_"
_ACCOUNT = "usr"
_SECRET_BYTES = 24


def new_token(account_id: str) -> str:
    """Generate a token from the system's random generator."""
    start = f"{PREFIX}{account_id.removeprefix(f'{_ACCOUNT}_')}_{secrets.token_hex(_SECRET_BYTES)}"
    return start + checksum(start)


def account_of(token: str) -> str | None:
    """Return the account of a well-formed token, or `None` if it cannot be a token of this service."""
    if not token.isascii() or not token.startswith(PREFIX):
        return None
    start, sum_sent = token[:-CHECKSUM_CHARACTERS], token[-CHECKSUM_CHARACTERS:]
    account_id = f"{_ACCOUNT}_{token.removeprefix(PREFIX).partition('_')[0]}"
    return account_id if is_id(_ACCOUNT, account_id) and checksum(start) == sum_sent else None
