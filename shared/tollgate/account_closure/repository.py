"""An account's rows in all tables: found, deleted or pseudonymised. Every write can be repeated."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from tollgate.accounts.webhook_secrets import new_webhook_secret
from tollgate.audit.events import Action, Log, partition
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Equals, Exists, Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger.families import NO_MARKUP_IS_LEFT

# Rows of one table that one run deletes for an account. The next run continues.
MAX_ROWS = 2_000
# The reason of the suspension of a closed account.
ERASED = "Closed"
_ADDRESS = re.compile(r"[^\s@()<>,]+@[^\s@()<>,]+")
_KEY = re.compile(r"key_[0-9A-Z]{26}")
# Customers' names of keys, run tokens, projects and sub-accounts, each before the id: "Shop (key_…)".
_LABEL = re.compile(r"^.*\(((?:key|tok|prj|usr)_[0-9A-Z]{26})\)$", re.DOTALL)
_IN_PROJECT = re.compile(r"\bin .*\((prj_[0-9A-Z]{26})\)$", re.DOTALL)
# Actions whose subject is only a customer's name or a host, and the word that replaces it.
_SUBJECTS = {
    Action.WEBHOOK_FAILING: "Webhook",
    **dict.fromkeys(
        (Action.BUDGET_CREATED, Action.BUDGET_CHANGED, Action.BUDGET_DELETED, Action.BUDGET_REACHED), "Budget"
    ),
}
# Actions whose detail has a customer's texts: billing details, and the bucket and role of an export.
_PRIVATE_DETAILS = frozenset({Action.BILLING_CHANGED, Action.EXPORT_FAILING})


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of the tables."""

    accounts: str
    api_keys: str
    audit: str
    deliveries: str
    lanes: str
    responses: str
    tasks: str
    usage: str
    budgets: str
    low_balances: str


class ErasureUnfinishedError(Exception):
    """The run reached its limit, or another process changed a row. The next run continues."""


class BalanceLeftError(ErasureUnfinishedError):
    """The account has a balance or open tasks again. The money is its owner's, so nothing was erased."""


