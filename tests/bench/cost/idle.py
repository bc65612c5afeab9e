"""What a stack costs by the month when nobody uses it, from the template as it is deployed. Pure.

Free are, without traffic: API Gateway, CloudFront, Cognito, DynamoDB's streams, SNS, budgets without actions,
log groups, CodeDeploy. What the timers do was counted on the emulator (`tests/journey/test_cost.py` does it
again).
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from local.template import ROOT, Template, named
from tests.bench.cost.bill import LAMBDA_LOG_BYTES
from tests.bench.cost.prices import PRICES

KEPT = 2
"""Versions of a function: the one that runs and the one before (decision 0005)."""
MONTH_H = 730
HOUR_S = 3_600
REGION = "us-east-1"
POLLERS, LONG_POLL_S = 5, 20
"""Of Lambda at an empty queue: five at first (docs.aws.amazon.com/lambda/latest/dg/with-sqs.html). That
they are never fewer is INFERRED."""
KEY_CACHE_S = 300
"""For so long DynamoDB keeps a table's key before it asks KMS again (its developer guide, on encryption)."""
ARTIFACT_GB, TABLE_GB, BACKUPS = Decimal(1), Decimal("0.01"), 35
"""INFERRED: what ten deployments leave in the bucket of artifacts, and an empty service's rows."""


@dataclass(frozen=True, slots=True)
class Timer:
    """What one run of a timer takes while there is nothing to do, at most; `metrics`: how many of ours."""

    read_units: float
    ms: int
    log_bytes: int
    metrics: int = 0


TIMERS = {
    "SweepFunction": Timer(14, 250, 1_400, 4),
    "NotifyMembersFunction": Timer(4, 100, 600),
    "CloseAccountsFunction": Timer(6, 150, 600),
    "CheckLedgerFunction": Timer(8, 150, 1_400, 4),
}
TOUCHED = 5
"""Tables that the timers read within each five minutes: those of the sweep and of the closures."""


@dataclass(frozen=True, slots=True)
class Line:
    """One item of the bill."""

    what: str
    how: str
    usd: Decimal


def deployed(environment: str) -> dict[str, str]:
    """Return the parameters that samconfig.toml deploys `default` or `prod` with; prod has an alarm mail."""
    found = tomllib.loads((ROOT / "samconfig.toml").read_text())[environment]["deploy"]["parameters"]
    given = dict(each.split("=", 1) for each in found["parameter_overrides"])
    return given | ({"AlarmEmail": "ops@example.com"} if given["Stage"] == "prod" else {})


class Stack:
    """The resources that a deployment with some parameters has."""

    def __init__(self, template: Template, parameters: Mapping[str, str]) -> None:
        defaults = {name: str(each["Default"]) for name, each in template.source["Parameters"].items()}
        self._values = {**defaults, "AWS::Region": REGION, **parameters}
        self._conditions = template.source["Conditions"]
        self.resources = {
            name: each
            for name, each in template.resources.items()
            if "Condition" not in each or self.holds({"Condition": each["Condition"]})
        }

    def holds(self, condition: Any) -> bool:
        """Return whether a condition is true."""
        match condition:
            case {"Condition": name}:
                return self.holds(self._conditions[name])
            case {"Fn::Equals": [one, other]}:
                return self._value(one) == self._value(other)
            case {"Fn::Not": [inner]}:
                return not self.holds(inner)
            case {"Fn::And": inner}:
                return all(map(self.holds, inner))
            case {"Fn::Or": inner}:
                return any(map(self.holds, inner))
        raise ValueError(f"what is {condition}?")

    def chosen(self, value: Any) -> Any:
        """Return a value that may depend on a condition."""
        match value:
            case {"Fn::If": [name, then, other]}:
                return self.chosen(then if self.holds({"Condition": name}) else other)
        return value

    def of(self, kind: str) -> dict[str, Any]:
        """Return the properties of the resources of a type."""
        found = {name: each for name, each in self.resources.items() if each["Type"] == kind}
        return {name: each.get("Properties", {}) for name, each in found.items()}

    def _value(self, value: Any) -> str:
        return self._values[value["Ref"]] if isinstance(value, dict) else str(value)


def bill(stack: Stack) -> list[Line]:
    """Return the items of a month without traffic."""
    return [*_watching(stack), *_starts(stack), *_queues(stack), *_timers(stack), *_stores(stack)]


def total_usd(lines: list[Line]) -> Decimal:
    """Return what they come to."""
    return sum((line.usd for line in lines), Decimal(0))


def _each(count: int, one: str, price: str) -> Line:
    return Line(one, f"{count} × {PRICES[price].usd:f}", count * PRICES[price].usd)


