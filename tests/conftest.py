"""What every test stands on: no network but loopback, no AWS account, nothing left over from another test."""

import asyncio
import gc
import json
import os
import ssl
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.loaders import JSONFileLoader, Loader
from hypothesis import HealthCheck, settings
from moto import mock_aws

from local.machine.clients import REGION, Clients, aws_environment
from local.machine.emulator import PROGRAM
from local.machine.service import provider_secret
from local.machine.stack import Stack
from local.template import Template, read_template
from tests.support import quick_moto
from tests.support.clock import ManualClock
from tests.support.emulator_here import emulator_here
from tests.support.laws import examples
from tests.support.moto_stack import MotoStack
from tests.support.overrides import overrides
from tests.support.played_lambda import PlayedLambda
from tests.support.simulator import running_simulator
from tollgate.catalog import loader
from tollgate.catalog.loader import Catalog, Document, compiled
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.database import Database
from tollgate.reference import document, guides

# No timed assertions: how fast a machine draws and runs an example says nothing about the code.
# In CI the examples are the same in each run (hypothesis's own profile "ci").
PARENT = settings.get_profile("ci" if os.environ.get("CI") else "default")
settings.register_profile(
    "untimed",
    PARENT,
    deadline=None,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")

# In the place of a module, `None` is one that is not there: no function has these (layers/extra/Makefile).
sys.modules.update({"stripe.params": None, "stripe.events": None})  # type: ignore[dict-item]

quick_moto.install()
# Each HTTP client reads all certificates of the machine, for 20 ms; nobody here speaks TLS.
ssl.create_default_context = cache(ssl.create_default_context)  # type: ignore[assignment]

_load_file, _load_once = JSONFileLoader.load_file, cache(partial(JSONFileLoader.load_file, JSONFileLoader()))
# Each session of the SDK reads how each service is spoken to; `kit/aws/sdk.py` changes that of DynamoDB.
JSONFileLoader.load_file = lambda loader, path: (  # type: ignore[assignment,method-assign]
    _load_file(loader, path) if "dynamodb" in path else _load_once(path)
)

_list_services = Loader.list_available_services
_listed: dict[tuple[str, ...], list[str]] = {}


def _list_once(loader: Loader, type_name: str) -> list[str]:
    """Return the services of the SDK: each session lists hundreds of folders, which stay as they are."""
    key = type_name, *loader.search_paths
    if key not in _listed:
        _listed[key] = _list_services(loader, type_name)
    return _listed[key]


Loader.list_available_services = _list_once  # type: ignore[assignment,method-assign]

_read_yaml, _read_once = loader.read_yaml, cache(loader.read_yaml)
# Files that ship stay as they are, and are read for many tables of tests and for the pages of each one.
_SHIPPED = Path(loader.__file__).parents[1]
for _reader in (loader, document, guides):
    _reader.read_yaml = lambda file: (_read_once if _SHIPPED in file.parents else _read_yaml)(file)  # type: ignore[attr-defined]

pytest_plugins = [
    "tests.support.iam.recorder",
    "tests.support.missing",
    "tests.support.shared_service",
    "tests.support.text_app",
]


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Show each fault of a list that should be empty; pytest shows only the first one."""
    if op == "==" and isinstance(left, list) and right == []:
        return [f"nothing, but found {len(left)}:", *map(str, left)]
    return None


# Mangum takes this thread's loop when a handler is imported; it would make one, and leave it open.
_loops = [asyncio.new_event_loop()]
asyncio.set_event_loop(_loops[-1])
# Forked processes would share the epoll of the loop: if one closes it, others hang.
os.register_at_fork(after_in_child=lambda: _loops.append(asyncio.new_event_loop()))


# What is imported and collected stays to the end, so no collection of garbage has to look at it.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of a group in a row, before all others: they share a service, which starts slowly."""
    items.sort(key=_group)


def _group(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    return str(marker.args[0]) if marker else "~"


@pytest.fixture
def anyio_backend() -> str:
    """Return the loop of the tests that are coroutines."""
    return "asyncio"


@pytest.fixture(scope="session")
def template() -> Template:
    """Return the translated template."""
    return read_template()


@pytest.fixture(scope="session", autouse=True)
def no_aws_account() -> Iterator[None]:
    """Make sure that a client that escapes its emulator has nothing to sign with."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in aws_environment("").items():
            patch.setenv(name, value)
        patch.delenv("AWS_ENDPOINT_URL")
        yield


def pytest_runtest_setup() -> None:
    """Return Mangum its loop back: `asyncio.run` in an earlier test took it from the thread."""
    asyncio.set_event_loop(_loops[-1])


@pytest.fixture(scope="session", autouse=True)
def one_loop() -> Iterator[None]:
    """Close the loop that Mangum uses."""
    yield
    _loops[-1].close()


@pytest.fixture(scope="session")
def simulator_url() -> Iterator[str]:
    """Return the address of a running provider simulator."""
    with running_simulator() as url:
        yield url


class KeptDocument(Document):
    """The data of all models; one that was read is kept, for every test's catalog of what is live."""

    def __init__(self, models: Mapping[str, Any]) -> None:
        super().__init__(models)
        self._read: dict[tuple[str, str], Any] = {}

    def read(self, model_id: str, day: str = "") -> Any:
        """Return the model, or None."""
        if (model_id, day) not in self._read:
            self._read[model_id, day] = super().read(model_id, day)
        return self._read[model_id, day]


@dataclass(frozen=True, slots=True)
class Aws:
    """The template's resources in moto, with the environment of the functions set to them."""

    clients: Clients
    stack: Stack

    def files(self) -> list[str]:
        """Return the keys in the bucket of media."""
        found = self.clients.s3.list_objects_v2(Bucket=self.stack.refs["MediaBucket"])
        return [each["Key"] for each in found.get("Contents", [])]

    def messages(self, queue: str) -> list[str]:
        """Take the messages that a queue has now, by the queue's logical id."""
        url = self.stack.refs[queue]
        found = []
        while taken := self.clients.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            found += [message["Body"] for message in taken]
            for message in taken:
                self.clients.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return found


@cache
def moto_clients() -> Clients:
    """Return clients that moto answers; it must be patching the SDK when they are made and used."""
    return Clients.at(None)


@cache
def moto_client(service: str) -> Any:
    """Return another client that moto answers."""
    return boto3.client(service, REGION)  # type: ignore[call-overload]


@cache
def shipped_catalog() -> Catalog:
    """Return the catalog that ships, read once: from its files it takes longer than most tests."""
    return Catalog(KeptDocument(json.loads(compiled())))


def identity(value: Any) -> Any:
    """Return the value."""
    return value


def keep_clients(clients: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `composition` use these clients, and read the catalog once: both take longer than most tests."""
    for name, client in clients.items():
        monkeypatch.setattr(sdk, name, cache(partial(identity, client)))
    monkeypatch.setattr(Catalog, "shipped", shipped_catalog)


def repeat_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the pauses before a repeat: moto has no other user, so it has the same answer after them."""
    monkeypatch.setattr(Database.__init__, "__defaults__", (_let_others_run,))
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=_let_others_run))


def _let_others_run(seconds: float) -> None:
    del seconds
    time.sleep(0)


@pytest.fixture(scope="session")
def moto_stack(template: Template, simulator_url: str) -> MotoStack:
    """Return the template's resources as each test finds them in moto."""
    with mock_aws():
        stack = Stack(template, moto_clients(), {"Stage": "local", "LogLevel": "WARNING"}, overrides())
        stack.create({"ProviderSecret": provider_secret({}, simulator_url)})
        return MotoStack(stack)


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, moto_stack: MotoStack, clock: ManualClock) -> Iterator[Aws]:
    """Return the template's resources in moto; providers are simulated, time is moved by hand."""
    with mock_aws():
        clients = moto_clients()
        kept = {
            "dynamodb": clients.dynamodb,
            "streams": clients.streams,
            "sqs": clients.sqs,
            "s3": clients.s3,
            "secrets_manager": clients.secrets,
            "lambda_": moto_client("lambda"),
            "lambda_for_thumbnails": moto_client("lambda"),
            "lambda_for_creates": PlayedLambda(),
            "ssm": moto_client("ssm"),
        }
        keep_clients(kept, monkeypatch)
        monkeypatch.setattr(sdk, "cognito", partial(moto_client, "cognito-idp"))
        repeat_at_once(monkeypatch)
        quick_moto.unsigned(monkeypatch)
        moto_stack.restore()
        for name, value in moto_stack.environment.items():
            monkeypatch.setenv(name, value)
        parts.forget()
        yield Aws(clients, moto_stack.stack)
        parts.forget()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """Return the clock of all parts that `composition` joins, moved by hand."""
    manual = ManualClock()
    monkeypatch.setattr(parts, "SystemClock", lambda: manual)
    return manual


