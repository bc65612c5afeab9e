"""Settings: read once, by name, and refused where they are not safe."""

import os

import pytest
from pydantic import ValidationError

from tollgate.kit.settings import (
    ApiSettings,
    CheckLedgerSettings,
    DeliverWebhookSettings,
    DispatchChangesSettings,
    RunTaskSettings,
    Settings,
    SweepSettings,
)

ALL = (
    ApiSettings,
    CheckLedgerSettings,
    DeliverWebhookSettings,
    DispatchChangesSettings,
    RunTaskSettings,
    SweepSettings,
)
SWITCHES = ("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS", "TOLLGATE_ALLOW_LOOPBACK_MEDIA")


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {field.upper() for settings in ALL for field in settings.model_fields}:
        monkeypatch.delenv(name, raising=False)


def set_all(monkeypatch: pytest.MonkeyPatch, settings: type[Settings], stage: str = "prod") -> None:
    for field in settings.model_fields:
        if not field.startswith("tollgate_"):
            value = "7" if settings.model_fields[field].annotation is int else f"value of {field}"
            monkeypatch.setenv(field.upper(), value)
    monkeypatch.setenv("STAGE", stage)


class TestFromEnv:
    @pytest.mark.parametrize("settings", ALL)
    def test_each_field_is_the_variable_of_its_name(
        self, monkeypatch: pytest.MonkeyPatch, settings: type[Settings]
    ) -> None:
        set_all(monkeypatch, settings)
        found = settings.from_env().model_dump()
        for field in settings.model_fields:
            if not field.startswith("tollgate_"):
                assert str(found[field]) == os.environ[field.upper()]

    @pytest.mark.parametrize(
        ("settings", "missing"),
        [
            (settings, field)
            for settings in ALL
            for field in settings.model_fields
            if not field.startswith("tollgate_")
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
        with pytest.raises(ValidationError, match=missing):
            settings.from_env()

    @pytest.mark.parametrize("stage", ["production", "LOCAL", "test"])
    def test_an_unknown_stage_is_refused(self, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
        monkeypatch.setenv("STAGE", stage)
        with pytest.raises(ValidationError, match="stage"):
            Settings.from_env()


class TestLoopbackSwitches:
    @pytest.mark.parametrize("switch", SWITCHES)
    @pytest.mark.parametrize("stage", ["dev", "prod"])
    def test_on_aws_an_open_switch_refuses_to_start(
        self, monkeypatch: pytest.MonkeyPatch, switch: str, stage: str
    ) -> None:
        monkeypatch.setenv("STAGE", stage)
        monkeypatch.setenv(switch, "1")
        with pytest.raises(ValidationError, match="local mode only"):
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
        with pytest.raises(ValidationError, match="frozen"):
            Settings.from_env().stage = "local"  # type: ignore[misc]
