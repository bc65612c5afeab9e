"""The rows of all tables that are about one account, for their end. Deleting is harmless when repeated."""

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

# Rows of one table that one look at an account deletes; the rest is for the next.
MAX_ROWS = 2_000
# Why the account may not spend from then on.
ERASED = "Closed"
_ADDRESS = re.compile(r"[^\s@()<>,]+@[^\s@()<>,]+")
_KEY = re.compile(r"key_[0-9A-Z]{26}")


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables' names."""

    accounts: str
    api_keys: str
    audit: str
    deliveries: str
    lanes: str
    responses: str
    tasks: str
    usage: str
    low_balances: str


class NotReachedError(Exception):
    """There is more than one look may do, or a row changed meanwhile: the next look goes on."""


class MoneyCameError(NotReachedError):
    """Money came to the account since it was looked at: it is its owner's."""


@dataclass(frozen=True, slots=True)
class ErasureRepository:
    """Finds and deletes what is about one account."""

    db: Database
    tables: Tables

    def task_ids(self, account_id: str) -> list[str]:
        """Return the ids of tasks that are there still, at most `MAX_ROWS`."""
        rows = self._rows(self.tables.tasks, account_id, index="AccountIndex")
        return [row["task_id"] for row in rows]

    def delete_task(self, task_id: str) -> None:
        """Delete a task, its input included."""
        self.db.delete(self.tables.tasks, {"task_id": task_id})

    def delete_deliveries(self, account_id: str) -> None:
        """Delete webhooks' deliveries, and the lane that they went through. Raises `NotReachedError`."""
        for row in self._all(self.tables.deliveries, account_id, index="AccountIndex"):
            self.db.delete(self.tables.deliveries, {"delivery_id": row["delivery_id"]})
        self.db.delete(self.tables.lanes, {"account_id": account_id})

    def delete_responses(self, account_id: str) -> None:
        """Delete stored responses, and the counts of their days. Raises `NotReachedError`."""
        for row in self._all(self.tables.responses, account_id):
            self.db.delete(
                self.tables.responses, {"account_id": account_id, "response_id": row["response_id"]}
            )

    def delete_usage(self, account_id: str) -> None:
        """Delete the counts that statistics are made of. Raises `NotReachedError`."""
        for row in self._all(self.tables.usage, account_id):
            self.db.delete(self.tables.usage, {"account_id": account_id, "usage_day": row["usage_day"]})

    def delete_watch(self, account_id: str) -> None:
        """Delete what was set about a low balance: addresses, webhook, who at Stripe has the card."""
        self.db.delete(self.tables.low_balances, {"account_id": account_id})

    def scrub_keys(self, account_id: str) -> None:
        """Take names, networks and makers from the keys that the audit log knows; that they ended stays."""
        rows = self.db.query(self.tables.audit, Equals("account_id", account_id))
        for key_id in sorted({found for row in rows for found in _KEY.findall(row["subject"])}):
            row = self.db.get(self.tables.api_keys, {"key_id": key_id})
            if row is not None and row["account_id"] == account_id:
                self.db.write(
                    Write(
                        self.tables.api_keys,
                        key={"key_id": key_id},
                        update=(Remove("name"), Remove("networks"), Remove("models"), Remove("made_by")),
                        condition=Exists("key_id"),
                        refused=lambda _: NotReachedError("key"),
                    )
                )

    def scrub_audit(self, account_id: str) -> None:
        """Put pseudonyms in the place of addresses and of keys' names; who did what when stays.

        Raises `NotReachedError` after `MAX_ROWS` changed lines.
        """
        for log in Log:
            self._scrub_log(account_id, log)

    def _scrub_log(self, account_id: str, log: Log) -> None:
        left = MAX_ROWS
        key = partition(account_id, log)
        for row in self.db.query(self.tables.audit, Equals("account_id", key)):
            scrubbed = {name: scrub(account_id, row[name]) for name in ("actor", "subject", "detail")}
            if log is Log.ACCESS:
                # From where somebody signed in.
                scrubbed["detail"] = ""
            if row["action"].startswith("key.") and (found := _KEY.search(row["subject"])):
                scrubbed["subject"] = found[0]
            if row["action"] == Action.WEBHOOK_FAILING:
                scrubbed["subject"] = "Webhook"
            if any(row[name] != text for name, text in scrubbed.items()):
                # Lines stay, so it is the changed ones that are counted: the next look passes them over.
                left -= 1
                if left < 0:
                    raise NotReachedError(self.tables.audit)
                self.db.write(
                    Write(
                        self.tables.audit,
                        key={"account_id": key, "event_id": row["event_id"]},
                        update=tuple(Set(name, text) for name, text in scrubbed.items()),
                        condition=Exists("event_id"),
                        refused=lambda _: NotReachedError("event"),
                    )
                )

    def end_account(self, account_id: str, now_ms: int) -> None:
        """Note on an account's row that it is closed, where nothing is left on it.

        The row stays: the ledger is proven against it. Raises `MoneyCameError` for one with a balance.
        """
        has_nothing = Equals("balance_micro_usd", 0) & Equals("open_tasks", 0)
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
                refused=lambda _: MoneyCameError(account_id),
            )
        )

    def _all(self, table: str, account_id: str, index: str | None = None) -> Iterator[Item]:
        """Yield the rows of an account; raises `NotReachedError` after `MAX_ROWS` of them."""
        rows = self._rows(table, account_id, index)
        yield from rows
        if len(rows) == MAX_ROWS:
            raise NotReachedError(table)

    def _rows(self, table: str, account_id: str, index: str | None = None) -> list[Item]:
        found = self.db.query(table, Equals("account_id", account_id), index=index)
        return list(islice(found, MAX_ROWS))


def scrub(account_id: str, text: str) -> str:
    """Return a text with a pseudonym for each e-mail address in it: the same one for the same address."""
    return _ADDRESS.sub(lambda found: pseudonym(account_id, found[0]), text)


def pseudonym(account_id: str, email: str) -> str:
    """Return what an address is called in an account that is closed."""
    return f"former-member-{sha256(f'{account_id} {email}'.encode()).hexdigest()[:8]}"
