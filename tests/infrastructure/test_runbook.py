"""What docs/runbook.md says in numbers is what the template does."""

import re

import pytest

from local.template import ROOT, Properties, Template

TEXT = " ".join((ROOT / "docs" / "runbook.md").read_text().split())
WORDS = {5: "five"}


def section(heading: str) -> str:
    """Return what stands under a heading."""
    return re.split(r" #{2,3} ", TEXT.partition(f"### {heading} ")[2])[0]


def queue(template: Template, name: str) -> Properties:
    """Return a queue's properties."""
    return template.of_type("AWS::SQS::Queue")[name]


class TestNumbers:
    def test_when_a_step_that_crashed_comes_again(self, template: Template) -> None:
        for name in ("TaskQueue", "PollQueue"):
            found = queue(template, name)
            minutes, times = found["VisibilityTimeout"] // 60, found["RedrivePolicy"]["maxReceiveCount"]
            said = f"A message comes again after {minutes} minutes, {WORDS[times]} times at most"
            assert said in section("RunTaskErrorsAlarm")

    @pytest.mark.parametrize(
        "name", ["TaskQueue", "WebhookQueue", "ThumbnailQueue", "RefillQueue", "MailQueue", "BatchQueue"]
    )
    def test_how_often_before_it_is_a_dead_letter(self, template: Template, name: str) -> None:
        times = queue(template, name)["RedrivePolicy"]["maxReceiveCount"]
        assert f"A message that failed {WORDS[times]} times waits" in section("redrive")

    def test_how_long_dead_letters_wait(self, template: Template) -> None:
        dead = [each for name, each in template.of_type("AWS::SQS::Queue").items() if "DeadLetter" in name]
        (days,) = {each["MessageRetentionPeriod"] // 86_400 for each in dead}
        assert f"waits {days} days in a dead-letter queue" in section("redrive")

    def test_how_long_mails_and_top_ups_are_tried(self, template: Template) -> None:
        for name in ("RefillQueue", "MailQueue"):
            found = queue(template, name)
            assert found["VisibilityTimeout"] * (found["RedrivePolicy"]["maxReceiveCount"] - 1) >= 3600
        assert "after more than an hour" in section("RefillDeadLetterAlarm")

    def test_how_long_a_change_is_tried(self, template: Template) -> None:
        source = template.of_type("AWS::Lambda::EventSourceMapping")["DispatchChangesSource"]
        assert source["MaximumRecordAgeInSeconds"] == 3600
        said = f"could not be dispatched, {source['MaximumRetryAttempts']} times or for an hour"
        assert said in section("ChangesDeadLetterAlarm")

    def test_how_often_accounts_are_closed(self, template: Template) -> None:
        rules = template.of_type("AWS::Events::Rule")
        (rate,) = (each["ScheduleExpression"] for name, each in rules.items() if "CloseAccounts" in name)
        assert rate == "rate(15 minutes)"
        assert "every quarter of an hour" in section("CloseAccountsErrorsAlarm")

    def test_a_function_without_places_is_answered_503(self, template: Template) -> None:
        busy = template.source["Resources"]["Api"]["Properties"]["GatewayResponses"]["INTEGRATION_FAILURE"]
        assert busy["StatusCode"] == 503
        assert "customers get 503" in TEXT

    def test_every_queue_of_dead_letters_can_be_sent_again(self) -> None:
        assert "no redrive" not in TEXT
