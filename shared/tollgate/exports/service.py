"""Customers' settings of exports: show and change them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.exports.repository import ExportRepository, StaleExportsError
from tollgate.exports.request import read_exports
from tollgate.exports.settings import (
    BucketExportView,
    BucketTarget,
    ExportSettings,
    ExportsView,
    SpanExportView,
    SpanTarget,
    external_id,
)
from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.retry import retry_change
from tollgate.webhooks.receivers import check_host


@dataclass(frozen=True, slots=True)
class ExportService:
    """Shows and changes the exports of accounts. Each change is in the audit log.

    `guard` checks the addresses, and `exporter_arn` is the principal that writes into buckets. A key of a
    project cannot change exports, because these are of the account.
    """

    exports: ExportRepository
    audit: AuditLog
    guard: AddressGuard
    exporter_arn: str

    def get(self, account_id: str) -> ExportsView:
        """Return the settings, and the numbers of spans. The values of headers are never returned."""
        return self._view(account_id, self.exports.read(account_id))

    def change(
        self, account_id: str, body: Mapping[str, Any], by: ApiKey | None, who: str = OWNER
    ) -> ExportsView:
        """Change the exports that a body names; null ends one.

        `by` is the calling key; without one, the caller is the signed-in person `who`. Raises
        `InvalidInputError`, `ForbiddenError`, and `ConcurrencyLimitedError` if others changed the exports in
        every attempt.
        """
        if by is not None and by.project_id is not None:
            message = "A key of a project cannot change the exports of the account."
            raise ForbiddenError(message, "Use a key without a project.")
        actor = who if by is None else by.key_id

        def write() -> ExportSettings:
            known = self.exports.read(account_id)
            changed = read_exports(body, known, self.guard)
            if changed == known:
                return known
            self._check_hosts(known, changed)
            note = self.audit.note(account_id, actor, Action.EXPORTS_CHANGED, "Exports", _in_words(changed))
            self.exports.change(account_id, changed, note)
            return changed

        return self._view(account_id, retry_change(write, StaleExportsError, what="These exports are"))

    def _check_hosts(self, known: ExportSettings, changed: ExportSettings) -> None:
        if changed.webhook is not None and changed.webhook != known.webhook:
            check_host("/requestWebhook", changed.webhook, self.guard)
        if changed.spans is not None and changed.spans != known.spans:
            check_host("/spans/endpoint", changed.spans.endpoint, self.guard)

    def _view(self, account_id: str, found: ExportSettings) -> ExportsView:
        spans, bucket = found.spans, found.bucket
        return {
            "requestWebhook": found.webhook,
            "spans": None if spans is None else _spans_view(spans, self.exports.spans(account_id)),
            "bucket": None if bucket is None else _bucket_view(bucket, self.exports.days(account_id, bucket)),
            "exporterArn": self.exporter_arn,
            "externalId": external_id(account_id),
        }


def _spans_view(spans: SpanTarget, sent: Item) -> SpanExportView:
    shown: SpanExportView = {
        "endpoint": spans.endpoint,
        "headerNames": sorted(spans.headers),
        "sampleRate": spans.rate,
        "includeContent": spans.has_content,
        "sent": sent.get("sent", 0),
        "lost": sent.get("lost", 0),
    }
    if "sent_ms" in sent:
        shown["lastSentAt"] = iso(sent["sent_ms"])
    if "error" in sent:
        shown["lastError"] = sent["error"]
    return shown


def _bucket_view(bucket: BucketTarget, sent: Item) -> BucketExportView:
    shown: BucketExportView = {
        "name": bucket.name,
        "region": bucket.region,
        "prefix": bucket.prefix,
        "roleArn": bucket.role_arn,
    }
    if "day" in sent:
        shown["lastDay"] = sent["day"]
    if "sent_ms" in sent:
        shown["lastSentAt"] = iso(sent["sent_ms"])
    if "error" in sent:
        shown["lastError"] = sent["error"]
    return shown


def _in_words(found: ExportSettings) -> str:
    """Return which exports are on. Addresses can contain secrets, so they are left out."""
    named = {"webhook for requests": found.webhook, "spans": found.spans, "bucket": found.bucket}
    return ", ".join(name for name, target in named.items() if target is not None) or "off"
