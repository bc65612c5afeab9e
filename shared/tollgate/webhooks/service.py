"""The customer's side of webhooks: list deliveries, send one again, test a URL, rotate the secret."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.repository import AccountRepository, StaleSecretsError
from tollgate.accounts.webhook_secrets import (
    WebhookSecret,
    WebhookSecretsView,
    live_secrets,
    new_webhook_secret,
    rotated,
)
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.pages import Page, read_page
from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.observability import correlation_id
from tollgate.kit.rotation import old_secret_ends
from tollgate.webhooks.errors import DeliveryNotFoundError
from tollgate.webhooks.models import Delivery, DeliveryPageView, DeliveryView, delivery_ids_of, is_delivery_id
from tollgate.webhooks.receivers import check_host
from tollgate.webhooks.repository import DeliveryRepository, StaleDeliveryError
from tollgate.webhooks.request import DeliveryQuery, read_query, read_rotation, read_test
from tollgate.webhooks.schedule import new_test_delivery, redelivered

# Attempts at a redelivery or a rotation that competes with other writes.
MAX_CHANGE_ATTEMPTS = 3
# The subject in the audit log, which never contains the secret's text.
SIGNING_SECRET = "Webhook signing secret"  # noqa: S105 - its name


@dataclass(frozen=True, slots=True)
class WebhookService:
    """Shows and repeats deliveries; another account's delivery raises `DeliveryNotFoundError`.

    Source: site/webhooks.md.
    """

    deliveries: DeliveryRepository
    accounts: AccountRepository
    queue: Callable[[], Queue]
    guard: AddressGuard
    audit: AuditLog
    clock: Clock

    def page(self, account_id: str, query: Mapping[str, str]) -> DeliveryPageView:
        """Return `{deliveries, cursor}`, the newest first; `cursor` is missing on the last page.

        `query` may have `state`, `taskId`, `limit` and `cursor`. Raises `InvalidInputError`.
        """
        page = self._page(account_id, read_query(query))
        shown: DeliveryPageView = {"deliveries": [delivery.view() for delivery in page.rows]}
        if page.cursor is not None:
            shown["cursor"] = page.cursor
        return shown

    def get(self, account_id: str, delivery_id: str) -> DeliveryView:
        """Return a delivery with its attempts. Raises `DeliveryNotFoundError`."""
        return self._find(account_id, delivery_id).view()

    def redeliver(self, account_id: str, delivery_id: str) -> DeliveryView:
        """Send a delivery again now, with the same `webhook-id`; return it with its new state.

        A delivery that is due or being sent is not changed, so a double click sends once. Raises
        `DeliveryNotFoundError`, `RedeliveryLimitError`, and `ConcurrencyLimitedError` if workers wrote it in
        every attempt.
        """
        for _ in range(MAX_CHANGE_ATTEMPTS):
            found = self._find(account_id, delivery_id)
            again = redelivered(found, self.clock.now_ms())
            if again is None:
                return found.view()
            try:
                self.deliveries.save(again)
            except StaleDeliveryError:
                continue
            self._send_message(again)
            return again.view()
        raise ConcurrencyLimitedError("This delivery is being sent.")

    def send_test(self, account_id: str, body: Mapping[str, Any]) -> DeliveryView:
        """Send one test event to the URL in `{url}`; return its delivery, which `get` shows later.

        A worker sends it, because the API functions never connect to customers' servers. Raises
        `InvalidInputError`, and `ConcurrencyLimitedError` for more than one test in `TEST_GAP_MS`.
        """
        url = read_test(body, self.guard)
        check_host("/url", url, self.guard)
        test = new_test_delivery(account_id, url, self.clock.now_ms(), correlation_id())
        try:
            self.deliveries.add(test)
        except StaleDeliveryError as exc:
            found = self._find(account_id, test.delivery_id)
            if found.url != url:
                raise ConcurrencyLimitedError("Another test was just sent.") from exc
            return found.view()
        self._send_message(test)
        return test.view()

    def secrets(self, account_id: str) -> WebhookSecretsView:
        """Return `{secrets}`: the secrets that sign now, the newest first. Raises `UserNotFoundError`."""
        return self._secrets_view(self.accounts.existing(account_id).webhook_secrets)

    def rotate(self, account_id: str, body: Mapping[str, Any], who: str = OWNER) -> WebhookSecretsView:
        """Create a new secret; return `{secrets}`. The old one also signs for `overlapS` seconds of `body`.

        The same transaction notes it in the audit log, with the actor `who`. Raises `InvalidInputError`,
        `UserNotFoundError`, and `RotationInProgressError` while an earlier rotation's old secret is valid: a
        double click rotates once.
        """
        overlap_s = read_rotation(body)
        for _ in range(MAX_CHANGE_ATTEMPTS):
            now_ms = self.clock.now_ms()
            known = self.accounts.existing(account_id).webhook_secrets
            new = rotated(known, new_webhook_secret(now_ms), overlap_s, now_ms)
            left = old_secret_ends(now_ms, overlap_s)
            try:
                noted = self.audit.note(account_id, who, Action.WEBHOOK_SECRET_ROTATED, SIGNING_SECRET, left)
                self.accounts.replace_webhook_secrets(account_id, known, new, noted)
            except StaleSecretsError:
                continue
            return self._secrets_view(new)
        raise ConcurrencyLimitedError("This account's secret is being rotated.")

    def _page(self, account_id: str, wanted: DeliveryQuery) -> Page[Delivery]:
        if wanted.task_id is not None:
            # The deliveries of a task have ids that are known.
            found = self.deliveries.get_all(delivery_ids_of(wanted.task_id))
            mine = [one for one in found if one.account_id == account_id and wanted.matches(one)]
            return Page(sorted(mine, key=lambda one: one.created_at_ms, reverse=True), None)
        return read_page(
            wanted.before,
            wanted.limit,
            lambda before, limit: self.deliveries.delivery_ids(account_id, before, limit),
            self._by_id,
            wanted.matches,
        )

    def _by_id(self, delivery_ids: Sequence[str]) -> dict[str, Delivery]:
        return {one.delivery_id: one for one in self.deliveries.get_all(delivery_ids)}

    def _find(self, account_id: str, delivery_id: str) -> Delivery:
        found = self.deliveries.get(delivery_id) if is_delivery_id(delivery_id) else None
        if found is None or found.account_id != account_id:
            raise DeliveryNotFoundError
        return found

    def _secrets_view(self, secrets: Sequence[WebhookSecret]) -> WebhookSecretsView:
        return {"secrets": [secret.view() for secret in live_secrets(secrets, self.clock.now_ms())]}

    def _send_message(self, delivery: Delivery) -> None:
        # If a crash prevents this, the sweeper sends the message.
        self.queue().send({"delivery_id": delivery.delivery_id, "seq": delivery.seq})
