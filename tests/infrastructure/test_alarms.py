"""What rings, how loudly, and that somebody hears it."""

import ast
import json
import re
from datetime import timedelta

import pytest

from local.template import ROOT, Properties, Template, as_list, named, stem_of

Signal = tuple[str, str, int]
"""Metric, what it is measured on (a dimension's value), threshold."""

OWN_METRICS = "Tollgate/${AWS::StackName}"
PAGE, TICKET = ({"Ref": f"{severity}Topic"} for severity in ("Page", "Ticket"))
PAGES = {
    "ServerFaultsAlarm",
    "StorageBusyAlarm",
    "VisitsFailAlarm",
    "TasksGivenUpAlarm",
    "TextGivenUpAlarm",
    "ProviderAccountAlarm",
    "CounterUnderflowAlarm",
    "LedgerDriftAlarm",
    "SweepSilentAlarm",
    "TaskQueueAgeAlarm",
    "PollQueueAgeAlarm",
    "RecursionAlarm",
    "FileErrorsAlarm",
}
"""What cannot wait until the morning. All others can."""
QUIET = {f"{each}VersionErrorsAlarm" for each in ("Api", "Text", "GetStatus")}
"""What CodeDeploy asks while it tries a version."""
SILENCE = {"SweepSilentAlarm", "LedgerUncheckedAlarm", "VisitsFailAlarm"}
"""Alarms that listen for nothing at all, too."""
NOT_WATCHED = ("LedgerEntriesChecked", "ProviderErrors", "SweptDeliveries")
"""Metrics that are for looking things up, and neither ring nor are drawn."""
HEARD_BY = {
    "ApiFunction": "ServerFaultsAlarm",
    "GetStatusFunction": "ServerFaultsAlarm",
    "DashboardFunction": "ServerFaultsAlarm",
    "AdminFunction": "ServerFaultsAlarm",
    "ServeMcpFunction": "ServerFaultsAlarm",
    "TextFunction": "TextErrorsAlarm",
    "ProbeMediaFunction": "ProbeMediaErrorsAlarm",
    "DispatchChangesFunction": "DispatchChangesIteratorAgeAlarm",
    "RunTaskFunction": "RunTaskErrorsAlarm",
    "RunBatchFunction": "BatchDeadLetterAlarm",
    "RunResponseFunction": "RunResponseErrorsAlarm",
    "MakeThumbnailsFunction": "ThumbnailDeadLetterAlarm",
    "DeliverWebhookFunction": "WebhookDeadLetterAlarm",
    "RecordUsageFunction": "RecordUsageIteratorAgeAlarm",
    "RefillBalanceFunction": "RefillDeadLetterAlarm",
    "NotifyMembersFunction": "NotifyMembersErrorsAlarm",
    "SweepFunction": "SweepSilentAlarm",
    "CloseAccountsFunction": "CloseAccountsErrorsAlarm",
    "CheckLedgerFunction": "LedgerUncheckedAlarm",
    "VisitServiceFunction": "VisitsFailAlarm",
}
"""The alarm that rings if a function goes on failing."""
ASKED_BY = {"DrawThumbnailFunction": "MakeThumbnailsFunction"}
"""Functions whose failure is one of the function that invokes them."""


RECURRING = {"DeliverWebhookFunction", "RunBatchFunction", "RunTaskFunction"}


