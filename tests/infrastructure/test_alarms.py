"""What rings, and that somebody hears it."""

import ast
import json
import re

import pytest

from local.template import ROOT, Properties, Template, named

Signal = tuple[str, str, int]
"""Metric, what it is measured on (a dimension's value), threshold."""

OWN_METRICS = "Tollgate/${AWS::StackName}"
SILENCE = ("SweepSilentAlarm", "LedgerUncheckedAlarm")
"""Alarms that listen for nothing at all."""
NOT_WATCHED = ("LedgerEntriesChecked", "ProviderErrors", "SweptDeliveries")
"""Metrics that are for looking things up, and neither ring nor are drawn."""


class TestAlarms:
    def test_every_dead_letter_rings(self, template: Template) -> None:
        queues = [name for name in template.of_type("AWS::SQS::Queue") if "DeadLetter" in name]
        assert len(queues) == 7
        for queue in queues:
            assert ("ApproximateNumberOfMessagesVisible", f"{queue}.QueueName", 0) in _signals(template)

    def test_every_function_that_fails_rings_within_5_minutes(self, template: Template) -> None:
        for function in template.functions():
            assert ("Errors", function, 0) in _signals(template)
            assert _alarms(template)[function.replace("Function", "ErrorsAlarm")]["Period"] == 300

    def test_work_that_waits_rings(self, template: Template) -> None:
        half_hour_s, five_minutes_ms = 1800, 300_000
        assert ("ApproximateAgeOfOldestMessage", "TaskQueue.QueueName", half_hour_s) in _signals(template)
        assert ("ApproximateAgeOfOldestMessage", "PollQueue.QueueName", half_hour_s) in _signals(template)
        assert ("ApproximateAgeOfOldestMessage", "WebhookQueue.QueueName", half_hour_s) in _signals(template)
        assert ("IteratorAge", "DispatchChangesFunction", five_minutes_ms) in _signals(template)
        assert ("IteratorAge", "RecordUsageFunction", five_minutes_ms) in _signals(template)

    def test_a_balance_that_is_not_its_ledger_rings(self, template: Template) -> None:
        alarm = _alarms(template)["LedgerDriftAlarm"]
        assert (named(alarm["Namespace"]), alarm["MetricName"], alarm["Threshold"]) == (
            OWN_METRICS,
            "LedgerDrift",
            0,
        )
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_an_account_of_which_nothing_is_proven_rings(self, template: Template) -> None:
        alarm = _alarms(template)["LedgerUnprovenAlarm"]
        expected = (OWN_METRICS, "LedgerUnproven", 0)
        assert (named(alarm["Namespace"]), alarm["MetricName"], alarm["Threshold"]) == expected
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_a_catalog_that_is_refused_rings(self, template: Template) -> None:
        alarm = _alarms(template)["CatalogRefusedAlarm"]
        assert (named(alarm["Namespace"]), alarm["MetricName"], alarm["Threshold"]) == (
            OWN_METRICS,
            "CatalogRefused",
            0,
        )
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_a_payment_that_is_on_no_account_rings(self, template: Template) -> None:
        alarm = _alarms(template)["PaymentToCheckAlarm"]
        expected = (OWN_METRICS, "PaymentToCheck", 0)
        assert (named(alarm["Namespace"]), alarm["MetricName"], alarm["Threshold"]) == expected
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    @pytest.mark.parametrize(
        ("name", "metric", "most"),
        [
            ("TasksGivenUpAlarm", "TasksGivenUp", 10),
            ("ProviderAccountAlarm", "ProviderAccountErrors", 0),
            ("HoldShortfallAlarm", "HoldShortfalls", 0),
            ("ExpiredHoldsAlarm", "ExpiredHolds", 10),
            ("LateSettlementsAlarm", "LateSettlements", 10),
            ("CounterUnderflowAlarm", "CounterUnderflows", 0),
            ("StorageBusyAlarm", "StorageBusy", 10),
            ("ResponsesNotStoredAlarm", "ResponsesNotStored", 10),
            ("MailsRefusedAlarm", "MailsRefused", 0),
        ],
    )
    def test_what_costs_us_money_or_customers_their_work_rings(
        self, template: Template, name: str, metric: str, most: int
    ) -> None:
        alarm = _alarms(template)[name]
        assert (named(alarm["Namespace"]), alarm["MetricName"], alarm["Threshold"]) == (
            OWN_METRICS,
            metric,
            most,
        )
        assert (alarm["Statistic"], alarm["Period"]) == ("Sum", 900)
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    def test_models_without_a_provider_and_providers_without_an_end_ring(self, template: Template) -> None:
        minutes, hours = _alarms(template)["SingleRouteDownAlarm"], _alarms(template)["DeadRoutesAlarm"]
        assert (minutes["MetricName"], minutes["Statistic"], minutes["Period"]) == (
            "SingleRouteDown",
            "Maximum",
            60,
        )
        assert (minutes["DatapointsToAlarm"], minutes["EvaluationPeriods"]) == (5, 10)
        assert (hours["MetricName"], hours["Statistic"]) == ("DeadRoutes", "Minimum")
        assert hours["Period"] * hours["DatapointsToAlarm"] == 24 * 3600

    def test_functions_that_lambda_refuses_to_run_ring(self, template: Template) -> None:
        alarm = _alarms(template)["ThrottlesAlarm"]
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Dimensions"]) == (
            "AWS/Lambda",
            "Throttles",
            [],
        )

    def test_a_chain_that_lambda_stops_rings(self, template: Template) -> None:
        allowed = {
            name for name, each in template.functions().items() if each.get("RecursiveLoop") == "Allow"
        }
        measured = [
            each["MetricStat"]["Metric"] for each in _alarms(template)["RecursionAlarm"]["Metrics"][:-1]
        ]
        names = {(each["Namespace"], each["MetricName"]) for each in measured}
        assert names == {("AWS/Lambda", "RecursiveInvocationsDropped")}
        functions = [dimension["Value"] for each in measured for dimension in each["Dimensions"]]
        assert {named(each) for each in functions} == allowed == {"DeliverWebhookFunction", "RunTaskFunction"}

    def test_a_timer_that_stands_still_rings(self, template: Template) -> None:
        alarm = _alarms(template)["SweepSilentAlarm"]
        assert (alarm["MetricName"], alarm["Statistic"]) == ("SweptTasks", "SampleCount")
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
        assert alarm["TreatMissingData"] == "breaching"

    def test_the_runbook_says_of_every_alarm_what_to_do(self, template: Template) -> None:
        runbook = (ROOT / "docs" / "runbook.md").read_text()
        assert sorted(re.findall(r"^### (\w+Alarm)$", runbook, re.MULTILINE)) == sorted(_alarms(template))

    def test_faults_of_ours_ring_by_their_share_and_providers_by_themselves(self, template: Template) -> None:
        filters = template.of_type("AWS::Logs::MetricFilter")
        ours, theirs = (
            re.findall(r"\d{3}", filters[name]["FilterPattern"])
            for name in ("ServerFaultsFilter", "ProviderFaultsFilter")
        )
        assert (ours, theirs) == (["500", "504"], ["502", "503", "524"])  # docs/errors.md
        for each in filters.values():
            assert named(each["LogGroupName"]) == "ApiAccessLogGroup"
        alarm = _alarms(template)["ServerFaultsAlarm"]
        expressions = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
        assert expressions == ["IF(FILL(faults, 0) >= 5, 100 * FILL(faults, 0) / requests, 0)"]
        assert _alarms(template)["ProviderFaultsAlarm"]["MetricName"] == "ProviderFaults"

    def test_what_the_filters_count_is_in_the_gateways_log(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        line = json.loads(stage["AccessLogSetting"]["Format"])
        for each in template.of_type("AWS::Logs::MetricFilter").values():
            (transformation,) = each["MetricTransformations"]
            fields = re.findall(r"\$\.(\w+)", each["FilterPattern"] + transformation["MetricValue"])
            assert set(fields) <= line.keys()

    def test_a_late_first_byte_rings(self, template: Template) -> None:
        alarm = _alarms(template)["FirstContentAlarm"]
        assert (alarm["MetricName"], alarm["ExtendedStatistic"], alarm["Threshold"]) == (
            "FirstContentMs",
            "p99",
            30_000,
        )

    def test_an_account_that_is_nearly_full_rings(self, template: Template) -> None:
        alarm = _alarms(template)["ConcurrencyAlarm"]
        claimed, percent = alarm["Metrics"]
        assert claimed["MetricStat"]["Metric"]["MetricName"] == "ClaimedAccountConcurrency"
        assert named(percent["Expression"]) == "100 * claimed / ${AccountConcurrency}"
        assert alarm["Threshold"] == 70

    def test_tables_that_refuse_and_writes_that_lose_ring(self, template: Template) -> None:
        assert _measured(template, "TableThrottlesAlarm") == {
            (f"{kind}ThrottleEvents", f"{table}Table")
            for kind in ("Read", "Write")
            for table in ("Accounts", "ApiKeys", "Tasks", "Ledger", "Deliveries")
        }
        conflicts = {("TransactionConflict", "AccountsTable"), ("TransactionConflict", "TasksTable")}
        assert _measured(template, "TransactionConflictsAlarm") == conflicts

    def test_every_metric_that_is_counted_is_watched(self) -> None:
        text = (ROOT / "template.yaml").read_text()
        assert {"LedgerDrift", "StorageBusy"} <= _emitted()
        assert {name for name in _emitted() if name not in text} == set(NOT_WATCHED)

    def test_a_ledger_that_nobody_checks_rings(self, template: Template) -> None:
        alarm = _alarms(template)["LedgerUncheckedAlarm"]
        # Written at the end of a run alone; a drift is written before it as well
        assert alarm["MetricName"] == "LedgerAccountsChecked"
        assert (alarm["Statistic"], alarm["Period"] * alarm["EvaluationPeriods"]) == (
            "SampleCount",
            26 * 3600,
        )
        assert alarm["EvaluationPeriods"] == alarm["DatapointsToAlarm"]

    def test_a_budget_writes_where_alarms_write(self, template: Template) -> None:
        assert template.resources["Budget"]["Condition"] == "HasBudget"
        (budget,) = template.of_type("AWS::Budgets::Budget").values()
        assert named(budget["Budget"]["BudgetLimit"]["Amount"]) == "MonthlyBudgetUsd"
        for each in budget["NotificationsWithSubscribers"]:
            assert each["Subscribers"] == [{"SubscriptionType": "EMAIL", "Address": {"Ref": "AlarmEmail"}}]

    def test_every_alarm_reaches_the_topic_and_means_more_than(self, template: Template) -> None:
        for name, alarm in _alarms(template).items():
            assert alarm["AlarmActions"] == [{"Ref": "AlarmTopic"}]
            silence = name in SILENCE
            assert alarm["ComparisonOperator"] == ("LessThanThreshold" if silence else "GreaterThanThreshold")
            assert alarm["TreatMissingData"] == ("breaching" if silence else "notBreaching")

    def test_prod_wants_somebody_to_hear_them(self, template: Template) -> None:
        rule = template.source["Rules"]["ProdHasAlarmEmail"]
        assert rule["RuleCondition"] == {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}
        (assertion,) = rule["Assertions"]
        assert assertion["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmEmail"}, ""]}]}

    def test_an_address_that_was_given_is_subscribed(self, template: Template) -> None:
        subscription = template.resources["AlarmEmailSubscription"]
        assert subscription["Condition"] == "HasAlarmEmail"
        assert subscription["Properties"]["Endpoint"] == {"Ref": "AlarmEmail"}


def _emitted() -> set[str]:
    """Return the metrics that the code writes by a name of its own."""
    calls = [
        node
        for folder in ("shared", "functions")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "emit"
    ]
    counts = [call.args[0] for call in calls if isinstance(call.args[0], ast.Dict)]
    return {str(key.value) for each in counts for key in each.keys if isinstance(key, ast.Constant)}


def _alarms(template: Template) -> dict[str, Properties]:
    return template.of_type("AWS::CloudWatch::Alarm")


def _signals(template: Template) -> set[Signal]:
    return {
        (alarm["MetricName"], named(dimension["Value"]), alarm["Threshold"])
        for alarm in _alarms(template).values()
        for dimension in alarm.get("Dimensions", [])
        # The number of a version is no resource's name.
        if dimension["Name"] != "ExecutedVersion"
    }


def _measured(template: Template, alarm: str) -> set[tuple[str, str]]:
    """Return `(metric, table)` of what an alarm adds up."""
    metrics = [
        each["MetricStat"]["Metric"] for each in _alarms(template)[alarm]["Metrics"] if "MetricStat" in each
    ]
    return {(each["MetricName"], named(each["Dimensions"][0]["Value"])) for each in metrics}
