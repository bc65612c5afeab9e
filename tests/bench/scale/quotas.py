"""What AWS allows, where it says so, and when that was read. Defaults of an account, each in one region."""

from dataclasses import dataclass

READ = "2026-11-22"
NOT_READ = "not read again"
"""Known, and its page could not be reached: check it before relying on it."""


@dataclass(frozen=True, slots=True)
class Quota:
    """So much of `unit`, by the page at `url`; `rises` is how to have more, "" where nobody can."""

    name: str
    most: float
    unit: str
    url: str
    read: str
    rises: str


_AWS = "https://docs.aws.amazon.com"
_ON_REQUEST = "on request, free"

QUOTAS = {
    "gateway": Quota(
        "API Gateway, all APIs",
        10_000,
        "requests/s",
        f"{_AWS}/apigateway/latest/developerguide/limits.html",
        READ,
        f"{_ON_REQUEST}; 2,500 in newer regions",
    ),
    "lambda": Quota(
        "Lambda, all functions",
        1_000,
        "at once",
        f"{_AWS}/lambda/latest/dg/gettingstarted-limits.html",
        NOT_READ,
        f"{_ON_REQUEST}; a new account has 10",
    ),
    "lambda_growth": Quota(
        "Lambda, growth of one function",
        1_000,
        "more in 10 s",
        f"{_AWS}/lambda/latest/dg/scaling-behavior.html",
        READ,
        "",
    ),
    "mapping": Quota(
        "Lambda, workers of one queue",
        1_000,
        "at once",
        f"{_AWS}/lambda/latest/dg/services-sqs-scaling.html",
        READ,
        "a second queue",
    ),
    "row": Quota(
        "DynamoDB, one row or partition",
        1_000,
        "write units/s",
        "https://repost.aws/knowledge-center/on-demand-table-throttling-dynamodb",
        READ,
        "",
    ),
    "new_table": Quota(
        "DynamoDB, a new table",
        4_000,
        "write units/s",
        "https://repost.aws/knowledge-center/on-demand-table-throttling-dynamodb",
        READ,
        "automatic, to twice the peak of the last 30 minutes; WarmThroughput before a peak, paid once",
    ),
    "table": Quota(
        "DynamoDB, one table",
        40_000,
        "write units/s",
        f"{_AWS}/amazondynamodb/latest/developerguide/ServiceQuotas.html",
        READ,
        _ON_REQUEST,
    ),
    "in_flight": Quota(
        "SQS, messages in flight in one queue",
        120_000,
        "at once",
        f"{_AWS}/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html",
        READ,
        _ON_REQUEST,
    ),
    "s3_put": Quota(
        "S3, writes under one prefix",
        3_500,
        "requests/s",
        f"{_AWS}/AmazonS3/latest/userguide/optimizing-performance.html",
        READ,
        "automatic, by splitting prefixes",
    ),
    "s3_get": Quota(
        "S3, reads under one prefix",
        5_500,
        "requests/s",
        f"{_AWS}/AmazonS3/latest/userguide/optimizing-performance.html",
        READ,
        "automatic; CloudFront serves most reads",
    ),
    "secrets": Quota(
        "Secrets Manager, reads",
        10_000,
        "requests/s",
        "https://aws.amazon.com/about-aws/whats-new/2025/03/aws-secrets-manager-increases-api-requests-seconds/",
        READ,
        "",
    ),
    "parameters": Quota(
        "Systems Manager, parameters",
        40,
        "requests/s",
        f"{_AWS}/systems-manager/latest/userguide/parameter-store-throughput.html",
        READ,
        "higher throughput, $0.05 for 10,000 (INFERRED)",
    ),
    "cognito": Quota(
        "Cognito, sign-ins",
        120,
        "requests/s",
        f"{_AWS}/cognito/latest/developerguide/quotas.html",
        NOT_READ,
        "on request, paid",
    ),
    "mails": Quota(
        "SES, mails in its sandbox",
        1,
        "mails/s",
        f"{_AWS}/ses/latest/dg/quotas.html",
        NOT_READ,
        f"{_ON_REQUEST}: production access",
    ),
    "logs": Quota(
        "CloudWatch Logs, PutLogEvents",
        5_000,
        "requests/s",
        f"{_AWS}/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html",
        NOT_READ,
        f"{_ON_REQUEST}; metrics are log lines, so PutMetricData is never called",
    ),
    "cloudfront": Quota(
        "CloudFront, one distribution",
        250_000,
        "requests/s",
        f"{_AWS}/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html",
        NOT_READ,
        _ON_REQUEST,
    ),
}
