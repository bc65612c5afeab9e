"""What every test stands on: no network but loopback, no AWS account, nothing left over from another test."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from moto import mock_aws

from local.clients import Clients, aws_environment
from local.stack import Stack
from local.template import Template, read_template
from tests.support.clock import ManualClock
from tests.support.simulator import running_simulator
from tollgate import bootstrap

STORAGE_URL = "https://files.test"


@pytest.fixture(scope="session")
def template() -> Template:
    """Give the translated template."""
    return read_template()


@pytest.fixture(autouse=True)
def no_aws_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sure that a client that escapes its emulator has nothing to sign with."""
    for name, value in aws_environment("").items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL")


@pytest.fixture(scope="session")
def simulator_url() -> Iterator[str]:
    """Give the address of a running provider simulator."""
    with running_simulator() as url:
        yield url


@dataclass(frozen=True, slots=True)
class Aws:
    """The template's resources in moto, with the environment of the functions set to them."""

    clients: Clients
    stack: Stack

    def messages(self, queue: str) -> list[str]:
        """Take the messages that a queue has now, by the queue's logical id."""
        url = self.stack.refs[queue]
        found = []
        while taken := self.clients.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            found += [message["Body"] for message in taken]
            for message in taken:
                self.clients.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return found


@pytest.fixture
def aws(
    monkeypatch: pytest.MonkeyPatch,
    template: Template,
    simulator_url: str,
    clock: ManualClock,
) -> Iterator[Aws]:
    """Give the template's resources in moto; providers are simulated, time is moved by hand."""
    from local.service import provider_secret  # noqa: PLC0415 - the runner, for this fixture only

    with mock_aws():
        clients = Clients.at(None)
        overrides = {"STORAGE_URL": STORAGE_URL, "LIVE_PROVIDERS": "fal,poyo"}
        stack = Stack(template, clients, {"Stage": "local", "LogLevel": "WARNING"}, overrides)
        stack.create(provider_secret({}, simulator_url))
        for name, value in stack.environment().items():
            monkeypatch.setenv(name, value)
        bootstrap.forget()
        yield Aws(clients, stack)
        bootstrap.forget()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """Give the clock of all parts that `bootstrap` joins, moved by hand."""
    manual = ManualClock()
    monkeypatch.setattr(bootstrap, "SystemClock", lambda: manual)
    return manual
