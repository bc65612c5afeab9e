"""One stack for all tests, in their order: used, deployed over, deleted.

The tests make it, in an emulator of their own. `E2E_STACK=<name>` names one that is there instead: in the AWS
account of the environment, or in an emulator at AWS_ENDPOINT_URL. Tests marked `emulator` are left out then.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from local.machine.emulator import Emulator
from local.machine.service import PROVIDERS
from tests.e2e.deployed import Deployed
from tests.e2e.deployment import PYTHON, STACK, Deployment
from tests.support.customer import Customer, customer_of
from tests.support.samples import PAID_IMAGE, PAID_IMAGE_CENTS

NAMED_STACK = os.environ.get("E2E_STACK")
NAMED_ENDPOINT = os.environ.get("AWS_ENDPOINT_URL")
CREDIT_CENTS = 1000
LIVE = ("fal", "openai")
COLD_START_S = 180.0
"""The emulator starts several processes at once: seconds, and minutes on a busy machine."""
POLL_S = 0.5
HERE = Path(__file__).parent

SETTINGS = {
    # Each call is checked against the policies of the role that makes it
    "AUTH": "true",
    # Its root user, as `aws_environment` has it
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    # What AWS gives; it would take a number that depends on this machine's memory
    "LAMBDA_ACCOUNT_CONCURRENCY": "1000",
    # The functions get what it has: the customer's receiver is on this machine
    "TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1",
}


@dataclass(frozen=True)
class Offer:
    """What is asked for, and its price: whole cents for an image, micro-USD for 100 tokens of a chat."""

    image: str
    image_cents: int
    chat: str
    prompt_micro_usd: int
    answer_micro_usd: int

    def body(self, prompt: str) -> dict[str, Any]:
        """Return the body of a create."""
        return {"model": self.image, "input": {"prompt": prompt, "size": "1:1"}}

    def chatted(self, **more: Any) -> dict[str, Any]:
        """Return the body of a chat."""
        return {"model": self.chat, "messages": [{"role": "user", "content": "Say hello"}], **more}


# $0.75 and $4.50 a million tokens (catalog/data/text)
PAID = Offer(PAID_IMAGE, PAID_IMAGE_CENTS, "gpt-5.4-mini", 75, 450)
FREE = Offer("test-image", 0, "test-chat", 0, 0)
"""Models that the service makes itself: a stack without any provider's key has them (site/test-models.md)."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs the emulator if a stack is named, and let the others out of this machine."""
    if NAMED_STACK is None:
        return
    ours = [item for item in items if HERE in item.path.parents]
    left_out = [item for item in ours if item.get_closest_marker("emulator")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
    for item in ours:
        item.add_marker(pytest.mark.enable_socket)


if NAMED_STACK is not None:

    @pytest.fixture(autouse=True)
    def no_aws_account() -> None:
        """Leave the environment's account, where the named stack is."""


@pytest.fixture(scope="session")
def strict_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Return an emulator that enforces IAM."""
    log = Path(tmp_path_factory.mktemp("e2e")) / "emulator.log"
    running = Emulator(log, SETTINGS, program=[str(PYTHON), str(HERE / "emulator_process.py")])
    yield running
    running.stop()


@pytest.fixture(scope="session")
def built(strict_emulator: Emulator) -> Deployment:
    """Return the deployment, built and no more."""
    deployment = Deployment(STACK, strict_emulator.endpoint)
    deployment.build()
    return deployment


@pytest.fixture(scope="session")
def deployment(built: Deployment, simulator_url: str) -> Deployment:
    """Return the deployment, ready for customers: the simulator's address is with the providers' keys."""
    built.deploy()
    for provider in LIVE:
        url = simulator_url + PROVIDERS[provider].simulator_path
        built.tollgate("secrets", "set", provider, "--base-url", url, "--json", stdin="simulated\n")
    return built


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Deployed:
    """Return the stack that is named, or else the one that these tests deploy."""
    if NAMED_STACK is not None:
        return Deployed(NAMED_STACK, NAMED_ENDPOINT)
    made: Deployed = request.getfixturevalue("deployment")
    return made


@pytest.fixture
def offer() -> Offer:
    """Return what is asked for. The providers of the stack that these tests deploy are simulated."""
    return PAID if NAMED_STACK is None else FREE


@pytest.fixture(scope="session")
def customer(stack: Deployed) -> Iterator[Customer]:
    """Return a new customer of the stack."""
    opened = stack.tollgate("accounts", "open", "--balance-cents", str(CREDIT_CENTS), "--json")
    key, secret = opened["apiKey"], opened["webhookSecret"]
    with customer_of(stack.base_url, key, secret, patience_s=COLD_START_S, poll_s=POLL_S) as found:
        # AWS cannot reach this machine; the stack answers 200 to a provider's callback, whichever it is
        own = f"{stack.base_url}/api/v1/callbacks/test/e2e"
        if stack.endpoint:
            # Its functions start slowly: the first task may expire, after 60 s, before it runs
            found.follow(FREE.body("the first"))
        yield found if stack.endpoint else replace(found, receiver=own)
