"""Two stacks of one account and region, side by side: no metric of one reaches an alarm of the other."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from local.template import ROOT, Properties, Template
from tollgate.kit.observability import NAMESPACE_VARIABLE, emit, emit_provider_error

Metric = tuple[str, str, frozenset[tuple[str, str]]]
"""Namespace, name, dimensions: what CloudWatch tells metrics apart by."""

STACKS = ("tollgate-dev", "tollgate-prod")
ACCOUNT_WIDE = {"AccountConcurrencyAlarm"}
"""Alarms about what all stacks of an account share."""


class TestAlarms:
    def test_no_two_of_different_stacks_watch_one_metric(self, template: Template) -> None:
        dev, prod = ({each for _, each in watched(template, stack)} for stack in STACKS)
        assert len(dev) == len(prod) > 30
        assert dev & prod == set()

    def test_those_that_watch_the_account_are_named(self, template: Template) -> None:
        shared = {
            name for name, alarm in alarms(template).items() for each in metrics(alarm) if is_shared(each)
        }
        assert shared == ACCOUNT_WIDE

    def test_a_metric_belongs_to_its_stack_by_namespace_or_by_dimension(self, template: Template) -> None:
        for stack in STACKS:
            for name, (namespace, _, dimensions) in watched(template, stack):
                assert namespace == f"Tollgate/{stack}" or any(stack in each[1] for each in dimensions), name


class TestWhatIsWritten:
    @pytest.mark.parametrize("stack", STACKS)
    def test_every_function_writes_where_its_own_alarms_listen(
        self,
        template: Template,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        stack: str,
    ) -> None:
        (other,) = set(STACKS) - {stack}
        listened = {each for _, each in watched(template, stack) if each[0].startswith("Tollgate")}
        names = sorted(name for _, name, dimensions in listened if dimensions)
        assert len(names) > 10
        for function in template.functions():
            namespace = resolved(template.variables(function)[NAMESPACE_VARIABLE], stack)
            monkeypatch.setenv(NAMESPACE_VARIABLE, namespace)
            emit(dict.fromkeys(names, 1))
            emit_provider_error("fal", is_ours=True)
            written = set(read(capsys))
            heard = {each for each in listened if each[2]}
            assert heard <= written, function
            assert written & {each for _, each in watched(template, other)} == set(), function

    def test_the_gateways_log_is_counted_there_too(self, template: Template) -> None:
        for stack in STACKS:
            counted: set[Metric] = {
                (resolved(each["MetricNamespace"], stack), each["MetricName"], frozenset())
                for filtered in template.of_type("AWS::Logs::MetricFilter").values()
                for each in filtered["MetricTransformations"]
            }
            listened = {each for _, each in watched(template, stack) if each[0].startswith("Tollgate")}
            assert counted == {each for each in listened if not each[2]}

    def test_nothing_but_emit_writes_metrics(self) -> None:
        writers = {
            path.relative_to(ROOT).as_posix()
            for folder in ("shared", "functions", "layers")
            for path in (ROOT / folder).rglob("*.py")
            if re.search(r"aws_lambda_powertools.metrics|CloudWatchMetrics|put_metric_data", path.read_text())
        }
        assert writers == {"shared/tollgate/kit/observability.py"}

    def test_what_is_in_no_stack_reaches_no_alarm(
        self, template: Template, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv(NAMESPACE_VARIABLE, raising=False)
        emit({"LedgerDrift": 1})
        written = set(read(capsys))
        assert [name for _, name, _ in written] == ["LedgerDrift"]
        for stack in STACKS:
            assert written & {each for _, each in watched(template, stack)} == set()


def read(capsys: pytest.CaptureFixture[str]) -> Iterator[Metric]:
    """Return the metrics that CloudWatch makes of the lines that were written."""
    for line in map(json.loads, capsys.readouterr().out.splitlines()):
        for directive in line["_aws"]["CloudWatchMetrics"]:
            for keys in directive["Dimensions"]:
                dimensions = frozenset((key, line[key]) for key in keys)
                for metric in directive["Metrics"]:
                    yield directive["Namespace"], metric["Name"], dimensions


def alarms(template: Template) -> dict[str, Properties]:
    return template.of_type("AWS::CloudWatch::Alarm")


def watched(template: Template, stack: str) -> list[tuple[str, Metric]]:
    """Return what the alarms of a stack listen to, with their names, but for the account's own."""
    return [
        (name, metric)
        for name, alarm in alarms(template).items()
        if name not in ACCOUNT_WIDE
        for metric in (resolved_metric(each, stack) for each in metrics(alarm))
    ]


def metrics(alarm: Properties) -> list[Properties]:
    """Return each metric of an alarm as written: one, or those of its expression."""
    if "Metrics" in alarm:
        return [each["MetricStat"]["Metric"] for each in alarm["Metrics"] if "MetricStat" in each]
    return [alarm]


def is_shared(metric: Properties) -> bool:
    """Return whether a metric is AWS's own and about no resource."""
    return str(metric["Namespace"]).startswith("AWS/") and not metric.get("Dimensions")


def resolved_metric(metric: Properties, stack: str) -> Metric:
    dimensions = frozenset(
        (each["Name"], resolved(each["Value"], stack)) for each in metric.get("Dimensions", [])
    )
    return resolved(metric["Namespace"], stack), metric["MetricName"], dimensions


def resolved(value: Any, stack: str) -> str:
    """Return the text that an intrinsic stands for in a stack. CloudFormation's names begin so."""
    match value:
        case {"Ref": "AWS::StackName"}:
            return stack
        case {"Ref": str(name)} | {"Fn::GetAtt": [str(name), *_]}:
            return f"{stack}-{name}"
        case {"Fn::Sub": str(text)}:
            return re.sub(r"\$\{(.+?)\}", lambda found: resolved({"Ref": found[1]}, stack), text)
        case str():
            return value
        case _:
            raise ValueError(f"not expected here: {json.dumps(value)}")
