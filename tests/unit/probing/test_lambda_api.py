"""Lambda's Invoke API on one machine, called by boto3 as production calls Lambda."""

import json
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.machine.lambda_api import MAX_PAYLOAD_BYTES
from local.template import Template
from tests.support.lambda_api import running_lambda_api

released = threading.Event()


def handler(event: dict[str, Any], context: Any) -> Any:
    """Do what the event says."""
    if "raise" in event:
        raise {"KeyError": KeyError, "TimeoutError": TimeoutError}[event["raise"]](event["message"])
    if "wait" in event:
        released.wait()
    return {"event": event, "function": context.function_name, "memory": context.memory_limit_in_mb}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = ModuleType("made_up")
    module.handler = handler  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "made_up", module)
    functions = {
        name: {
            "Type": "AWS::Lambda::Function",
            "Properties": {"Handler": handler_path, "Timeout": timeout_s, "MemorySize": 256},
        }
        for name, handler_path, timeout_s in [
            ("EchoFunction", "made_up.handler", 20),
            ("HastyFunction", "made_up.handler", 0.2),
            ("BrokenFunction", "no_such_module.handler", 20),
        ]
    }
    released.clear()
    with running_lambda_api(Template(source={}, resources=functions)) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        once = Config(retries={"total_max_attempts": 1})
        yield boto3.Session("local", "local", region_name="us-east-1").client("lambda", config=once)
        released.set()


def invoke(client: Any, name: str, event: Any) -> tuple[Any, str | None]:
    answer = client.invoke(FunctionName=name, Payload=json.dumps(event))
    assert answer["StatusCode"] == 200
    return json.loads(answer["Payload"].read()), answer.get("FunctionError")


class TestInvoke:
    def test_the_handler_of_the_template_is_called(self, client: Any) -> None:
        body, error = invoke(client, "EchoFunction", {"a": [1, None]})
        assert body == {"event": {"a": [1, None]}, "function": "EchoFunction", "memory": 256}
        assert error is None

    @pytest.mark.parametrize("kind", ["KeyError", "TimeoutError"])
    def test_an_exception_is_an_answer(self, client: Any, kind: str) -> None:
        body, error = invoke(client, "EchoFunction", {"raise": kind, "message": "url"})
        assert error == "Unhandled"
        assert body["errorType"] == kind
        assert "url" in body["errorMessage"]
        assert body["stackTrace"]

    def test_a_handler_that_cannot_be_imported_is_one_too(self, client: Any) -> None:
        body, error = invoke(client, "BrokenFunction", {})
        assert (body["errorType"], error) == ("ModuleNotFoundError", "Unhandled")

    def test_it_ends_at_the_timeout_of_the_template(self, client: Any) -> None:
        body, error = invoke(client, "HastyFunction", {"wait": True})
        assert (body["errorType"], error) == ("Sandbox.Timedout", "Unhandled")
        assert body["errorMessage"].endswith("Error: Task timed out after 0.20 seconds")

    def test_calls_do_not_wait_for_each_other(self, client: Any) -> None:
        waiting = threading.Thread(target=invoke, args=(client, "EchoFunction", {"wait": True}))
        waiting.start()
        assert invoke(client, "EchoFunction", {})[1] is None
        released.set()
        waiting.join()


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            ({"FunctionName": "NobodysFunction"}, "ResourceNotFoundException"),
            ({"FunctionName": "EchoFunction", "InvocationType": "DryRun"}, "InvalidParameterValueException"),
            ({"FunctionName": "EchoFunction", "Payload": b"{"}, "InvalidRequestContentException"),
            (
                {"FunctionName": "EchoFunction", "Payload": b" " * (MAX_PAYLOAD_BYTES + 1)},
                "RequestTooLargeException",
            ),
        ],
    )
    def test_each_has_lambdas_own_name(self, client: Any, arguments: dict[str, Any], code: str) -> None:
        with pytest.raises(ClientError) as raised:
            client.invoke(**arguments)
        assert raised.value.response["Error"]["Code"] == code
