"""The sign-in without a password exists on one machine, and nowhere else."""

from dataclasses import MISSING, fields

import pytest

from tollgate.composition.dashboard import DashboardSettings
from tollgate.kit.settings import SettingsError

ENVIRONMENT = {
    field.name.upper(): "7" if field.type is int else "x"
    for field in fields(DashboardSettings)
    if field.default is MISSING
}


class TestDevelopmentSignIn:
    def settings(self, monkeypatch: pytest.MonkeyPatch, stage: str) -> DashboardSettings:
        for name, value in {**ENVIRONMENT, "STAGE": stage}.items():
            monkeypatch.setenv(name, value)
        return DashboardSettings.from_env()

    @pytest.mark.parametrize("stage", ["dev", "prod"])
    def test_on_aws_the_function_does_not_start_with_it(
        self, monkeypatch: pytest.MonkeyPatch, stage: str
    ) -> None:
        monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")
        with pytest.raises(SettingsError, match="TOLLGATE_DEVELOPMENT_SIGN_IN is for local mode only"):
            self.settings(monkeypatch, stage)

    def test_on_one_machine_it_starts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")
        assert self.settings(monkeypatch, "local").tollgate_development_sign_in

    @pytest.mark.parametrize("stage", ["dev", "prod", "local"])
    def test_it_is_off_unless_it_is_asked_for(self, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
        monkeypatch.delenv("TOLLGATE_DEVELOPMENT_SIGN_IN", raising=False)
        assert not self.settings(monkeypatch, stage).tollgate_development_sign_in
