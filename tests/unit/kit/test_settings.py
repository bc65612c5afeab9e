"""Settings: read once, by name, and refused where they are not safe."""

import os
from dataclasses import FrozenInstanceError, asdict, fields

import pytest

from tollgate.composition.api import ApiSettings
from tollgate.composition.check_ledger import CheckLedgerSettings
from tollgate.composition.deliver_webhook import DeliverWebhookSettings
from tollgate.composition.dispatch_changes import DispatchChangesSettings
from tollgate.composition.run_task import RunTaskSettings
from tollgate.composition.sweep import SweepSettings
from tollgate.kit.settings import Settings, SettingsError, unpacked

ALL = (
    ApiSettings,
    CheckLedgerSettings,
    DeliverWebhookSettings,
    DispatchChangesSettings,
    RunTaskSettings,
    SweepSettings,
)
SWITCHES = ("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS", "TOLLGATE_ALLOW_LOOPBACK_MEDIA")


OPTIONAL = {(ApiSettings, name) for name in ("probe_function", "exporter_arn", "stripe_tax")}
VALUES: dict[object, str] = {int: "7", bool: "true"}
TYPES = {field.name: field.type for settings in ALL for field in fields(settings)}


def names(settings: type[Settings]) -> list[str]:
    return [field.name for field in fields(settings)]


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {field.upper() for settings in ALL for field in names(settings)}:
        monkeypatch.delenv(name, raising=False)


def set_all(monkeypatch: pytest.MonkeyPatch, settings: type[Settings], stage: str = "prod") -> None:
    for field in names(settings):
        if not field.startswith("tollgate_"):
            value = VALUES.get(TYPES[field], f"value of {field}")
            monkeypatch.setenv(field.upper(), value)
    monkeypatch.setenv("STAGE", stage)


