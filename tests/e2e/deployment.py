"""The template in the emulator, put there by `sam` itself."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse

from local.deploy.build import architecture, build
from local.deploy.throwaway import as_throwaway
from local.template import ROOT
from tests.e2e.deployed import Deployed

PYTHON = ROOT / ".local" / "ministack" / "bin" / "python"
"""What the emulator runs functions with, so what the layers are built for."""
RUNTIME = "3.13"
"""The functions' Python (template.yaml)."""
BUILD = ROOT / ".local" / "built" / "e2e"
"""Beside the builds, whose templates name files of the repository by their places."""
BUILT_TEMPLATE = BUILD / "template.yaml"
NO_CODE = ROOT / "layers" / "none"
STACK = "tollgate-e2e"

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
UNKNOWN_TYPES = (
    "AWS::WAFv2::WebACLAssociation",
    "AWS::Backup::BackupSelection",
    "AWS::Budgets::Budget",
    "AWS::CloudWatch::CompositeAlarm",
)
"""Resources that it has not got; it refuses a template that names them (decision 0001)."""


@dataclass(frozen=True)
class Deployment(Deployed):
    """A stack in the emulator that these tests build, deploy and delete."""

    def build(self) -> None:
        """Take a copy of what `sam build` makes of the template; the layers are for the emulator's Python."""
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        version = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout
        own = {"PYTHON_VERSION": version.strip(), "LAYER_PYTHON": str(PYTHON)}
        # With production's Python it is the build of `make aws-check`
        elsewhere = None if version.strip() == RUNTIME else ROOT / ".local" / "built" / "emulator"
        built = build(architecture(), elsewhere, own if elsewhere else {})
        shutil.rmtree(BUILD, ignore_errors=True)
        # Links: the tests replace the template and add a file, and change none
        shutil.copytree(built, BUILD, copy_function=os.link)
        BUILT_TEMPLATE.unlink()
        # It is deleted at the end, and shall leave nothing
        text = without_metric_math(as_throwaway((built / "template.yaml").read_text()))
        for wanted, possible in UNSUPPORTED.items():
            assert wanted in text, f"the template has no {wanted} any more"
            text = text.replace(wanted, possible)
        BUILT_TEMPLATE.write_text(text)

    def deploy(self) -> None:
        """Run `sam deploy` on what was built, as a developer's own stack that knows where the emulator is."""
        self._deploy(BUILT_TEMPLATE, ["Stage=dev", f"LocalEndpoint={self.endpoint}"])

    def deploy_again(self, layer: str) -> None:
        """Deploy what is there, but with a layer as it is now in the folder of the build."""
        there: str = self.client("cloudformation").get_template(
            StackName=self.stack, TemplateStage="Original"
        )["TemplateBody"]
        uploaded = re.compile(rf"(?m)^(  {layer}:\n(?:    .*\n)*?      ContentUri: )s3://.+$")
        text, count = uploaded.subn(rf"\g<1>{layer}", there)
        assert count == 1
        template = BUILD / "again.yaml"
        template.write_text(text)
        self._deploy(template, ["Stage=dev", f"LocalEndpoint={self.endpoint}"])

    def deploy_as_on_aws(self, parameters: dict[str, str]) -> None:
        """Run `sam deploy` as if the emulator were AWS, less the types that it does not know."""
        template = BUILD / f"{self.stack}.yaml"
        # Nothing runs there, so nothing is uploaded but a page
        text = re.sub(r"(?m)^(      (?:Code|Content)Uri:) .+$", rf"\1 {NO_CODE}", BUILT_TEMPLATE.read_text())
        template.write_text(without_unknown_types(text))
        self._deploy(template, [f"{name}={value}" for name, value in parameters.items()])

    def _deploy(self, template: Path, parameters: list[str]) -> None:
        words = [f"Architecture={architecture()}", *parameters]
        self.run(
            [sys.executable, "-m", "local.deploy.throwaway", "deploy", self.stack, str(template), *words]
        )

    def delete(self) -> None:
        """Delete the stack and what is in its buckets."""
        self.run([sys.executable, "-m", "local.deploy.throwaway", "delete", self.stack])


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
