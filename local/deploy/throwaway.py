"""A stack for a trial, which leaves no data: `make throwaway`, `throwaway-deploy`, `throwaway-delete`.

    python -m local.deploy.throwaway [TEMPLATE]                        changes a build: its data is not kept
    python -m local.deploy.throwaway deploy NAME [TEMPLATE NAME=…]     deploys the build as NAME
    python -m local.deploy.throwaway delete NAME                       empties its buckets, then deletes it

They use the account of the environment's credentials. Decision 0025 explains why data is kept otherwise.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.exceptions import ClientError

from local.deploy.build import BUILT, SAM
from local.processes import LocalError
from local.template import ROOT

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_s3 import S3Client

KEPT = "DeletionPolicy: RetainExceptOnCreate"
GOES = {
    KEPT: "DeletionPolicy: Delete",
    "UpdateReplacePolicy: Retain": "UpdateReplacePolicy: Delete",
}
"""The policies that keep data, and their replacements in a throw-away stack."""
DELETE_ATTEMPTS = 3
"""A worker can store a file after its bucket was emptied.

CloudFormation then keeps the bucket and the stack.
"""
MAX_PAGES = 1_000
"""Pages of 1,000 files each, in one bucket."""
SAM_TIMEOUT_S = 2_700


def as_throwaway(text: str) -> str:
    """Return a built template whose data is deleted with its stack.

    Raises `ValueError` if it keeps no data already.
    """
    for kept, goes in GOES.items():
        if kept not in text:
            raise ValueError(f"no {kept} in it")
        text = text.replace(kept, goes)
    return text


def deploy(stack: str, template: Path = BUILT, parameters: Sequence[str] = ()) -> None:
    """Deploy a throw-away template. `parameters` (`Stage=dev`) default to those in samconfig.toml.

    Raises `LocalError` if the template keeps its data, and if the deployment fails.
    """
    if KEPT in template.read_text():
        raise LocalError(f"{template} keeps its data: run `make throwaway` first")
    # Artifacts have a separate folder, which `sam delete` deletes.
    command = ["deploy", "--stack-name", stack, "--template-file", str(template), "--s3-prefix", stack]
    command += ["--no-confirm-changeset", "--no-progressbar"]
    if _sam(*command, *(["--parameter-overrides", *parameters] if parameters else [])) != 0:
        raise LocalError(f"{stack} was not deployed")


def delete(stack: str) -> None:
    """Delete a throw-away stack and the files in its buckets. A missing stack is not an error.

    Raises `LocalError` if the stack keeps its data, and if it cannot be deleted.
    """
    cloudformation, s3 = boto3.client("cloudformation"), boto3.client("s3")
    for _ in range(DELETE_ATTEMPTS):
        if not _is_there(cloudformation, stack):
            print(f"{stack} is not there")
            return
        if KEPT in str(cloudformation.get_template(StackName=stack)["TemplateBody"]):
            raise LocalError(f"{stack} keeps its data: it is no throw-away stack")
        for bucket in _buckets(cloudformation, stack):
            print(f"{bucket}: {emptied(s3, bucket)} files deleted", flush=True)
        if _sam("delete", "--stack-name", stack, "--no-prompts") == 0:
            return
    raise LocalError(f"{stack} could not be deleted: see its events in CloudFormation")


def emptied(s3: "S3Client", bucket: str) -> int:
    """Delete every version of every file in a bucket, and return their number."""
    count = 0
    pages = s3.get_paginator("list_object_versions").paginate(Bucket=bucket)
    for number, page in enumerate(pages):
        if number == MAX_PAGES:
            raise LocalError(f"{bucket} has more than {MAX_PAGES * 1_000} files")
        found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        if found:
            names = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]
            s3.delete_objects(Bucket=bucket, Delete={"Objects": names, "Quiet": True})  # type: ignore[typeddict-item]
        count += len(found)
    return count


def _is_there(cloudformation: "CloudFormationClient", stack: str) -> bool:
    try:
        cloudformation.describe_stacks(StackName=stack)
    except ClientError as refused:
        if refused.response["Error"]["Code"] == "ValidationError":
            return False
        raise
    return True


def _buckets(cloudformation: "CloudFormationClient", stack: str) -> Iterator[str]:
    for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack):
        for each in page["StackResourceSummaries"]:
            if each["ResourceType"] == "AWS::S3::Bucket" and each["ResourceStatus"] != "DELETE_COMPLETE":
                yield each["PhysicalResourceId"]


def _sam(*words: str) -> int:
    config = ["--config-file", str(ROOT / "samconfig.toml")]
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0"}
    return subprocess.run(
        [str(SAM), *words, *config], cwd=ROOT, env=environment, timeout=SAM_TIMEOUT_S, check=False
    ).returncode


def main(words: Sequence[str]) -> None:
    """Run a command."""
    match words:
        case ["deploy", stack, *rest]:
            template = Path(rest[0]) if rest else BUILT
            deploy(stack, template, rest[1:])
        case ["delete", stack]:
            delete(stack)
        case [] | [_]:
            built = Path(words[0]) if words else BUILT
            built.write_text(as_throwaway(built.read_text()))
            print(f"{built} now loses its data with its stack: `make throwaway-deploy STACK=<name>`")
        case _:
            raise LocalError(f"unknown: {' '.join(words)}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except LocalError as exc:
        raise SystemExit(f"tollgate: {exc}") from exc