class TestSeverities:
    def test_each_alarm_tells_one_topic_and_tells_it_when_all_is_well_again(self, template: Template) -> None:
        for name, alarm in _heard(template).items():
            (topic,) = alarm["AlarmActions"]
            assert topic == (PAGE if name in PAGES else TICKET), name
            assert alarm["OKActions"] == [topic], name

    def test_what_tells_nobody_takes_a_version_back(self, template: Template) -> None:
        quiet = {name for name, each in _alarms(template).items() if "AlarmActions" not in each}
        assert quiet == QUIET
        for name in quiet:
            assert template.resources[name]["Condition"] == "HasCanaryDeployment"

    def test_pages_are_always_there_and_tickets_where_somebody_gets_them(self, template: Template) -> None:
        for name in _alarms(template).keys() - QUIET:
            condition = {"FileErrorsAlarm": "HasFileMetrics", "VisitsFailAlarm": "HasVisits"}.get(name)
            expected = condition if name in PAGES else "HasAlarmEmail"
            assert template.resources[name].get("Condition") == expected, name

    def test_one_that_watches_the_whole_account_says_so(self, template: Template) -> None:
        for name, alarm in _alarms(template).items():
            measured = [
                each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each
            ]
            is_shared = any(
                str(each["Namespace"]).startswith("AWS/") and not each.get("Dimensions")
                for each in measured or [alarm]
            )
            assert name.startswith("Account") == is_shared, name
            assert alarm["AlarmDescription"].startswith("The whole account:") == is_shared, name

    def test_the_runbook_says_of_every_alarm_what_to_do_and_how_loud_it_is(self, template: Template) -> None:
        runbook = (ROOT / "docs" / "runbook.md").read_text()
        told = re.findall(r"^### (\w+Alarm)\n(Page|Ticket|Tells nobody)\b", runbook, re.MULTILINE)
        composites = template.of_type("AWS::CloudWatch::CompositeAlarm")
        alarms = {**_alarms(template), **composites}
        headings = re.findall(r"^### (\w+Alarm)$", runbook, re.MULTILINE)
        assert sorted(alarms.keys() - set(headings)) == [], "add a heading for each to docs/runbook.md"
        assert headings == [name for name in dict.fromkeys(headings) if name in alarms]
        pages = PAGES | {name for name, each in composites.items() if each["AlarmActions"] == [PAGE]}
        assert dict(told) == {
            name: "Page" if name in pages else "Tells nobody" if name in QUIET else "Ticket"
            for name in alarms
        }

    @pytest.mark.parametrize("severity", ["Page", "Ticket"])
    def test_an_address_that_was_given_is_subscribed(self, template: Template, severity: str) -> None:
        subscription = template.resources[f"{severity}EmailSubscription"]
        assert subscription["Condition"] == "HasAlarmEmail"
        assert subscription["Properties"]["TopicArn"] == {"Ref": f"{severity}Topic"}
        theirs = {"Fn::If": ["HasTicketEmail", {"Ref": "TicketEmail"}, {"Ref": "AlarmEmail"}]}
        expected = {"Page": {"Ref": "AlarmEmail"}, "Ticket": theirs}[severity]
        assert subscription["Properties"]["Endpoint"] == expected
        # CloudWatch's mail is text: a filter that reads JSON could keep every alarm to itself
        assert "FilterPolicy" not in subscription["Properties"]

    def test_prod_wants_somebody_to_hear_them(self, template: Template) -> None:
        rule = template.source["Rules"]["ProdHasAlarmEmail"]
        assert rule["RuleCondition"] == {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}
        (assertion,) = rule["Assertions"]
        assert assertion["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmEmail"}, ""]}]}

    def test_a_budget_writes_where_alarms_write(self, template: Template) -> None:
        assert template.resources["Budget"]["Condition"] == "HasBudget"
        (budget,) = template.of_type("AWS::Budgets::Budget").values()
        assert named(budget["Budget"]["BudgetLimit"]["Amount"]) == "MonthlyBudgetUsd"
        for each in budget["NotificationsWithSubscribers"]:
            assert each["Subscribers"] == [{"SubscriptionType": "EMAIL", "Address": {"Ref": "AlarmEmail"}}]


