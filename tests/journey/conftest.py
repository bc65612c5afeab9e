"""MiniStack, where transactions hold under concurrency, with the template's resources in it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.clients import Clients, aws_environment
from local.emulator import PROGRAM, Emulator
from local.service import provider_secret
from local.stack import Stack
from local.template import Template
from tollgate import bootstrap


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Give a running emulator; `make` installs it."""
    if not PROGRAM.exists():
        pytest.fail("the AWS emulator is missing: run the tests with `make test`")
    running = Emulator(Path(tmp_path_factory.mktemp("emulator")) / "emulator.log")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def stack_environment(emulator: Emulator, template: Template, simulator_url: str) -> dict[str, str]:
    """Give the environment of all functions, with the template's resources made."""
    overrides = {
        "STORAGE_URL": "https://files.test",
        "LIVE_PROVIDERS": "fal,poyo",
        "AWS_ENDPOINT_URL": emulator.endpoint,
    }
    stack = Stack(template, Clients.at(emulator.endpoint), {"Stage": "local", "LogLevel": "ERROR"}, overrides)
    stack.create(provider_secret({}, simulator_url))
    return {**aws_environment(emulator.endpoint), **stack.environment()}


@pytest.fixture
def service(stack_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Point `bootstrap` at the emulator."""
    for name, value in stack_environment.items():
        monkeypatch.setenv(name, value)
    assert os.environ["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")
    bootstrap.forget()
    yield
    bootstrap.forget()
