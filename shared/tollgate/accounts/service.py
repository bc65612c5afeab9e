"""Opening accounts, and showing them."""

from dataclasses import dataclass, replace

from tollgate.accounts.keys import new_key
from tollgate.accounts.models import Account, ApiKey
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.accounts.views import EndingRequestView
from tollgate.accounts.webhook_secrets import new_webhook_secret
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import RequestNotFoundError
from tollgate.kit.ids import is_id, new_id
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import MAX_HOLDS, AlreadyResolvedError
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.wallets import Limits, wallets_for

FIRST_KEY_NAME = "First key"


@dataclass(frozen=True, slots=True)
class OpenedAccount:
    """A new account with its first key, which is shown now and never again.

    `webhook_secret` signs its webhooks; its owner can rotate it.
    """

    account_id: str
    api_key: str
    webhook_secret: str


class AccountService:
    """Opens accounts and shows them."""

    def __init__(
        self, accounts: AccountRepository, keys: ApiKeyRepository, ledger: LedgerRepository, clock: Clock
    ) -> None:
        self._accounts = accounts
        self._keys = keys
        self._ledger = ledger
        self._clock = clock

    def me(self, account_id: str) -> Account:
        """Return the account. Raises `UserNotFoundError`."""
        return self._accounts.existing(account_id)

    def end_request(self, caller: Caller, request_id: str) -> EndingRequestView:
        """Ask a running text request to end; its process looks every 5 s.

        A run token ends only its own. Raises `RequestNotFoundError`.
        """
        if not is_id("req", request_id):
            raise RequestNotFoundError
        if caller.token is not None and not self._is_of_token(caller.account_id, request_id, caller.token):
            raise RequestNotFoundError
        try:
            self._ledger.request_end(caller.account_id, request_id)
        except AlreadyResolvedError as exc:
            raise RequestNotFoundError from exc
        return {"requestId": request_id, "ending": True}

    def _is_of_token(self, account_id: str, request_id: str, token: str) -> bool:
        """Return whether the budget of a run token counts the hold of a request."""
        holds = [hold for hold in self.me(account_id).holds if hold.request_id == request_id]
        return any(item.startswith(f"{token}#") for hold in holds for item in hold.budgets)

    def limit(self, account_id: str, limits: Limits) -> Limits:
        """Set an account's own limits, with as many rows as its text requests need; return them.

        It keeps the rows that it has. Raises `UserNotFoundError`.
        """
        had = self.me(account_id).limits.wallets
        wallets = max(had, wallets_for(limits.text_at_once or MAX_HOLDS, MAX_HOLDS))
        self._ledger.wallets.set_limits(account_id, replace(limits, wallets=wallets))
        return self.me(account_id).limits

    def new_row(self, account: Account, limits: Limits) -> Write:
        """Return the write of a new account with these limits, which must not need several rows."""
        return self._accounts.new(account, limits)

    def open(self, credit_micro_usd: int) -> OpenedAccount:
        """Open an account with a key of all scopes and `credit_micro_usd` on it."""
        now_ms = self._clock.now_ms()
        account = new_account(now_ms)
        self._accounts.add(account)
        if credit_micro_usd:
            entry = Entry(account.account_id, new_id("credit"), EntryKind.CREDIT, credit_micro_usd, now_ms)
            self._ledger.credit(entry)
        key = new_key()
        first = ApiKey(
            key.key_id, account.account_id, key.digest, ALL_SCOPES, now_ms, name=FIRST_KEY_NAME, listed=True
        )
        self._keys.add(first, self._accounts.count_key(account.account_id))
        return OpenedAccount(account.account_id, key.text, account.webhook_secrets[0].text)


def new_account(now_ms: int) -> Account:
    """Return a fresh account with nothing on it, not stored yet."""
    return Account(new_id("usr"), 0, 0, now_ms, (new_webhook_secret(now_ms),))
