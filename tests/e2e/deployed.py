"""A stack that is there, in an AWS account or in an emulator, as its operator and its customers see it."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from urllib.parse import urlsplit

import boto3
import httpx
import pytest
from botocore.config import Config

from local.machine.clients import REGION, aws_environment
from local.template import ROOT

TIMEOUT_S = 900
"""Of one program; a deployment into the emulator takes 2 minutes on a machine that does nothing else."""
ANSWER_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Deployed:
    """A stack by its name, in the emulator at `endpoint`; without one, in the account of the environment."""

    stack: str
    endpoint: str | None = None

    def tollgate(self, *words: str, stdin: str = "") -> Any:
        """Run the operator's command on the stack; give its answer."""
        command = [sys.executable, "-m", "tollgate", *words, "--stack", self.stack]
        return json.loads(self.run(command, stdin=stdin))

    def doctor(self) -> list[dict[str, str]]:
        """Return what `tollgate doctor` finds; it ends with 1 where something is to be done."""
        command = [sys.executable, "-m", "tollgate", "doctor", "--json", "--stack", self.stack]
        findings: list[dict[str, str]] = json.loads(self.run(command, ends=(0, 1)))["findings"]
        return findings

    def client(self, service: str) -> Any:
        """Return a client of whoever deployed: in the emulator that is its root user."""
        return _client(service, self.endpoint)

    def physical(self, logical_id: str) -> str:
        """Return the name of a resource."""
        found = self.client("cloudformation").describe_stack_resource(
            StackName=self.stack, LogicalResourceId=logical_id
        )
        return str(found["StackResourceDetail"]["PhysicalResourceId"])

    @cached_property
    def functions(self) -> list[str]:
        """Return the logical ids of its functions: a parameter may have left some of the template's out."""
        pages = (
            self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=self.stack)
        )
        found = [each for page in pages for each in page["StackResourceSummaries"]]
        return [
            each["LogicalResourceId"] for each in found if each["ResourceType"] == "AWS::Lambda::Function"
        ]

    def log(self, function: str) -> list[str]:
        """Return what a function has logged."""
        group = self.physical(function.replace("Function", "LogGroup"))
        pages = self.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
        return [event["message"] for page in pages for event in page["events"]]

    @cached_property
    def base_url(self) -> str:
        """Return the output `BaseUrl`, or where the emulator serves what is there on AWS."""
        address = self._outputs["BaseUrl"]
        if self.endpoint is None:
            return address
        api_id = address.removeprefix("https://").partition(".")[0]
        return f"{self.endpoint}/_aws/execute-api/{api_id}/live"

    def opened(self, url: str) -> bytes:
        """Return a stored file, read from the distribution as a browser would."""
        parts = urlsplit(url)
        assert f"https://{parts.hostname}" == self._outputs["StorageUrl"]
        # The emulator tells distributions by the host header
        at = f"{self.endpoint}{parts.path}" if self.endpoint else url
        found = httpx.get(at, headers={"host": parts.hostname or ""}, timeout=ANSWER_TIMEOUT_S)
        return found.raise_for_status().content

    def built_file(self, path: str) -> bytes:
        """Return a package of a client, or an image, as clients receive it.

        The emulator's gateway buffers responses and returns no bytes, so there the function is called.
        """
        if not self.endpoint:
            found = httpx.get(f"{self.base_url}{path}", timeout=ANSWER_TIMEOUT_S)
            return found.raise_for_status().content
        event = json.loads((ROOT / "events/get_status.json").read_bytes()) | {"path": path}
        name = self.physical("GetStatusFunction")
        answer = self.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event))
        return b64decode(json.load(answer["Payload"])["body"])

    @cached_property
    def _outputs(self) -> dict[str, str]:
        (stack,) = self.client("cloudformation").describe_stacks(StackName=self.stack)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

    def run(
        self,
        command: list[str],
        stdin: str = "",
        ends: Sequence[int] = (0,),
    ) -> str:
        """Run a program where this stack is, and return what it prints; fails the test for another end."""
        ours = dict(os.environ)
        if self.endpoint:
            # Nothing that could lead to a real account; where the registry is stays
            ours = {name: value for name, value in ours.items() if not name.startswith("AWS_")}
            ours |= aws_environment(self.endpoint)
        run = subprocess.run(
            command,
            cwd=ROOT,
            env={**ours, "SAM_CLI_TELEMETRY": "0"},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if run.returncode not in ends:
            pytest.fail(f"{' '.join(command)}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
        return run.stdout


@cache
def _client(service: str, endpoint: str | None) -> Any:
    session = boto3.Session("local", "local", region_name=REGION) if endpoint else boto3.Session()
    return session.client(service, endpoint_url=endpoint, config=Config(read_timeout=TIMEOUT_S))  # type: ignore[call-overload]
