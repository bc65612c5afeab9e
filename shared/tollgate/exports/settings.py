"""The settings of an account's exports, and how they are shown. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NotRequired

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.response_shapes import Date, DecimalText, Shape, Timestamp

ITEM = "exports"
"""The sort key of the settings in `BudgetsTable`, and the start of the keys of their other rows."""


@dataclass(frozen=True, slots=True)
class SpanTarget:
    """A receiver of spans. `rate` is a decimal from 0 to 1. The values of `headers` are secrets."""

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict)
    rate: str = "1"
    has_content: bool = False


@dataclass(frozen=True, slots=True)
class BucketTarget:
    """A bucket of the customer, and the customer's role that may write to it."""

    name: str
    region: str
    role_arn: str
    prefix: str = ""

    @property
    def owner(self) -> str:
        """Return the AWS account of the role, which must own the bucket."""
        return self.role_arn.split(":")[4]

    @property
    def address(self) -> str:
        """Return the region, bucket and prefix of the files. It does not depend on the role."""
        return f"{self.region}/{self.name}/{self.prefix}"


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """The exports of an account. `seq` counts the changes."""

    seq: int = 0
    webhook: str | None = None
    spans: SpanTarget | None = None
    bucket: BucketTarget | None = None

    @property
    def has_requests(self) -> bool:
        """Return whether each request that ends is exported."""
        return self.webhook is not None or self.spans is not None

    def to_item(self, account_id: str) -> Item:
        """Return the settings as a row."""
        row = {
            "seq": self.seq,
            "webhook": self.webhook,
            "spans": None if self.spans is None else asdict(self.spans),
            "bucket": None if self.bucket is None else asdict(self.bucket),
        }
        present = {name: value for name, value in row.items() if value is not None}
        return {"account_id": account_id, "item": ITEM, **present}

    @classmethod
    def from_item(cls, row: Mapping[str, Any]) -> "ExportSettings":
        """Return the settings in a row."""
        spans, bucket = row.get("spans"), row.get("bucket")
        return cls(
            row["seq"],
            row.get("webhook"),
            None if spans is None else SpanTarget(**spans),
            None if bucket is None else BucketTarget(**bucket),
        )


NO_EXPORTS = ExportSettings()


class SpanExportView(Shape):
    """A receiver of spans, and the numbers of its spans."""

    endpoint: str
    headerNames: list[str]
    """The names of the headers. Their values are never shown."""
    sampleRate: DecimalText
    includeContent: bool
    sent: int
    """Spans that the receiver accepted."""
    lost: int
    """Spans that it refused, or that could not be sent in any attempt."""
    lastSentAt: NotRequired[Timestamp]
    lastError: NotRequired[str]
    """The reason of the last failure; missing after a success."""


class BucketExportView(Shape):
    """A bucket that gets the files of each day."""

    name: str
    region: str
    prefix: str
    roleArn: str
    lastDay: NotRequired[Date]
    """The last day whose files are all in the bucket."""
    lastSentAt: NotRequired[Timestamp]
    lastError: NotRequired[str]
    """The reason of the last failure; missing after a success."""


class ExportsView(Shape):
    """The exports of an account."""

    requestWebhook: str | None
    """The address that gets the event `request.completed`."""
    spans: SpanExportView | None
    bucket: BucketExportView | None
    exporterArn: str
    """The principal that your role must trust."""
    externalId: str
    """The external id that your role must require."""


def external_id(account_id: str) -> str:
    """Return the external id of an account. No customer chooses it, so none can use another's role.

    Source: AWS IAM User Guide, "The confused deputy problem".
    """
    return f"tollgate-{account_id}"
