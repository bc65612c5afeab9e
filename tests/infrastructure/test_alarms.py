"""What rings, and that somebody hears it."""

import re

import pytest

from local.template import ROOT, Properties, Template, named

Signal = tuple[str, str, int]
"""Metric, what it is measured on (a dimension's value), threshold."""


class TestAlarms:
    def test_every_dead_letter_rings(self, template: Template) -> None:
        queues = [name for name in template.of_type("AWS::SQS::Queue") if "DeadLetter" in name]
        assert len(queues) == 4
        for queue in queues:
            assert ("ApproximateNumberOfMessagesVisible", f"{queue}.QueueName", 0) in _signals(template)

    def test_every_function_that_fails_rings_within_5_minutes(self, template: Template) -> None:
        for function in template.functions():
            assert ("Errors", function, 0) in _signals(template)
            assert _alarms(template)[function.replace("Function", "ErrorsAlarm")]["Period"] == 300

    def test_work_that_waits_rings(self, template: Template) -> None:
        half_hour_s, five_minutes_ms = 1800, 300_000
        assert ("ApproximateAgeOfOldestMessage", "TaskQueue.QueueName", half_hour_s) in _signals(template)
        assert ("ApproximateAgeOfOldestMessage", "WebhookQueue.QueueName", half_hour_s) in _signals(template)
        assert ("IteratorAge", "DispatchChangesFunction", five_minutes_ms) in _signals(template)
        assert ("IteratorAge", "RecordUsageFunction", five_minutes_ms) in _signals(template)

    def test_a_balance_that_is_not_its_ledger_rings(self, template: Template) -> None:
        alarm = _alarms(template)["LedgerDriftAlarm"]
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Threshold"]) == ("Tollgate", "LedgerDrift", 0)
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_a_catalog_that_is_refused_rings(self, template: Template) -> None:
        alarm = _alarms(template)["CatalogRefusedAlarm"]
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Threshold"]) == (
            "Tollgate",
            "CatalogRefused",
            0,
        )
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_a_payment_that_is_on_no_account_rings(self, template: Template) -> None:
        alarm = _alarms(template)["PaymentToCheckAlarm"]
        expected = ("Tollgate", "PaymentToCheck", 0)
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Threshold"]) == expected
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    @pytest.mark.parametrize(
        ("name", "metric", "most"),
        [
            ("TasksGivenUpAlarm", "TasksGivenUp", 10),
            ("ProviderAccountAlarm", "ProviderAccountErrors", 0),
            ("HoldShortfallAlarm", "HoldShortfalls", 0),
            ("ExpiredHoldsAlarm", "ExpiredHolds", 10),
        ],
    )
    def test_what_costs_us_money_or_customers_their_work_rings(
        self, template: Template, name: str, metric: str, most: int
    ) -> None:
        alarm = _alarms(template)[name]
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Threshold"]) == ("Tollgate", metric, most)
        assert (alarm["Statistic"], alarm["Period"]) == ("Sum", 900)
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_functions_that_lambda_refuses_to_run_ring(self, template: Template) -> None:
        alarm = _alarms(template)["ThrottlesAlarm"]
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Dimensions"]) == (
            "AWS/Lambda",
            "Throttles",
            [],
        )

    def test_a_timer_that_stands_still_rings(self, template: Template) -> None:
        alarm = _alarms(template)["SweepSilentAlarm"]
        assert (alarm["MetricName"], alarm["Statistic"]) == ("SweptTasks", "SampleCount")
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
        assert alarm["TreatMissingData"] == "breaching"

    def test_the_runbook_says_of_every_alarm_what_to_do(self, template: Template) -> None:
        runbook = (ROOT / "docs" / "runbook.md").read_text()
        assert sorted(re.findall(r"^### (\w+Alarm)$", runbook, re.MULTILINE)) == sorted(_alarms(template))

    def test_the_metric_that_check_ledger_writes_is_the_one_that_rings(self, template: Template) -> None:
        variables = template.variables("CheckLedgerFunction")
        assert variables["POWERTOOLS_METRICS_NAMESPACE"] == "Tollgate"
        assert variables["POWERTOOLS_SERVICE_NAME"] == "tollgate"

    def test_a_server_error_of_the_api_rings(self, template: Template) -> None:
        alarm = _alarms(template)["ApiServerErrorsAlarm"]
        dimensions = {each["Name"]: named(each["Value"]) for each in alarm["Dimensions"]}
        assert (alarm["MetricName"], alarm["Threshold"]) == ("5XXError", 0)
        assert dimensions == {"ApiName": "AWS::StackName", "Stage": "live"}
        assert named(template.of_type("AWS::ApiGateway::RestApi")["Api"]["Name"]) == "AWS::StackName"

    def test_every_alarm_reaches_the_topic_and_means_more_than(self, template: Template) -> None:
        for name, alarm in _alarms(template).items():
            assert alarm["AlarmActions"] == [{"Ref": "AlarmTopic"}]
            if name == "SweepSilentAlarm":
                continue  # silence is what it listens for
            assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
            assert alarm["TreatMissingData"] == "notBreaching"

    def test_an_address_that_was_given_is_subscribed(self, template: Template) -> None:
        subscription = template.resources["AlarmEmailSubscription"]
        assert subscription["Condition"] == "HasAlarmEmail"
        assert subscription["Properties"]["Endpoint"] == {"Ref": "AlarmEmail"}


def _alarms(template: Template) -> dict[str, Properties]:
    return template.of_type("AWS::CloudWatch::Alarm")


def _signals(template: Template) -> set[Signal]:
    return {
        (alarm["MetricName"], named(dimension["Value"]), alarm["Threshold"])
        for alarm in _alarms(template).values()
        for dimension in alarm["Dimensions"]
    }