class TestBirth:
    def test_none_rings_because_a_new_stack_has_no_data(self, template: Template) -> None:
        """Every alarm rings above its threshold, and what is missing is either well or no data at all."""
        for name, alarm in _alarms(template).items():
            assert alarm["ComparisonOperator"] == "GreaterThanThreshold", name
            assert alarm["TreatMissingData"] == ("missing" if name in SILENCE else "notBreaching"), name

    @pytest.mark.parametrize("name", ["SweepSilentAlarm", "LedgerUncheckedAlarm"])
    def test_silence_rings_when_time_has_passed_and_as_soon_as_nothing_measures_it(
        self, template: Template, name: str
    ) -> None:
        alarm = _alarms(template)[name]
        assert alarm["InsufficientDataActions"] == [PAGE if name in PAGES else TICKET]
        *measured, judged = alarm["Metrics"]
        heard, clock = (each["Id"] for each in measured)
        for times_heard, beats, rings in ((1, 1, 0), (0, 1, 1), (0, 0, 0), (1, 0, 0)):
            values: dict[str, float] = {heard: times_heard, clock: beats}
            assert _calculated(judged["Expression"], values) == rings, (times_heard, beats)

    def test_visits_ring_when_they_fail_and_when_they_stop(self, template: Template) -> None:
        alarm = _alarms(template)["VisitsFailAlarm"]
        assert (named(alarm["Namespace"]), alarm["MetricName"]) == (OWN_METRICS, "VisitsFailed")
        assert (alarm["Statistic"], alarm["Threshold"], alarm["EvaluationPeriods"]) == ("Maximum", 0, 1)
        assert alarm["InsufficientDataActions"] == [PAGE]
        (beat,) = (
            _schedule(each["ScheduleExpression"]) for each in _rules_of(template, "VisitServiceFunction")
        )
        # A late visit is no missing one
        assert timedelta(seconds=alarm["Period"]) >= 2 * beat

    def test_a_sweep_is_missed_by_the_timer_of_the_proof(self, template: Template) -> None:
        alarm = _alarms(template)["SweepSilentAlarm"]
        sweeps, time, _ = alarm["Metrics"]
        assert sweeps["MetricStat"]["Metric"]["MetricName"] == "SweptTasks"
        assert (sweeps["MetricStat"]["Stat"], sweeps["MetricStat"]["Period"]) == ("SampleCount", 900)
        (dimension,) = time["MetricStat"]["Metric"]["Dimensions"]
        assert named(dimension["Value"]) == "CheckLedgerFunction"
        beats = [_schedule(each["ScheduleExpression"]) for each in _rules_of(template, "CheckLedgerFunction")]
        period = timedelta(seconds=time["MetricStat"]["Period"])
        assert min(beats) <= period < period * alarm["DatapointsToAlarm"] == timedelta(minutes=30)
        assert alarm["EvaluationPeriods"] > alarm["DatapointsToAlarm"]
        # If no time is measured there is no value, so it is told as missing data
        assert "FILL(time" not in alarm["Metrics"][-1]["Expression"]
        assert "SweptTasks" in _emitted_by("SweepFunction")

    def test_a_proof_is_missed_after_26_hours_with_sweeps(self, template: Template) -> None:
        alarm = _alarms(template)["LedgerUncheckedAlarm"]
        proofs, sweeps, _ = alarm["Metrics"]
        # Written at the end of a run alone; a drift is written before it as well
        assert proofs["MetricStat"]["Metric"]["MetricName"] == "LedgerAccountsChecked"
        assert sweeps["MetricStat"]["Metric"]["MetricName"] == "SweptTasks"
        assert {each["MetricStat"]["Stat"] for each in (proofs, sweeps)} == {"SampleCount"}
        assert {each["MetricStat"]["Period"] for each in (proofs, sweeps)} == {3600}
        assert alarm["EvaluationPeriods"] == alarm["DatapointsToAlarm"] == 26
        daily = timedelta(days=1)
        assert daily in [
            _schedule(each["ScheduleExpression"]) for each in _rules_of(template, "CheckLedgerFunction")
        ]


