"""AWS's public list prices, us-east-1, on demand, first tier, no free tier. USD.

Looked up in November 2026 in public pages that quote AWS's own price lists (named beside each), as those
could not be reached; check a price at aws.amazon.com/<service>/pricing before you rely on it.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """A price in USD for one `unit`, and where it was found."""

    usd: Decimal
    unit: str
    source: str


def _per_million(usd: str, unit: str, source: str) -> Price:
    return Price(Decimal(usd) / MILLION, unit, source)


PRICES = {
    "gateway": _per_million(
        "3.50",
        "REST request (a streamed response: each 10 MB)",
        "go-cloud.io/aws-api-gateway-pricing; aws-news.com 2025-11-19 for streams",
    ),
    "lambda_request": _per_million("0.20", "Lambda request", "cloudchipr.com/blog/aws-lambda-pricing"),
    "gb_s": Price(Decimal("0.0000166667"), "GB-second on x86", "cloudchipr.com/blog/aws-lambda-pricing"),
    "gb_s_arm": Price(Decimal("0.0000133334"), "GB-second on Arm", "cloudchipr.com/blog/aws-lambda-pricing"),
    "write_unit": _per_million(
        "0.625", "DynamoDB write unit", "airbyte.com/data-engineering-resources/dynamodb-pricing"
    ),
    "read_unit": _per_million(
        "0.125", "DynamoDB read unit", "airbyte.com/data-engineering-resources/dynamodb-pricing"
    ),
    "sqs": _per_million("0.40", "SQS request", "cloudburn.io/blog/amazon-sqs-pricing"),
    "s3_put": _per_million("5.00", "S3 PUT or list", "INFERRED: $0.005 per 1000, unchanged for years"),
    "s3_get": _per_million("0.40", "S3 GET or HEAD", "INFERRED: $0.0004 per 1000, unchanged for years"),
    "log_gb": Price(Decimal("0.50"), "GB of logs, metrics in them", "go-cloud.io/aws-api-gateway-pricing"),
    "alarm": Price(
        Decimal("0.10"), "metric of an alarm, a month", "c3x.dev/resources/aws/aws_cloudwatch_metric_alarm"
    ),
    "composite": Price(
        Decimal("0.50"), "composite alarm, a month", "c3x.dev/resources/aws/aws_cloudwatch_metric_alarm"
    ),
    "metric": Price(
        Decimal("0.30"),
        "custom metric, a month",
        "c3x.dev/blog/aws-cloudwatch-metrics-cost",
    ),
    "dashboard": Price(
        Decimal("3.00"),
        "dashboard, a month",
        "factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards, of 2026-06-13",
    ),
    "snapshot_gb_s": Price(
        Decimal("0.0000015046"),
        "GB-second of a snapshot in SnapStart's cache",
        "awsnegotiations.com/blog/lambda-snapstart-cost-impact, of May 2026",
    ),
    "secret": Price(
        Decimal("0.40"),
        "secret, a month",
        "hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms",
    ),
    "firewall": Price(Decimal("5.00"), "web ACL, a month", "c3x.dev/blog/aws-waf-cost-explained"),
    "firewall_rule": Price(Decimal("1.00"), "rule of it, a month", "c3x.dev/blog/aws-waf-cost-explained"),
    "timer": _per_million("1.00", "run by a timer", "INFERRED: the price of a custom event, if not free"),
    "kms": _per_million("3.00", "request to KMS", "INFERRED: $0.03 per 10,000, unchanged for years"),
    "s3_gb": Price(Decimal("0.023"), "GB in S3, a month", "INFERRED: unchanged for years"),
    "table_gb": Price(Decimal("0.25"), "GB of a table, a month", "INFERRED: unchanged for years"),
    "pitr_gb": Price(Decimal("0.20"), "GB that can be restored to any second, a month", "INFERRED"),
    "backup_gb": Price(Decimal("0.10"), "GB of a backup, a month", "INFERRED"),
    "traces": _per_million("5.00", "X-Ray trace", "aws.amazon.com/xray/pricing"),
}

TRACED_SHARE = Decimal("0.05")
"""X-Ray records the first request of each second and 5 % of the others."""
