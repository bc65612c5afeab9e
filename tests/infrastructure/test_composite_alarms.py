"""What follows from one cause is one message: what composite alarms tell, and when they are silent."""

import re
from dataclasses import dataclass, field

import pytest

from local.template import Properties, Template, named
from tests.infrastructure.test_alarms import PAGE, PAGES, TICKET

COMPOSITES = {
    "RequestsFailAlarm": {"ServerFaultsAlarm", "StorageBusyAlarm", "VisitsFailAlarm"},
    "WorkStandsAlarm": {"TaskQueueAgeAlarm", "PollQueueAgeAlarm", "SweepSilentAlarm"},
    "FollowersAlarm": {
        "ExpiredHoldsAlarm",
        "LateSettlementsAlarm",
        "ResponsesNotStoredAlarm",
        "TableThrottlesAlarm",
        "DispatchChangesIteratorAgeAlarm",
        "RecordUsageIteratorAgeAlarm",
    },
}
ALWAYS_TOLD = ("DeadLetter", "LedgerDrift", "CounterUnderflow", "ProviderAccount", "PaymentToCheck")
"""What somebody must do something about, whatever else rings."""
THROTTLED_TABLE = {
    "TableThrottlesAlarm",
    "StorageBusyAlarm",
    "ServerFaultsAlarm",
    "DispatchChangesIteratorAgeAlarm",
    "RecordUsageIteratorAgeAlarm",
    "ExpiredHoldsAlarm",
    "LateSettlementsAlarm",
    "ResponsesNotStoredAlarm",
    "TaskQueueAgeAlarm",
    "PollQueueAgeAlarm",
    "SweepSilentAlarm",
}
DEAD_API = {"ServerFaultsAlarm", "VisitsFailAlarm", "ExpiredHoldsAlarm"}


@dataclass
class CloudWatch:
    """What CloudWatch sends as the states of metric alarms change.

    Suppression as the API reference has it: a composite alarm takes no action while its suppressor is in
    ALARM, and takes it afterwards if it is still in ALARM itself. The waits are taken as over.
    """

    template: Template
    told: set[str] = field(default_factory=set)

    def ring(self, states: set[str]) -> set[str]:
        """Return the alarms that tell somebody, now that those of `states` are in ALARM and no others."""
        composites = composites_of(self.template)
        ringing = states | {name for name, each in composites.items() if holds(each, states)}
        silenced = {
            name for name, each in composites.items() if named(each.get("ActionsSuppressor", "")) in ringing
        }
        loud = {name for name in ringing - silenced if alarm(self.template, name).get("AlarmActions")}
        news = loud - self.told
        self.told = (self.told | loud) & ringing
        return news


class TestComposites:
    def test_they_tell_of_these(self, template: Template) -> None:
        assert {name: members_of(each) for name, each in composites_of(template).items()} == COMPOSITES
        for each in composites_of(template).values():
            rule = re.sub(r'ALARM\("\$\{\w+\}"\)', "", rule_of(each))
            assert set(rule.split()) == {"OR"}

    @pytest.mark.parametrize("name", COMPOSITES)
    def test_each_is_as_loud_as_what_it_tells_of(self, template: Template, name: str) -> None:
        severities = {member in PAGES for member in COMPOSITES[name]}
        (topic,) = alarm(template, name)["AlarmActions"]
        assert severities == {topic == PAGE}
        assert topic in (PAGE, TICKET)
        assert alarm(template, name)["OKActions"] == [topic]

    @pytest.mark.parametrize("name", COMPOSITES)
    def test_what_it_tells_of_tells_nobody_itself_and_is_there(self, template: Template, name: str) -> None:
        assert template.resources[name]["Condition"] == "HasAlarmEmail"
        for member in COMPOSITES[name]:
            assert alarm(template, member)["AlarmActions"] == alarm(template, member)["OKActions"] == []
            allowed = (None, "HasAlarmEmail", "HasVisits" if member == "VisitsFailAlarm" else None)
            assert template.resources[member].get("Condition") in allowed

    def test_visits_are_in_the_rule_where_there_are_visits(self, template: Template) -> None:
        rule = alarm(template, "RequestsFailAlarm")["AlarmRule"]["Fn::Sub"]
        assert rule[1] == {
            "OrVisits": {"Fn::If": ["HasVisits", {"Fn::Sub": ' OR ALARM("${VisitsFailAlarm}")'}, ""]}
        }
        assert "VisitsFailAlarm" not in rule[0]

    def test_nobody_is_left_out(self, template: Template) -> None:
        mute = {
            name
            for name, each in template.of_type("AWS::CloudWatch::Alarm").items()
            if each.get("AlarmActions") == []
        }
        assert mute == set().union(*COMPOSITES.values())

    def test_none_is_in_alarm_at_birth(self, template: Template) -> None:
        """A member without data is in no ALARM, and nothing but ALARM counts."""
        for name in COMPOSITES:
            rule = rule_of(alarm(template, name))
            assert set(re.findall(r"\b([A-Z_]+)\(", rule)) == {"ALARM"}
        assert CloudWatch(template).ring(set()) == set()