@pytest.fixture(scope="session")
def emulator_url() -> Iterator[str]:
    """Return the address of the emulator; `make` installs it."""
    if not PROGRAM.exists():
        pytest.fail("the AWS emulator is missing: run the tests with `make test`")
    with emulator_here() as url:
        yield url


@pytest.fixture(scope="session")
def stack_environment(emulator_url: str, template: Template, simulator_url: str) -> dict[str, str]:
    """Return the environment of all functions, with the template's resources made."""
    variables = overrides(AWS_ENDPOINT_URL=emulator_url)
    stack = Stack(template, Clients.at(emulator_url), {"Stage": "local", "LogLevel": "ERROR"}, variables)
    stack.create({"ProviderSecret": provider_secret({}, simulator_url)})
    return {**aws_environment(emulator_url), **stack.environment()}


@pytest.fixture(scope="session")
def emulator_clients(stack_environment: dict[str, str]) -> dict[str, Any]:
    """Return the functions' own clients of the emulator, by the name of what returns them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in stack_environment.items():
            patch.setenv(name, value)
        sdk.forget_clients()
        names = ("dynamodb", "streams", "sqs", "s3", "secrets_manager")
        made = {name: getattr(sdk, name)() for name in names}
        sdk.forget_clients()
    return made


@pytest.fixture
def service(
    stack_environment: dict[str, str], emulator_clients: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Point `composition` at the emulator."""
    for name, value in stack_environment.items():
        monkeypatch.setenv(name, value)
    keep_clients(emulator_clients, monkeypatch)
    quick_moto.unsigned(monkeypatch)
    assert os.environ["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")
    parts.forget()
    yield
    parts.forget()