@dataclass(frozen=True, slots=True)
class ErasureRepository:
    """Deletes and pseudonymises the rows of one account."""

    db: Database
    tables: Tables

    def task_ids(self, account_id: str) -> list[str]:
        """Return the ids of the account's remaining tasks, at most `MAX_ROWS`."""
        rows = self._rows(self.tables.tasks, account_id, index="AccountIndex")
        return [row["task_id"] for row in rows]

    def delete_task(self, task_id: str) -> None:
        """Delete a task and its input."""
        self.db.delete(self.tables.tasks, {"task_id": task_id})

    def delete_deliveries(self, account_id: str) -> None:
        """Delete the deliveries of webhooks, and the row of their lane. Raises `ErasureUnfinishedError`."""
        for row in self._all(self.tables.deliveries, account_id, index="AccountIndex"):
            self.db.delete(self.tables.deliveries, {"delivery_id": row["delivery_id"]})
        self.db.delete(self.tables.lanes, {"account_id": account_id})

    def delete_responses(self, account_id: str) -> None:
        """Delete stored responses, and their counts per day. Raises `ErasureUnfinishedError`."""
        for row in self._all(self.tables.responses, account_id):
            self.db.delete(
                self.tables.responses, {"account_id": account_id, "response_id": row["response_id"]}
            )

    def delete_usage(self, account_id: str) -> None:
        """Delete the counts for statistics. Raises `ErasureUnfinishedError`."""
        for row in self._all(self.tables.usage, account_id):
            self.db.delete(self.tables.usage, {"account_id": account_id, "usage_day": row["usage_day"]})

    def delete_budgets(self, account_id: str) -> None:
        """Delete the budgets and what they have counted. Raises `ErasureUnfinishedError`."""
        for row in self._all(self.tables.budgets, account_id):
            self.db.delete(self.tables.budgets, {"account_id": account_id, "item": row["item"]})

    def delete_low_balance(self, account_id: str) -> None:
        """Delete the settings for a low balance: addresses, webhook, the customer id at Stripe."""
        self.db.delete(self.tables.low_balances, {"account_id": account_id})

    def scrub_keys(self, account_id: str) -> None:
        """Remove name, networks, models, creator and connected app from the account's keys.

        The audit log names the keys. The rows stay, as revoked keys.
        """
        rows = self.db.query(self.tables.audit, Equals("account_id", account_id))
        for key_id in sorted({found for row in rows for found in _KEY.findall(row["subject"])}):
            row = self.db.get(self.tables.api_keys, {"key_id": key_id})
            if row is not None and row["account_id"] == account_id:
                self.db.write(
                    Write(
                        self.tables.api_keys,
                        key={"key_id": key_id},
                        update=(
                            Remove("name"),
                            Remove("networks"),
                            Remove("models"),
                            Remove("made_by"),
                            Remove("connector"),
                        ),
                        condition=Exists("key_id"),
                        refused=lambda _: ErasureUnfinishedError("key"),
                    )
                )

    def scrub_audit(self, account_id: str) -> None:
        """Replace mail addresses by pseudonyms, and remove the customer's names, in the audit log.

        Each line keeps its action and time. Raises `ErasureUnfinishedError` after `MAX_ROWS` changed lines.
        """
        for log in Log:
            self._scrub_log(account_id, log)

    def _scrub_log(self, account_id: str, log: Log) -> None:
        left = MAX_ROWS
        key = partition(account_id, log)
        for row in self.db.query(self.tables.audit, Equals("account_id", key)):
            scrubbed = {name: scrub(account_id, row[name]) for name in ("actor", "subject", "detail")}
            # In the log of access: the IP address and the browser of a sign-in.
            is_private = log is Log.ACCESS or row["action"] in _PRIVATE_DETAILS
            scrubbed["detail"] = "" if is_private else _IN_PROJECT.sub(r"in \1", scrubbed["detail"])
            scrubbed["subject"] = _SUBJECTS.get(row["action"], _LABEL.sub(r"\1", scrubbed["subject"]))
            if any(row[name] != text for name, text in scrubbed.items()):
                # Only changed lines count towards the limit, so the next run continues after them.
                left -= 1
                if left < 0:
                    raise ErasureUnfinishedError(self.tables.audit)
                self.db.write(
                    Write(
                        self.tables.audit,
                        key={"account_id": key, "event_id": row["event_id"]},
                        update=tuple(Set(name, text) for name, text in scrubbed.items()),
                        condition=Exists("event_id"),
                        refused=lambda _: ErasureUnfinishedError("event"),
                    )
                )

    def end_account(self, account_id: str, now_ms: int) -> None:
        """Mark an account's row as closed, if its balance is 0 and no task is open.

        The row stays, because the ledger is checked against it. Raises `BalanceLeftError` otherwise.
        """
        has_nothing = Equals("balance_micro_usd", 0) & Equals("open_tasks", 0) & NO_MARKUP_IS_LEFT
        secrets = [new_webhook_secret(now_ms).to_item()]
        self.db.write(
            Write(
                self.tables.accounts,
                key={"account_id": account_id},
                update=(
                    Set("webhook_secrets", secrets),
                    Set("suspended", {"reason": ERASED, "at_ms": now_ms}),
                    Set("closed_at_ms", now_ms),
                ),
                condition=has_nothing,
                refused=lambda _: BalanceLeftError(account_id),
            )
        )

    def _all(self, table: str, account_id: str, index: str | None = None) -> Iterator[Item]:
        """Yield the rows of an account. Raises `ErasureUnfinishedError` after `MAX_ROWS` rows."""
        rows = self._rows(table, account_id, index)
        yield from rows
        if len(rows) == MAX_ROWS:
            raise ErasureUnfinishedError(table)

    def _rows(self, table: str, account_id: str, index: str | None = None) -> list[Item]:
        found = self.db.query(table, Equals("account_id", account_id), index=index)
        return list(islice(found, MAX_ROWS))


def scrub(account_id: str, text: str) -> str:
    """Return a text with each mail address replaced by its pseudonym."""
    return _ADDRESS.sub(lambda found: pseudonym(account_id, found[0]), text)


def pseudonym(account_id: str, email: str) -> str:
    """Return the pseudonym of a mail address. It is always the same for an account and an address."""
    return f"former-member-{sha256(f'{account_id} {email}'.encode()).hexdigest()[:8]}"
