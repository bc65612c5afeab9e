"""One deployment for all tests, in their order: used, deployed over, deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator import Emulator
from local.service import PROVIDERS
from tests.e2e.deployment import SAM, Deployment
from tests.support.customer import Customer, customer_of

CREDIT_CENTS = 1000
LIVE = ("fal", "openai")
COLD_START_S = 180.0
"""The emulator unpacks all layers for each process that it starts: seconds, and minutes on a busy machine."""
POLL_S = 0.5

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


@pytest.fixture(scope="session")
def strict_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Return an emulator that enforces IAM."""
    if not SAM.exists():
        pytest.fail("the SAM CLI is missing: run these tests with `make e2e`")
    running = Emulator(Path(tmp_path_factory.mktemp("e2e")) / "emulator.log", SETTINGS)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def built(strict_emulator: Emulator) -> Deployment:
    """Return the deployment, built and no more."""
    deployment = Deployment(strict_emulator.endpoint)
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
def customer(deployment: Deployment) -> Iterator[Customer]:
    """Return a customer of the deployment."""
    opened = deployment.tollgate("accounts", "open", "--balance-cents", str(CREDIT_CENTS), "--json")
    key, secret = opened["apiKey"], opened["webhookSecret"]
    with customer_of(deployment.base_url, key, secret, patience_s=COLD_START_S, poll_s=POLL_S) as found:
        yield found
