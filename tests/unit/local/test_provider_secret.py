"""The providers' secret of the local service: real keys from the environment, else the simulator."""

import json
from typing import Any

import pytest

from local.machine.service import PROVIDERS, provider_secret, stripe_secret

SIMULATOR = "http://127.0.0.1:1"


def secret(environment: dict[str, str]) -> Any:
    return json.loads(provider_secret(environment, SIMULATOR))


def test_all_are_simulated_without_a_key() -> None:
    simulated = {
        name: {"key": "simulated", "baseUrl": SIMULATOR + account.simulator_path}
        for name, account in PROVIDERS.items()
    }
    assert secret({}) == simulated


def test_a_key_is_enough_where_a_provider_has_an_address() -> None:
    assert secret({"FAL_KEY": "k"})["fal"] == {"key": "k"}


@pytest.mark.parametrize("only", ["MJPROXY_API_KEY", "MJPROXY_BASE_URL"])
def test_one_without_an_address_of_its_own_needs_both(only: str) -> None:
    both = {"MJPROXY_API_KEY": "k", "MJPROXY_BASE_URL": "https://mj.test"}
    assert secret(both)["mjproxy"] == {"key": "k", "baseUrl": "https://mj.test"}
    assert secret({only: both[only]})["mjproxy"]["key"] == "simulated"


def test_payments_are_simulated_until_both_of_stripes_keys_are_there() -> None:
    real = {"STRIPE_SECRET_KEY": "sk_test_1", "STRIPE_WEBHOOK_SECRET": "whsec_1"}
    assert json.loads(stripe_secret(real, SIMULATOR)) == {
        "secretKey": "sk_test_1",
        "webhookSecret": "whsec_1",
    }
    for name, value in real.items():
        only = json.loads(stripe_secret({name: value}, SIMULATOR))
        assert only["baseUrl"] == f"{SIMULATOR}/stripe"
