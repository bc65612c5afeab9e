"""What rings, and that somebody hears it."""

from local.template import Properties, Template, named

Signal = tuple[str, str, int]
"""Metric, what it is measured on (a dimension's value), threshold."""


class TestAlarms:
    def test_every_dead_letter_rings(self, template: Template) -> None:
        queues = [name for name in template.of_type("AWS::SQS::Queue") if "DeadLetter" in name]
        assert len(queues) == 3
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
        for alarm in _alarms(template).values():
            assert alarm["AlarmActions"] == [{"Ref": "AlarmTopic"}]
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