class TestFunctions:
    def test_every_function_that_goes_on_failing_is_heard(self, template: Template) -> None:
        assert HEARD_BY.keys() | ASKED_BY.keys() == template.functions().keys()
        for function, caller in ASKED_BY.items():
            assert ("lambda:InvokeFunction", function) in template.permissions(caller)

    @pytest.mark.parametrize("function", HEARD_BY)
    def test_the_alarm_listens_to_that_function(self, template: Template, function: str) -> None:
        name = HEARD_BY[function]
        alarm = _alarms(template)[name]
        match name:
            case "ServerFaultsAlarm":
                # What it answers is in the gateway's log
                assert function in json.dumps(template.openapi())
            case "VisitsFailAlarm":
                assert alarm["MetricName"] in _emitted_by(function)
            case "SweepSilentAlarm" | "LedgerUncheckedAlarm":
                heard = alarm["Metrics"][0]["MetricStat"]["Metric"]["MetricName"]
                assert heard in _emitted_by(function)
            case _ if name.endswith("DeadLetterAlarm"):
                (dimension,) = alarm["Dimensions"]
                assert named(dimension["Value"]).removesuffix(".QueueName") in _dead_letters_of(
                    template, function
                )
            case _:
                assert [named(each["Value"]) for each in alarm["Dimensions"]] == [function]
                assert alarm["MetricName"] in ("Errors", "IteratorAge")

    def test_a_single_failure_of_a_function_is_no_alarm(self, template: Template) -> None:
        """A cold start that times out once is tried again."""
        judged = [each for each in _heard(template).values() if each.get("MetricName") == "Errors"]
        assert len(judged) == 6
        for alarm in judged:
            assert alarm["Threshold"] >= 10 or alarm["EvaluationPeriods"] >= 2
            assert alarm["EvaluationPeriods"] == alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])

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
        assert {named(each) for each in functions} == allowed == RECURRING

    def test_an_account_that_is_nearly_full_rings(self, template: Template) -> None:
        alarm = _alarms(template)["AccountConcurrencyAlarm"]
        claimed, percent = alarm["Metrics"]
        assert claimed["MetricStat"]["Metric"]["MetricName"] == "ClaimedAccountConcurrency"
        assert named(percent["Expression"]) == "100 * claimed / ${AccountConcurrency}"
        assert alarm["Threshold"] == 70