def _watching(stack: Stack) -> Iterator[Line]:
    alarms = stack.of("AWS::CloudWatch::Alarm").values()
    metrics = sum(
        sum("MetricStat" in each for each in alarm["Metrics"]) if "Metrics" in alarm else 1
        for alarm in alarms
    )
    yield _each(metrics, "alarms, by their metrics", "alarm")
    yield _each(len(stack.of("AWS::CloudWatch::CompositeAlarm")), "composite alarms", "composite")
    yield _each(len(stack.of("AWS::CloudWatch::Dashboard")), "CloudWatch dashboards", "dashboard")


def _starts(stack: Stack) -> Iterator[Line]:
    memory_mb = sum(
        each["MemorySize"]
        for each in stack.of("AWS::Lambda::Function").values()
        if stack.chosen(each.get("SnapStart", {}).get("ApplyOn")) == "PublishedVersions"
    )
    # The version before stays, for `tollgate rollback`.
    gb = Decimal(memory_mb * KEPT) / 1024
    usd = gb * MONTH_H * HOUR_S * PRICES["snapshot_gb_s"].usd
    yield Line("SnapStart's snapshots", f"{gb:.2f} GB, {KEPT} versions", usd)


def _queues(stack: Stack) -> Iterator[Line]:
    sources = stack.of("AWS::Lambda::EventSourceMapping").values()
    queues = [each for each in sources if named(each["EventSourceArn"]).endswith("Queue")]
    asked = len(queues) * POLLERS * MONTH_H * HOUR_S // LONG_POLL_S
    yield Line(
        "polls of empty queues", f"{len(queues)} queues, {asked:,} requests", asked * PRICES["sqs"].usd
    )


def _timers(stack: Stack) -> Iterator[Line]:
    functions, metric_usd = stack.of("AWS::Lambda::Function"), Decimal(0)
    for function, runs in sorted(runs_a_month(stack).items()):
        timer = TIMERS[function]
        gb_s = Decimal(timer.ms * functions[function]["MemorySize"]) / 1000 / 1024
        one = PRICES["lambda_request"].usd + gb_s * PRICES["gb_s_arm"].usd + PRICES["timer"].usd
        one += Decimal(str(timer.read_units)) * PRICES["read_unit"].usd
        # Each run is the first request of its second, which X-Ray records.
        traced = functions[function]["TracingConfig"]["Mode"] == "Active"
        one += PRICES["traces"].usd if traced else 0
        one += PRICES["log_gb"].usd * (timer.log_bytes + LAMBDA_LOG_BYTES) / 10**9
        yield Line(f"runs of `{function}`", f"{runs:,} × {one * 10**6:.1f} a million", runs * one)
        # A metric is paid for by the hour in which it is written.
        hours = min(runs, MONTH_H) if function != "CheckLedgerFunction" else MONTH_H // 24
        metric_usd += timer.metrics * PRICES["metric"].usd * hours / MONTH_H
    yield Line(
        "our own metrics", f"{sum(each.metrics for each in TIMERS.values())}, some by the day", metric_usd
    )


def runs_a_month(stack: Stack) -> dict[str, int]:
    """Return how often each function is run by its timers."""
    minutes = {"minute": 1, "hour": 60, "day": 24 * 60}
    found: dict[str, int] = {}
    for rule in stack.of("AWS::Events::Rule").values():
        match = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", rule["ScheduleExpression"])
        assert match is not None, rule
        function = named(rule["Targets"][0]["Arn"])
        runs = MONTH_H * 60 // (int(match[1]) * minutes[match[2]])
        found[function] = found.get(function, 0) + runs
    return found


def _stores(stack: Stack) -> Iterator[Line]:
    yield _each(len(stack.of("AWS::SecretsManager::Secret")), "secrets", "secret")
    firewalls = stack.of("AWS::WAFv2::WebACL").values()
    yield _each(len(firewalls), "firewalls", "firewall")
    yield _each(sum(len(each["Rules"]) for each in firewalls), "rules of the firewall", "firewall_rule")
    asked = TOUCHED * MONTH_H * HOUR_S // KEY_CACHE_S
    yield Line("requests for tables' keys", f"{asked:,}", asked * PRICES["kms"].usd)
    backups = BACKUPS if stack.of("AWS::Backup::BackupPlan") else 0
    usd = ARTIFACT_GB * PRICES["s3_gb"].usd
    usd += TABLE_GB * (PRICES["table_gb"].usd + PRICES["pitr_gb"].usd + backups * PRICES["backup_gb"].usd)
    how = f"{ARTIFACT_GB} GB of artifacts, {TABLE_GB} GB of rows, {backups} copies of them"
    yield Line("storage", how, usd)