class TestFromEnv:
    @pytest.mark.parametrize("settings", ALL)
    def test_each_field_is_the_variable_of_its_name(
        self, monkeypatch: pytest.MonkeyPatch, settings: type[Settings]
    ) -> None:
        set_all(monkeypatch, settings)
        found = asdict(settings.from_env())
        for field in names(settings):
            if not field.startswith("tollgate_"):
                assert str(found[field]).lower() == os.environ[field.upper()].lower()

    @pytest.mark.parametrize(
        ("settings", "missing"),
        [
            (settings, field)
            for settings in ALL
            for field in names(settings)
            # The others may be left out.
            if not field.startswith("tollgate_")
            and field != "allowed_origin"
            and (settings, field) not in OPTIONAL
        ],
    )
    @pytest.mark.parametrize("empty", [False, True])
    def test_a_missing_or_empty_variable_is_named(
        self, monkeypatch: pytest.MonkeyPatch, settings: type[Settings], missing: str, empty: bool
    ) -> None:
        set_all(monkeypatch, settings)
        if empty:
            monkeypatch.setenv(missing.upper(), "")
        else:
            monkeypatch.delenv(missing.upper())
        with pytest.raises(SettingsError, match=f"{missing.upper()} is missing"):
            settings.from_env()

    @pytest.mark.parametrize("stage", ["production", "LOCAL", "test"])
    def test_an_unknown_stage_is_refused(self, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
        monkeypatch.setenv("STAGE", stage)
        with pytest.raises(SettingsError, match="STAGE"):
            Settings.from_env()


class TestUnpacked:
    """Tables and queues stand together in one variable each."""

    def test_tables(self) -> None:
        told = {"STAGE": "dev", "TABLES": "tasks=one-TasksTable-1, api_keys=one-ApiKeysTable-2"}
        assert unpacked(told) == {
            "STAGE": "dev",
            "TASKS_TABLE": "one-TasksTable-1",
            "API_KEYS_TABLE": "one-ApiKeysTable-2",
        }

    @pytest.mark.parametrize(
        "place", ["https://sqs.eu-west-1.amazonaws.com/1234", "http://127.0.0.1:4566/0000"]
    )
    def test_a_queue_is_in_the_same_place_as_the_first(self, place: str) -> None:
        told = {"QUEUES": f"task_queue={place}/one-TaskQueue-1, task_dlq=one-TaskDeadLetterQueue-2"}
        assert unpacked(told) == {
            "TASK_QUEUE_URL": f"{place}/one-TaskQueue-1",
            "TASK_DLQ_URL": f"{place}/one-TaskDeadLetterQueue-2",
        }

    def test_a_variable_of_its_own_wins(self) -> None:
        assert unpacked({"TASKS_TABLE": "mine", "TABLES": "tasks=other"}) == {"TASKS_TABLE": "mine"}

    def test_a_function_reads_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        set_all(monkeypatch, CheckLedgerSettings)
        for field in names(CheckLedgerSettings):
            if field.endswith("_table"):
                monkeypatch.delenv(field.upper())
        monkeypatch.setenv("TABLES", "accounts=a-1, ledger=l-1, checkpoints=c-1")
        found = CheckLedgerSettings.from_env()
        assert (found.accounts_table, found.ledger_table, found.checkpoints_table) == ("a-1", "l-1", "c-1")


class TestLoopbackSwitches:
    @pytest.mark.parametrize("switch", SWITCHES)
    @pytest.mark.parametrize("stage", ["dev", "prod"])
    def test_on_aws_an_open_switch_refuses_to_start(
        self, monkeypatch: pytest.MonkeyPatch, switch: str, stage: str
    ) -> None:
        monkeypatch.setenv("STAGE", stage)
        monkeypatch.setenv(switch, "1")
        with pytest.raises(SettingsError, match="local mode only"):
            Settings.from_env()

    @pytest.mark.parametrize("switch", SWITCHES)
    def test_on_one_machine_it_opens(self, monkeypatch: pytest.MonkeyPatch, switch: str) -> None:
        monkeypatch.setenv("STAGE", "local")
        monkeypatch.setenv(switch, "1")
        assert getattr(Settings.from_env(), switch.lower()) is True

    @pytest.mark.parametrize("stage", ["dev", "prod", "local"])
    @pytest.mark.parametrize("value", [None, "", "0", "false"])
    def test_it_is_closed_unless_opened(
        self, monkeypatch: pytest.MonkeyPatch, stage: str, value: str | None
    ) -> None:
        monkeypatch.setenv("STAGE", stage)
        for switch in SWITCHES:
            if value is not None:
                monkeypatch.setenv(switch, value)
        settings = Settings.from_env()
        assert not settings.tollgate_allow_loopback_webhooks
        assert not settings.tollgate_allow_loopback_media

    def test_settings_do_not_change_after_the_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("STAGE", "prod")
        with pytest.raises(FrozenInstanceError):
            Settings.from_env().stage = "local"  # type: ignore[misc]


class TestForms:
    @pytest.mark.parametrize(("text", "read"), [("true", True), ("1", True), ("False", False), ("0", False)])
    def test_a_switch(self, monkeypatch: pytest.MonkeyPatch, text: str, read: bool) -> None:
        monkeypatch.setenv("STAGE", "local")
        monkeypatch.setenv("TOLLGATE_ALLOW_LOOPBACK_MEDIA", text)
        assert Settings.from_env().tollgate_allow_loopback_media is read

    @pytest.mark.parametrize("text", ["yes please", "2"])
    def test_what_is_no_switch_is_refused(self, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
        monkeypatch.setenv("STAGE", "local")
        monkeypatch.setenv("TOLLGATE_ALLOW_LOOPBACK_MEDIA", text)
        with pytest.raises(SettingsError, match="TOLLGATE_ALLOW_LOOPBACK_MEDIA must be one of"):
            Settings.from_env()

    @pytest.mark.parametrize("text", ["-1", "0", "1000000", "many", "6e1", "²"])
    def test_a_rate_that_is_none_is_refused(self, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
        set_all(monkeypatch, ApiSettings)
        monkeypatch.setenv("REQUESTS_PER_MINUTE", text)
        with pytest.raises(SettingsError, match="REQUESTS_PER_MINUTE must be"):
            ApiSettings.from_env()

    def test_every_fault_is_told_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        set_all(monkeypatch, RunTaskSettings, "nowhere")
        monkeypatch.setenv("MEDIA_RETENTION_DAYS", "some")
        monkeypatch.delenv("TASKS_TABLE")
        with pytest.raises(SettingsError) as raised:
            RunTaskSettings.from_env()
        assert [fault.split()[0] for fault in str(raised.value).split("; ")] == [
            "STAGE",
            "TASKS_TABLE",
            "MEDIA_RETENTION_DAYS",
        ]