class TestAlarms:
    def test_every_dead_letter_rings(self, template: Template) -> None:
        queues = [name for name in template.of_type("AWS::SQS::Queue") if "DeadLetter" in name]
        assert len(queues) == 8
        for queue in queues:
            assert ("ApproximateNumberOfMessagesVisible", f"{queue}.QueueName", 0) in _signals(template)

    def test_work_that_waits_rings(self, template: Template) -> None:
        half_hour_s, five_minutes_ms = 1800, 300_000
        assert ("ApproximateAgeOfOldestMessage", "TaskQueue.QueueName", half_hour_s) in _signals(template)
        assert ("ApproximateAgeOfOldestMessage", "PollQueue.QueueName", half_hour_s) in _signals(template)
        assert ("ApproximateAgeOfOldestMessage", "WebhookQueue.QueueName", half_hour_s) in _signals(template)
        assert ("IteratorAge", "DispatchChangesFunction", five_minutes_ms) in _signals(template)
        assert ("IteratorAge", "RecordUsageFunction", five_minutes_ms) in _signals(template)

    @pytest.mark.parametrize("metric", ["LedgerDrift", "LedgerUnproven", "LedgerUnsealed", "CostDrift"])
    def test_what_the_daily_proof_finds_rings_until_the_next(self, template: Template, metric: str) -> None:
        alarm = _alarms(template)[f"{metric}Alarm"]
        assert (named(alarm["Namespace"]), alarm["MetricName"]) == (OWN_METRICS, metric)
        assert (alarm["Threshold"], alarm["Statistic"], alarm["DatapointsToAlarm"]) == (0, "Maximum", 1)
        assert alarm["Period"] * alarm["EvaluationPeriods"] == 24 * 3600
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "tollgate"}]

    @pytest.mark.parametrize(
        ("name", "metric", "most", "period_s"),
        [
            ("TasksGivenUpAlarm", "TasksGivenUp", 10, 900),
            ("TextGivenUpAlarm", "TextGivenUp", 25, 900),
            ("ProviderAccountAlarm", "ProviderAccountErrors", 0, 900),
            ("HoldShortfallAlarm", "HoldShortfalls", 0, 900),
            ("ExpiredHoldsAlarm", "ExpiredHolds", 10, 900),
            ("LateSettlementsAlarm", "LateSettlements", 10, 900),
            ("CounterUnderflowAlarm", "CounterUnderflows", 0, 900),
            ("StorageBusyAlarm", "StorageBusy", 10, 900),
            ("ResponsesNotStoredAlarm", "ResponsesNotStored", 10, 900),
            ("RoutesNotMeasuredAlarm", "RoutesNotMeasured", 100, 900),
            ("MailsRefusedAlarm", "MailsRefused", 0, 900),
            ("CatalogRefusedAlarm", "CatalogRefused", 0, 300),
            ("PaymentToCheckAlarm", "PaymentToCheck", 0, 300),
            ("PaymentEventsRefusedAlarm", "PaymentEventsRefused", 0, 900),
        ],
    )
    def test_what_costs_us_money_or_customers_their_work_rings(
        self, template: Template, name: str, metric: str, most: int, period_s: int
    ) -> None:
        alarm = _alarms(template)[name]
        assert (named(alarm["Namespace"]), alarm["MetricName"]) == (OWN_METRICS, metric)
        assert (alarm["Threshold"], alarm["Statistic"], alarm["Period"]) == (most, "Sum", period_s)
        assert alarm["EvaluationPeriods"] == 1
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

    def test_what_the_catalog_needs_rings_from_one_count_a_day(self, template: Template) -> None:
        alarm = _alarms(template)["CatalogDueAlarm"]
        assert (alarm["MetricName"], alarm["Statistic"], alarm["Threshold"]) == ("CatalogDue", "Maximum", 0)
        assert alarm["Period"] * alarm["EvaluationPeriods"] == 24 * 3600
        assert alarm["DatapointsToAlarm"] == 1

    def test_faults_of_ours_ring_by_their_share(self, template: Template) -> None:
        filtered = template.of_type("AWS::Logs::MetricFilter")["ServerFaultsFilter"]
        # Providers' are 502, 503 and 524 (site/errors.md); of a function that Lambda refuses to run 503 too
        assert re.findall(r'"(\w+)"', filtered["FilterPattern"]) == ["500", "504", "INTEGRATION_FAILURE"]
        (api,) = template.of_type("AWS::ApiGateway::RestApi").values()
        assert "INTEGRATION_FAILURE" in api["Body"]["x-amazon-apigateway-gateway-responses"]
        alarm = _alarms(template)["ServerFaultsAlarm"]
        expressions = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
        assert expressions == ["IF(FILL(faults, 0) >= 5, 100 * FILL(faults, 0) / requests, 0)"]

    def test_what_the_filters_count_is_in_the_gateways_log(self, template: Template) -> None:
        (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
        line = json.loads(stage["AccessLogSetting"]["Format"])
        for each in template.of_type("AWS::Logs::MetricFilter").values():
            assert named(each["LogGroupName"]) == "ApiAccessLogGroup"
            (transformation,) = each["MetricTransformations"]
            fields = re.findall(r"\$\.(\w+)", each["FilterPattern"] + transformation["MetricValue"])
            assert set(fields) <= line.keys()

    def test_files_ring_by_their_share_of_some_number(self, template: Template) -> None:
        alarm = _alarms(template)["FileErrorsAlarm"]
        assert _measured(template, "FileErrorsAlarm") == {
            ("Requests", "MediaDistribution"),
            ("5xxErrorRate", "MediaDistribution"),
        }
        expression = alarm["Metrics"][-1]["Expression"]
        for requests, share, percent in ((50, 2.0, 0), (499, 1.0, 0), (250, 2.0, 2.0), (100_000, 0.5, 0.5)):
            assert _calculated(expression, {"requests": requests, "share": share}) == percent
        assert alarm["Threshold"] == 1

    def test_a_late_first_byte_rings(self, template: Template) -> None:
        alarm = _alarms(template)["FirstContentAlarm"]
        assert (alarm["MetricName"], alarm["ExtendedStatistic"], alarm["Threshold"]) == (
            "FirstContentMs",
            "p99",
            30_000,
        )

    def test_tables_that_refuse_and_writes_that_lose_ring(self, template: Template) -> None:
        assert _measured(template, "TableThrottlesAlarm") == {
            ("WriteThrottleEvents", f"{table}Table")
            for table in ("Accounts", "ApiKeys", "Tasks", "Ledger", "Deliveries", "Budgets", "Usage")
        }
        conflicts = {("TransactionConflict", "AccountsTable"), ("TransactionConflict", "TasksTable")}
        assert _measured(template, "TransactionConflictsAlarm") == conflicts

    def test_every_metric_that_is_counted_is_watched(self) -> None:
        text = (ROOT / "template.yaml").read_text()
        emitted = _emitted("shared", "functions")
        assert {"LedgerDrift", "StorageBusy"} <= emitted
        unwatched = {name for name in emitted if name not in text}
        assert sorted(unwatched - set(NOT_WATCHED)) == [], "add an alarm for each to template.yaml"
        assert set(NOT_WATCHED) <= unwatched


def _emitted(*folders: str) -> set[str]:
    """Return the metrics that the code writes by a name of its own."""
    calls = [
        node
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "emit(" in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "emit"
    ]
    counts = [call.args[0] for call in calls if isinstance(call.args[0], ast.Dict)]
    return {str(key.value) for each in counts for key in each.keys if isinstance(key, ast.Constant)}


def _emitted_by(function: str) -> set[str]:
    """Return the metrics that a function's own folder writes."""
    return _emitted(f"functions/{stem_of(function)}")


def _alarms(template: Template) -> dict[str, Properties]:
    return template.of_type("AWS::CloudWatch::Alarm")


def _heard(template: Template) -> dict[str, Properties]:
    """Return the alarms that tell somebody themselves; others do so by a composite alarm."""
    return {name: each for name, each in _alarms(template).items() if each.get("AlarmActions")}


def _signals(template: Template) -> set[Signal]:
    return {
        (alarm["MetricName"], named(dimension["Value"]), alarm["Threshold"])
        for alarm in _alarms(template).values()
        for dimension in alarm.get("Dimensions", [])
        # The number of a version is no resource's name.
        if dimension["Name"] != "ExecutedVersion"
    }


def _measured(template: Template, alarm: str) -> set[tuple[str, str]]:
    """Return `(metric, resource)` of what an alarm calculates with."""
    metrics = [
        each["MetricStat"]["Metric"] for each in _alarms(template)[alarm]["Metrics"] if "MetricStat" in each
    ]
    return {(each["MetricName"], named(each["Dimensions"][0]["Value"])) for each in metrics}


def _rules_of(template: Template, function: str) -> list[Properties]:
    """Return the schedules of a function."""
    return [
        rule
        for rule in template.of_type("AWS::Events::Rule").values()
        if function in {named(each["Arn"]) for each in rule["Targets"]}
    ]


def _schedule(rate: str) -> timedelta:
    """Return how far apart the beats of `rate(15 minutes)` are."""
    found = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", rate)
    assert found, rate
    return timedelta(**{f"{found[2]}s": int(found[1])})


def _dead_letters_of(template: Template, function: str) -> set[str]:
    """Return the queues where the messages end that a function gives up on."""
    queues = template.of_type("AWS::SQS::Queue")
    sources = [
        named(each["EventSourceArn"])
        for each in template.of_type("AWS::Lambda::EventSourceMapping").values()
        if named(as_list(each["FunctionName"])[0]) == function
    ]
    return {
        named(queues[queue]["RedrivePolicy"]["deadLetterTargetArn"]) for queue in sources if queue in queues
    }


def _calculated(expression: str, values: dict[str, float]) -> float:
    """Return what CloudWatch calculates of one point in time, where a metric with no data counts as 0."""
    python = re.sub(r"FILL\((\w+), 0\)", r"\1", expression)
    inner = re.fullmatch(r"IF\((.+), (\w+), (\w+)\)", python)
    assert inner, expression
    condition, then, other = inner.groups()
    condition = condition.replace(" AND ", " and ")
    chosen = then if eval(condition, {"__builtins__": {}}, dict(values)) else other  # noqa: S307 - our own template
    return values[chosen] if chosen in values else float(chosen)
