"""The template in the emulator, put there by `sam` itself, and what its operator and its customers see."""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from samtranslator.yaml_helper import yaml_parse

from local.clients import REGION, aws_environment
from local.template import ROOT
from local.throwaway import thrown_away

SAM = ROOT / ".local" / "sam" / "bin" / "sam"
PYTHON = ROOT / ".local" / "ministack" / "bin" / "python"
"""What the emulator runs functions with, so what the layers are built for."""
BUILD = ROOT / ".local" / "e2e"
BUILT_TEMPLATE = BUILD / "template.yaml"
ARCHITECTURE = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
"""The emulator runs the functions on this machine's processor."""
STACK = "tollgate-e2e"
TIMEOUT_S = 900
"""Of one program; a deployment takes 2 minutes on a machine that does nothing else."""

UNSUPPORTED = {
    # It has no streamed integrations, and a buffered one may take 29 s
    "ResponseTransferMode: RESPONSE_STREAM": "ResponseTransferMode: BUFFERED",
    "TimeoutInMillis: 900000": "TimeoutInMillis: 29000",
    # It takes a parameter for the text that it was given as, and compares it with a number
    "MaximumConcurrency:\n          Ref: TaskConcurrency": "MaximumConcurrency: 100",
    "MaximumConcurrency:\n          Ref: PollConcurrency": "MaximumConcurrency: 100",
    # It speaks no TLS
    "ViewerProtocolPolicy: redirect-to-https": "ViewerProtocolPolicy: allow-all",
}
"""What the emulator cannot do, and what stands in the built template instead."""
UNKNOWN_TYPES = ("AWS::WAFv2::WebACLAssociation", "AWS::Backup::BackupSelection", "AWS::Budgets::Budget")
"""Resources that it has not got; it refuses a template that names them (decision 0026)."""


@dataclass(frozen=True)
class Deployment:
    """A stack in the emulator at `endpoint`."""

    endpoint: str
    stack: str = STACK

    def build(self) -> None:
        """Run `sam build` on the template of the repository; the layers are for the emulator's Python."""
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        version = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout
        target = {
            "PYTHON_VERSION": version.strip(),
            "LAYER_PYTHON": str(PYTHON),
            "ARCHITECTURE": ARCHITECTURE,
        }
        overrides = ["--parameter-overrides", f"Architecture={ARCHITECTURE}"]
        self._run([str(SAM), "build", "--build-dir", str(BUILD), *overrides], target)
        # It is deleted at the end, and shall leave nothing
        text = without_metric_math(thrown_away(BUILT_TEMPLATE.read_text()))
        for wanted, possible in UNSUPPORTED.items():
            assert wanted in text, f"the template has no {wanted} any more"
            text = text.replace(wanted, possible)
        BUILT_TEMPLATE.write_text(text)

    def deploy(self) -> None:
        """Run `sam deploy` on what was built, as a developer's own stack that knows where the emulator is."""
        self._deploy(BUILT_TEMPLATE, ["Stage=dev", f"LocalEndpoint={self.endpoint}"])

    def deploy_as_on_aws(self, parameters: dict[str, str]) -> None:
        """Run `sam deploy` as if the emulator were AWS, less the types that it does not know."""
        template = BUILD / f"{self.stack}.yaml"
        template.write_text(without_unknown_types(BUILT_TEMPLATE.read_text()))
        self._deploy(template, [f"{name}={value}" for name, value in parameters.items()])

    def _deploy(self, template: Path, parameters: list[str]) -> None:
        command = [str(SAM), "deploy", "--template-file", str(template), "--stack-name", self.stack]
        # The default of samconfig.toml, as a developer's own stack has it
        config = ["--config-file", str(ROOT / "samconfig.toml"), "--no-progressbar"]
        self._run([*command, *config, "--parameter-overrides", f"Architecture={ARCHITECTURE}", *parameters])

    def delete(self) -> None:
        """Run `sam delete`."""
        self._run([str(SAM), "delete", "--stack-name", self.stack, "--no-prompts"])

    def tollgate(self, *words: str, stdin: str = "") -> Any:
        """Run the operator's command on the stack; give its answer."""
        command = [sys.executable, "-m", "tollgate", *words, "--stack", self.stack]
        return json.loads(self._run(command, stdin=stdin))

    def doctor(self) -> list[dict[str, str]]:
        """Return what `tollgate doctor` finds; it ends with 1 where something is to be done."""
        command = [sys.executable, "-m", "tollgate", "doctor", "--json", "--stack", self.stack]
        findings: list[dict[str, str]] = json.loads(self._run(command, ends=(0, 1)))["findings"]
        return findings

    def client(self, service: str) -> Any:
        """Return a client of the emulator's root user."""
        session = boto3.Session("local", "local", region_name=REGION)
        return session.client(service, endpoint_url=self.endpoint, config=Config(read_timeout=TIMEOUT_S))  # type: ignore[call-overload]

    def physical(self, logical_id: str) -> str:
        """Return the name of a resource."""
        found = self.client("cloudformation").describe_stack_resource(
            StackName=self.stack, LogicalResourceId=logical_id
        )
        return str(found["StackResourceDetail"]["PhysicalResourceId"])

    def log(self, function: str) -> list[str]:
        """Return what a function has logged."""
        group = self.physical(function.replace("Function", "LogGroup"))
        pages = self.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
        return [event["message"] for page in pages for event in page["events"]]

    @cached_property
    def base_url(self) -> str:
        """Return where the emulator serves what is at the output `BaseUrl` on AWS."""
        api_id = self._outputs["BaseUrl"].removeprefix("https://").partition(".")[0]
        return f"{self.endpoint}/_aws/execute-api/{api_id}/live"

    @cached_property
    def storage_host(self) -> str:
        """Return the host in the output `StorageUrl`; the emulator tells distributions by the host header."""
        return self._outputs["StorageUrl"].removeprefix("https://")

    @cached_property
    def _outputs(self) -> dict[str, str]:
        (stack,) = self.client("cloudformation").describe_stacks(StackName=self.stack)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

    def _run(
        self,
        command: list[str],
        more: dict[str, str] | None = None,
        stdin: str = "",
        ends: Sequence[int] = (0,),
    ) -> str:
        # All but what could lead to a real account: where the registry is stands in there too
        ours = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        run = subprocess.run(
            command,
            cwd=ROOT,
            env={**ours, **aws_environment(self.endpoint), "SAM_CLI_TELEMETRY": "0", **(more or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if run.returncode not in ends:
            pytest.fail(f"{' '.join(command)}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
        return run.stdout


def without_metric_math(text: str) -> str:
    """Return a template without the alarms that calculate, which the emulator refuses."""
    parts = resources_of(text)
    return "".join(
        part for part in parts if "Type: AWS::CloudWatch::Alarm" not in part or "Metrics:" not in part
    )


def without_unknown_types(text: str) -> str:
    """Return a template without what the emulator has no resource for."""
    lines = [f"    Type: {unknown}\n" for unknown in UNKNOWN_TYPES]
    assert all(line in text for line in lines), "a type in UNKNOWN_TYPES is not in the template"
    return "".join(part for part in resources_of(text) if not any(line in part for line in lines))


def resources_of(text: str) -> list[str]:
    """Return the parts of a template's text, split before each name that is indented as a resource's is."""
    return re.split(r"(?m)^(?=  \w+:$)", text)


def built_resources() -> dict[str, Any]:
    """Return the resources of the built template."""
    resources: dict[str, Any] = yaml_parse(BUILT_TEMPLATE.read_text())["Resources"]
    return resources