class TestSilence:
    @pytest.mark.parametrize("together", [THROTTLED_TABLE, DEAD_API])
    def test_one_cause_is_one_message(self, template: Template, together: set[str]) -> None:
        assert CloudWatch(template).ring(together) == {"RequestsFailAlarm"}

    def test_what_comes_after_the_cause_adds_no_message(self, template: Template) -> None:
        watch = CloudWatch(template)
        assert watch.ring({"StorageBusyAlarm"}) == {"RequestsFailAlarm"}
        for so_far in range(1, len(THROTTLED_TABLE) + 1):
            assert watch.ring({"StorageBusyAlarm", *sorted(THROTTLED_TABLE)[:so_far]}) == set()

    def test_what_is_left_when_the_cause_is_gone_is_told_then(self, template: Template) -> None:
        watch = CloudWatch(template)
        watch.ring(THROTTLED_TABLE)
        assert watch.ring({"TaskQueueAgeAlarm", "ExpiredHoldsAlarm"}) == {"WorkStandsAlarm", "FollowersAlarm"}

    @pytest.mark.parametrize(
        ("alone", "told"),
        [
            ("SweepSilentAlarm", "WorkStandsAlarm"),
            ("TableThrottlesAlarm", "FollowersAlarm"),
            ("StorageBusyAlarm", "RequestsFailAlarm"),
        ],
    )
    def test_each_alone_is_told(self, template: Template, alone: str, told: str) -> None:
        assert CloudWatch(template).ring({alone}) == {told}

    def test_what_somebody_must_act_on_is_never_silenced(self, template: Template) -> None:
        acts = {
            name
            for name in template.of_type("AWS::CloudWatch::Alarm")
            if any(word in name for word in ALWAYS_TOLD)
        }
        assert len(acts) == 12
        watch = CloudWatch(template)
        watch.ring(THROTTLED_TABLE)
        assert watch.ring(THROTTLED_TABLE | acts) == acts

    def test_a_suppressor_is_waited_for_as_long_as_it_measures(self, template: Template) -> None:
        # A visit comes after the cause by chance, and the other two are there by then
        causes = [alarm(template, name) for name in COMPOSITES["RequestsFailAlarm"] - {"VisitsFailAlarm"}]
        slowest_s = max(period_s(each) for each in causes)
        for each in composites_of(template).values():
            if "ActionsSuppressor" not in each:
                continue
            assert named(each["ActionsSuppressor"]) == "RequestsFailAlarm"
            wait_s = each["ActionsSuppressorWaitPeriod"]
            measured_s = min(
                period_s(alarm(template, name)) * alarm(template, name).get("DatapointsToAlarm", 1)
                for name in members_of(each)
            )
            assert wait_s + measured_s >= slowest_s
            assert each["ActionsSuppressorExtensionPeriod"] >= slowest_s


def composites_of(template: Template) -> dict[str, Properties]:
    return template.of_type("AWS::CloudWatch::CompositeAlarm")


def alarm(template: Template, name: str) -> Properties:
    found: Properties = template.resources[name]["Properties"]
    return found


def rule_of(composite: Properties) -> str:
    """Return the rule with everything in it that a stack may have."""
    match composite["AlarmRule"]["Fn::Sub"]:
        case [str(text), {"OrVisits": {"Fn::If": [_, {"Fn::Sub": str(more)}, _]}}]:
            return text.replace("${OrVisits}", more)
        case text:
            return str(text)


def members_of(composite: Properties) -> set[str]:
    return set(re.findall(r'ALARM\("\$\{(\w+)\}"\)', rule_of(composite)))


def holds(composite: Properties, states: set[str]) -> bool:
    """Return whether one of its members is in ALARM: no rule has any other word than OR."""
    return bool(members_of(composite) & states)


def period_s(alarm: Properties) -> int:
    """Return how long an alarm measures for one point."""
    periods = [each["MetricStat"]["Period"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return int(max(periods or [alarm["Period"]]))
