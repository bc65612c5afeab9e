"""`functions/get_status/run.sh` with the template's own environment, started and driven as on AWS."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from local.machine.clients import aws_environment
from local.machine.emulator import Emulator, free_port
from local.template import ROOT, Template
from tests.journey.test_text_process import on_aws
from tests.support.lambda_api import running_lambda_api
from tests.support.samples import PAID_IMAGE
from tests.support.text_app import USD, TextClient
from tests.support.web_adapter import AdaptedFunction, adapted

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

FUNCTION = "GetStatusFunction"


@pytest.fixture
def function(
    template: Template,
    emulator: Emulator,
    stack_environment: dict[str, str],
    service: None,
    tmp_path: Path,
) -> Iterator[AdaptedFunction]:
    """Run the handler behind the adapter's rules; the functions that it calls run in this process."""
    declared = template.variables(FUNCTION)
    program = ROOT / "functions" / template.functions()[FUNCTION]["Handler"]
    with running_lambda_api(template) as lambda_url:
        variables = {
            **aws_environment(emulator.endpoint),
            **{name: stack_environment[name] for name in declared if name in stack_environment},
            **on_aws(declared),
            "AWS_LWA_PORT": str(free_port()),
            "AWS_ENDPOINT_URL_LAMBDA": lambda_url,
        }
        with adapted(program, variables, tmp_path / "get_status.log") as running:
            yield running


def test_it_gets_ready_calls_api_and_ends_when_told(
    function: AdaptedFunction, open_client: Callable[[int], TextClient]
) -> None:
    key = open_client(USD).account.api_key
    headers = {**function.headers, "authorization": f"Bearer {key}"}
    unknown = f"{function.url}/api/v1/task/status/task_01M7Y320TY6K5J1TP5KNRBNYR5"
    assert httpx.get(unknown, headers=headers, timeout=60).json()["error"]["code"] == "task_not_found"
    body = {"model": PAID_IMAGE, "prompt": "a lighthouse", "n": 11}
    refused = httpx.post(f"{function.url}/api/v1/images/generations", json=body, headers=headers, timeout=60)
    assert (refused.status_code, refused.json()["error"]["details"][0]["path"]) == (400, "/n")
    assert function.shut_down() in (0, -signal.SIGTERM)
    assert [line for line in function.log.read_text().splitlines() if "Cancel 0" not in line] == []
