"""One stem everywhere (CONTRIBUTING.md#house-rules): from the log to the code, the event and the test."""

import json
from typing import Any

import pytest

from local.template import ROOT, Template, named, stem_of

STEMS = (
    "admin",
    "api",
    "get_status",
    "text",
    "dashboard",
    "serve_mcp",
    "probe_media",
    "dispatch_changes",
    "run_batch",
    "run_response",
    "run_task",
    "make_thumbnails",
    "draw_thumbnail",
    "deliver_webhook",
    "record_usage",
    "refill_balance",
    "notify_members",
    "sweep",
    "check_ledger",
    "close_accounts",
    "visit_service",
)


ADAPTED = ("get_status", "text")


class TestStemRule:
    def test_the_template_has_exactly_these_functions(self, template: Template) -> None:
        assert {stem_of(function) for function in template.functions()} == set(STEMS)

    def test_every_folder_with_a_handler_is_deployed(self) -> None:
        assert {path.parent.name for path in (ROOT / "functions").glob("*/app.py")} <= set(STEMS)

    def test_the_handler_lies_in_the_folder_of_its_stem(self, template: Template) -> None:
        for function, properties in template.functions().items():
            stem = stem_of(function)
            # The web adapter starts a program, not a handler.
            assert properties["Handler"] == (f"{stem}/run.sh" if stem in ADAPTED else f"{stem}.app.handler")

    @pytest.mark.parametrize("stem", STEMS)
    @pytest.mark.parametrize("path", ["functions/{}/app.py", "events/{}.json", "tests/functional/test_{}.py"])
    def test_each_stem_has_its_file(self, stem: str, path: str) -> None:
        assert (ROOT / path.format(stem)).is_file()

    def test_each_function_logs_to_a_group_with_its_stem_and_a_retention(self, template: Template) -> None:
        groups = template.of_type("AWS::Logs::LogGroup")
        for function, properties in template.functions().items():
            group = groups[named(properties["LoggingConfig"]["LogGroup"])]
            assert named(group["LogGroupName"]) == f"/aws/lambda/${{AWS::StackName}}-{stem_of(function)}"
            assert named(group["RetentionInDays"]) == "LogRetentionDays"


class TestEvents:
    """The events that `sam local invoke` and the functional tests read."""

    def test_there_is_one_event_a_function(self) -> None:
        assert {path.stem for path in (ROOT / "events").glob("*.json")} == set(STEMS)

    def test_the_api_event_is_for_a_route_of_the_api(self, template: Template) -> None:
        event = _event("api")
        assert (event["httpMethod"], event["resource"]) in template.routes()

    def test_the_stream_event_holds_what_the_filters_let_through(self) -> None:
        seen = [
            (record["eventName"], record["dynamodb"]["NewImage"]["status"]["S"])
            for record in _event("dispatch_changes")["Records"]
        ]
        assert seen == [("INSERT", "not_started"), ("MODIFY", "finished")]

    def test_the_ledger_event_holds_what_the_filter_lets_through(self) -> None:
        seen = [
            (record["eventName"], record["dynamodb"]["NewImage"]["kind"]["S"])
            for record in _event("record_usage")["Records"]
        ]
        assert seen == [("INSERT", "charge"), ("INSERT", "text")]

    @pytest.mark.parametrize(
        ("stem", "fields"),
        [
            ("run_task", {"task_id", "seq"}),
            ("deliver_webhook", {"delivery_id", "seq"}),
            ("make_thumbnails", {"task_id", "url"}),
            ("run_batch", {"account_id", "batch_id"}),
            ("notify_members", {"account_id", "event_id"}),
        ],
    )
    def test_a_queue_event_has_one_message(self, stem: str, fields: set[str]) -> None:
        (record,) = _event(stem)["Records"]
        assert set(json.loads(record["body"])) == fields


def _event(stem: str) -> Any:
    return json.loads((ROOT / "events" / f"{stem}.json").read_text())
